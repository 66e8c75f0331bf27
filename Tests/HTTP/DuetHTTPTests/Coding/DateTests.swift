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
        #expect(Date(timeIntervalSince1970: 1_795_255_360.5).rfc3339() == "2026-11-21T10:02:40.5Z")
        #expect(Date(timeIntervalSince1970: 0.001).rfc3339() == "1970-01-01T00:00:00.001Z")
        #expect(Date(timeIntervalSince1970: -0.001).rfc3339() == "1969-12-31T23:59:59.999Z")
    }

    @Test func `each millisecond and microsecond since 1970 has its own digits, and is read back`() throws {
        for count in 0..<6_000 {
            let (second, rest) = ([1_796_471_900, 320_900_305][count % 2] + count / 1_000, count % 1_000)
            for (unit, digits) in [(1_000.0, 3), (1_000_000.0, 6)] {
                let date = Date(timeIntervalSince1970: (Double(second) * unit + Double(rest)) / unit)
                let text = try #require(date.rfc3339())
                let padded = String(String(repeating: "0", count: digits) + "\(rest)").suffix(digits)
                let fraction = rest == 0 ? "" : "." + padded.reversed().drop { $0 == "0" }.reversed()
                try #require(text.dropFirst(19).dropLast() == fraction, "\(second) \(rest)")
                try #require(Date(rfc3339: text) == date, "\(text)")
            }
        }
    }

    @Test func `a date that no seconds since 1970 make is read back, too`() throws {
        for count in 0..<3_000 {
            let date = Date(timeIntervalSinceReferenceDate: (818_164_700_000 + Double(count)) / 1_000)
            let text = try #require(date.rfc3339())
            try #require(Date(rfc3339: text) == date, "\(text)")
        }
        #expect(Date(timeIntervalSinceReferenceDate: 818_164_700.001).rfc3339() == "2026-12-05T11:58:20.0010000Z")
    }

    @Test(arguments: [
        (1_796_471_900.001, 3, "2026-12-05T11:58:20.001Z"), (1_796_471_900, 3, "2026-12-05T11:58:20.000Z"),
        (1_796_471_900.9996, 3, "2026-12-05T11:58:21.000Z"), (1_796_471_900.9996, 0, "2026-12-05T11:58:21Z"),
        (-0.5, 1, "1969-12-31T23:59:59.5Z"), (-0.01, 1, "1970-01-01T00:00:00.0Z"),
        (1_796_471_900.25, 20, "2026-12-05T11:58:20.250000000Z"), (1_796_471_900.25, -1, "2026-12-05T11:58:20Z"),
    ])
    func `a date is rounded to a number of digits`(_ interval: Double, _ digits: Int, _ text: String) {
        #expect(Date(timeIntervalSince1970: interval).rfc3339(digits: digits) == text)
    }

    @Test func `a date that is rounded out of the year 9999 has no text`() {
        let last = Date(timeIntervalSince1970: 253_402_300_799.9)
        #expect(last.rfc3339(digits: 0) == nil)
        #expect(last.rfc3339(digits: 1) == "9999-12-31T23:59:59.9Z")
    }

    @Test func `settings round the dates of bodies and parameters`() throws {
        let coder = JSONCoder(HTTPCoding(dates: .rfc3339(digits: 3)))
        let date = Date(timeIntervalSince1970: 1_796_471_900.0016)
        #expect(String(decoding: try coder.encode([date]), as: UTF8.self) == #"["2026-12-05T11:58:20.002Z"]"#)
        #expect(try coder.decode([Date].self, from: Data(#"["2026-12-05T11:58:20.0016Z"]"#.utf8)) == [date])
        let find = MessageCoder<Find>(HTTPSettings(coding: HTTPCoding(dates: .rfc3339(digits: 0))))
        #expect(try find.path(Find(at: date, since: nil, all: [])) == "find/2026-12-05T11:58:20Z")
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
