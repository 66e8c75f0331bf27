import Duet
import DuetHTTP
import DuetTesting
import Foundation
import Testing

/// Dates in each of their forms.
struct DateTests {
    struct Find: HTTPQuery, Hashable {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("find/{at}"); var at: Date; var since: Date?;
        var all: [Date]
    }
    struct Put: HTTPCommand, Hashable {
        static let route: CommandRoute<Self> = .put("put")
        var at: Date
        var all: [Date?]
    }

    @Test(arguments: [
        "2026-11-21T10:02:40.5Z", "2026-11-21t10:02:40.5z", "2026-11-21 10:02:40.5Z", "2026-11-21 12:02:40.5+02:00",
        "2026-11-21T08:02:40.5-0200",
    ])
    func `every form of RFC 3339 is read`(_ text: String) {
        #expect(Date(rfc3339: text) == Date(timeIntervalSince1970: 1_795_255_360.5))
    }

    @Test(arguments: [
        "2026-11-21", "2026-11-21  10:02:40Z", "2026-11-21_10:02:40Z", "2026-11-21T10:02:40", "2026-11-21T10:02:40 Z",
        "2026-11-21T10:02Z", "2026-02-29T10:02:40Z", " 2026-11-21T10:02:40Z", "2026-11-21T10:02:40Z ",
    ])
    func `anything else is not a token`(_ text: String) {
        #expect(Date(rfc3339: text) == nil)
    }

    @Test func `a date is written in one form`() {
        #expect(Date(timeIntervalSince1970: 1_795_255_360.5).rfc3339 == "2026-11-21T10:02:40.5Z")
    }

    private func check(_ dates: HTTPCoding.Dates, _ seed: UInt64, make: (inout SeededGenerator) -> Date) throws {
        let settings = HTTPSettings(coding: HTTPCoding(dates: dates))
        let (find, put) = (try Journey(Find.self, settings: settings), try Journey(Put.self, settings: settings))
        var generator = SeededGenerator(seed: seed)
        for round in 0..<500 {
            let question = Find(at: make(&generator), since: generator.optional(make), all: generator.list(make))
            let order = Put(at: make(&generator), all: generator.list { $0.optional(make) })
            try #require(find.end(of: question) == question, "seed \(seed), round \(round)")
            try #require(put.end(of: order) == order, "seed \(seed), round \(round)")
        }
    }

    @Test(arguments: [1, 2]) func `whole milliseconds are read back exactly`(_ seed: UInt64) throws {
        try check(.millisecondsSince1970, seed) { generator in
            let likely: [Int64] = [0, 1, -1, 999, -999, 1_795_255_360_500, -62_135_596_800_000, 253_402_300_799_999]
            let any = Int64.random(in: -253_402_300_799_999...253_402_300_799_999, using: &generator)
            let milliseconds = Bool.random(using: &generator) ? any : likely.randomElement(using: &generator) ?? 0
            return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
        }
    }

    @Test(arguments: [3, 4]) func `seconds are read back to within a microsecond`(_ seed: UInt64) throws {
        let settings = HTTPSettings(coding: HTTPCoding(dates: .secondsSince1970))
        let (find, put) = (try Journey(Find.self, settings: settings), try Journey(Put.self, settings: settings))
        var generator = SeededGenerator(seed: seed)
        for round in 0..<500 {
            let date = generator.date()
            let ends = [
                try find.end(of: Find(at: date, since: date, all: [date])).at,
                try put.end(of: Put(at: date, all: [nil])).at,
            ]
            for end in ends {
                // Beyond the year 2100, a `Double` has no better resolution.
                let error = abs(end.timeIntervalSinceReferenceDate - date.timeIntervalSinceReferenceDate)
                try #require(
                    error <= max(1e-6, date.timeIntervalSinceReferenceDate.ulp * 2),
                    "\(date), seed \(seed), round \(round)"
                )
            }
        }
    }

    @Test(arguments: [5, 6]) func `seconds with a fraction of a power of two are read back exactly`(_ seed: UInt64)
        throws
    {
        try check(.secondsSince1970, seed) { generator in
            Date(timeIntervalSince1970: Double(Int64.random(in: -1 << 40...1 << 40, using: &generator)) / 64)
        }
    }
}
