import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Section 4.2.3, age")
struct CurrentAgeTests {
    @Test(
        arguments: [
            ([], 0, 0, 10, 10), (["Date: @0"], 0, 0, 10, 10), (["Date: @-5"], 0, 0, 10, 15), (["Age: 5"], 0, 0, 10, 15),
            (["Date: @-5", "Age: 3"], 0, 0, 10, 15), (["Date: @-3", "Age: 5"], 0, 0, 10, 15),
            // An origin whose clock is ahead does not make the response younger.
            (["Date: @60"], 0, 0, 10, 10),
            // The response may have been in transit since the request was sent.
            (["Age: 5"], -2, 0, 10, 17), (["Date: @-3"], -2, 0, 10, 13), ([], -2, 0, 10, 12),
            (["Date: @-1"], -2, 0, 0, 2),
            // If the clock has been set back by more than two seconds, the age is unknown.
            ([], 0, 0, -1, 0), ([], 0, 0, -2, 0), ([], 0, 0, -3, DeltaSeconds.limit),
            ([], 0, 0, -1e9, DeltaSeconds.limit),
            ([], 5, 0, 0, 0),
            (["Age: 9223372036854775808"], 0, 0, 10, DeltaSeconds.limit),
            (["Date: Sat, 01 Jan 0000 00:00:00 GMT"], 0, 0, 10, DeltaSeconds.limit),
            (["Date: Fri, 31 Dec 9999 23:59:59 GMT"], 0, 0, 10, 10),
        ] as [([String], Double, Double, Double, Int)]
    )
    func `the age is the apparent or corrected one, plus the resident time`(
        lines: [String],
        requested: Double,
        received: Double,
        now: Double,
        age: Int
    ) {
        let times = ExchangeTimes(requested: Exchange.date(requested), received: Exchange.date(received))
        let exchange = Exchange(["Cache-Control: max-age=60"] + lines)
        let stored = StoredResponse(
            selection: SelectingFields([:], of: exchange.request),
            response: exchange.response,
            times: times
        )
        #expect(HTTPCachePolicy().currentAge(of: stored, at: Exchange.date(now)) == age)
    }

    @Test func `a response stored while the clock was ahead is not fresh after its correction`() throws {
        let decade = 315_360_000.0
        let stored = try Exchange(["Cache-Control: max-age=60"]).stored(at: decade)
        for seconds in [0, 31_536_000, decade - 3] {
            let reuse = HTTPCachePolicy().lookup(
                in: [stored],
                for: Exchange.request(),
                at: Exchange.date(seconds)
            )
            #expect(reuse.outcome != .fresh, "\(seconds)")
        }
        let reuse = HTTPCachePolicy().lookup(
            in: [stored],
            for: Exchange.request(),
            at: Exchange.date(decade + 59)
        )
        #expect(reuse.outcome == .fresh)
    }

    @Test(arguments: [(0.999, 0), (1.0, 1), (1.001, 1)])
    func `fractions of seconds do not add to the age`(now: Double, age: Int) throws {
        let stored = try Exchange(["Cache-Control: max-age=60", "Date: @0"]).stored()
        #expect(HTTPCachePolicy().currentAge(of: stored, at: Exchange.date(now)) == age)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `no clock and no field make it overflow`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let moments = [-.infinity, -1e300, -6.3e10, -1, 0, 0.5, 1, 1.7e9, 2.6e11, 1e18, 1e300, .infinity, .nan]
        for _ in 1...2000 {
            func moment() -> Date { Date(timeIntervalSince1970: moments.randomElement(using: &generator) ?? 0) }
            let times = ExchangeTimes(requested: moment(), received: moment())
            let exchange = Exchange([
                "Age: \(generator.fieldValue(pieces: 2))", "Date: \(generator.fieldValue(pieces: 1))",
                "Expires: \(generator.fieldValue(pieces: 1))", "Last-Modified: \(generator.fieldValue(pieces: 1))",
            ])
            let stored = StoredResponse(
                selection: SelectingFields([:], of: exchange.request),
                response: exchange.response,
                times: times
            )
            let age = HTTPCachePolicy().currentAge(of: stored, at: moment())
            let lifetime = HTTPCachePolicy().freshnessLifetime(of: stored.fields, status: 200)
            #expect((0...DeltaSeconds.limit).contains(age), "seed \(seed): \(exchange.response.headerFields)")
            #expect(
                (0...DeltaSeconds.limit).contains(lifetime.seconds),
                "seed \(seed): \(exchange.response.headerFields)"
            )
        }
    }
}
