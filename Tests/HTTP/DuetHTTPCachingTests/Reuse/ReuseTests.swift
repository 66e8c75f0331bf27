import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 4.2, freshness")
struct ReuseTests {
    @Test(
        arguments: [
            ("max-age=60", 0, Outcome.fresh), ("max-age=60", 59, .fresh), ("max-age=60", 59.9, .fresh),
            ("max-age=60", 60, .validate(.stale)), ("max-age=60", 61, .validate(.stale)),
            ("max-age=0", 0, .validate(.stale)),
            ("max-age=2147483648", 2e9, .fresh), ("max-age=2147483648", 2_147_483_647, .validate(.stale)),
        ] as [(String, Double, Outcome)]
    )
    func `a response is reused while it is fresh`(value: String, seconds: Double, outcome: Outcome) throws {
        #expect(try DuetHTTPCachingTests.outcome("Cache-Control: \(value)", after: seconds) == outcome)
    }

    @Test func `a response that arrives with too great an age is not fresh`() throws {
        #expect(try outcome("Cache-Control: max-age=3600", "Age: 7200", after: 0) == .validate(.stale))
        #expect(try outcome("Cache-Control: max-age=3600", "Age: 9223372036854775808", after: 0) == .validate(.stale))
        #expect(try outcome("Cache-Control: max-age=3600", "Age: 3599", after: 0) == .fresh)
        #expect(try outcome("Cache-Control: max-age=3600", "Age: 3600", after: 0) == .validate(.stale))
    }

    @Test func `section 4: the most recent of several that match is chosen, by its date`() throws {
        let lines = ["Cache-Control: max-age=600", "Vary: b"]
        let old = try Exchange(lines + ["Date: @-20", "x: old"]).stored(at: 5)
        let new = try Exchange(["Cache-Control: max-age=600", "Date: @-10", "x: new"]).stored(at: 0)
        let later = try Exchange(lines + ["Date: @-10", "x: later"]).stored(at: 1)
        func chosen(_ candidates: [StoredResponse]) -> StoredResponse? {
            HTTPCachePolicy().lookup(in: candidates, for: Exchange.request(), at: Exchange.date(9)).hit?.stored
        }
        #expect(chosen([old, new]) == new)
        #expect(chosen([new, old]) == new)
        #expect(chosen([old, later, new]) == later)
    }

    @Test func `no stored, no matching, and no usable response are distinguished`() throws {
        let varying = try Exchange(.get, "/", ["a: 1"], ["Cache-Control: max-age=60", "Vary: a"]).stored()
        #expect(
            HTTPCachePolicy().lookup(in: [], for: Exchange.request(), at: Exchange.start).outcome
                == .forward(.uriMiss)
        )
        #expect(
            HTTPCachePolicy().lookup(in: [varying], for: Exchange.request(), at: Exchange.start).outcome
                == .forward(.varyMiss)
        )
        #expect(
            HTTPCachePolicy().lookup(in: [varying], for: Exchange.request("a: 1"), at: Exchange.start).outcome
                == .fresh
        )
    }

    @Test(arguments: ["If-Match: \"a\"", "If-Unmodified-Since: @0"])
    func `conditions that only the origin can evaluate are forwarded`(line: String) throws {
        let stored = try Exchange(["Cache-Control: max-age=60"]).stored()
        #expect(
            HTTPCachePolicy().lookup(in: [stored], for: Exchange.request(line), at: Exchange.start).outcome
                == .forward(.request)
        )
    }

    @Test(arguments: ["Pragma: no-cache", "Warning: 110 - \"Response is Stale\""])
    func `sections 5.4 and 5.5: Pragma and Warning are deprecated and ignored`(line: String) throws {
        let stored = try Exchange(["Cache-Control: max-age=60", line]).stored()
        #expect(
            HTTPCachePolicy().lookup(in: [stored], for: Exchange.request(line), at: Exchange.start)
                .outcome == .fresh
        )
    }
}
