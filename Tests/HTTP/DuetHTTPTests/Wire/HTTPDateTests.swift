import DuetHTTP
import DuetTesting
import Foundation
import Testing

@Suite
struct HTTPDateTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)  // In 2023.

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun Nov 06 08:49:37 1994", "SUN, 06 NOV 1994 08:49:37 gmt", "sunday, 06-nov-94 08:49:37 Gmt",
        "sun nov  6 08:49:37 1994",
    ])
    func `each format has the same date`(text: String) {
        #expect(HTTPDate.parse(text, now: now) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test(arguments: [
        "", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 8:49:037 GMT", "Sun, 06 Nov 1994 :::::::: GMT", "Sun, 29 Feb 1995 00:00:00 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "1994-11-06T08:49:37Z", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun Nov   6 08:49:37 1994", "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT", " Sun, 06 Nov 1994 08:49:37 GMT",
    ])
    func `anything else is not a date`(text: String) {
        #expect(HTTPDate.parse(text, now: now) == nil)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `the beginning of a date is not a date`(text: String) {
        for count in 0..<text.count { #expect(HTTPDate.parse(String(text.prefix(count)), now: now) == nil, "\(count)") }
    }

    @Test(arguments: [
        ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ])
    func `the first and the last possible year are read and written`(text: String, seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(HTTPDate.parse(text, now: now) == date)
        #expect(HTTPDate.text(date) == text)
    }

    @Test(arguments: [-.infinity, -1e300, -62_167_219_201, 253_402_300_800, 1e300, .infinity, .nan])
    func `a date that cannot be written becomes the nearest one that can`(interval: Double) {
        let text = HTTPDate.text(Date(timeIntervalSince1970: interval))
        #expect(HTTPDate.parse(text, now: now) != nil, "\(text)")
    }

    @Test(arguments: [-.infinity, -1e300, 1e300, .infinity, .nan])
    func `a year of two digits does not trap with any clock`(interval: Double) {
        _ = HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: Date(timeIntervalSince1970: interval))
    }

    @Test func `a leap second is the end of its minute, and a leap day a day`() {
        #expect(
            HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT", now: now) == Date(timeIntervalSince1970: 1_483_228_799)
        )
        #expect(HTTPDate.parse("Thu, 29 Feb 2024 00:00:00 GMT", now: now) == Date(timeIntervalSince1970: 1_709_164_800))
    }

    @Test(arguments: [("73", 2073), ("74", 1974), ("23", 2023), ("24", 2024), ("99", 1999), ("00", 2000)])
    func `a year of two digits is at most 50 years ahead`(digits: String, year: Int) throws {
        // It is 14 November 2023.
        let date = try #require(HTTPDate.parse("Sunday, 01-Nov-\(digits) 00:00:00 GMT", now: now))
        #expect(date == HTTPDate.parse("Sun, 01 Nov \(year) 00:00:00 GMT", now: now))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `every second of three centuries is read back`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        for _ in 1...500 {
            let date = Date(
                timeIntervalSince1970: Double(Int.random(in: -3_000_000_000...7_000_000_000, using: &generator))
            )
            #expect(HTTPDate.parse(formatter.string(from: date), now: now) == date, "seed \(seed)")
            #expect(HTTPDate.text(date) == formatter.string(from: date), "seed \(seed)")
        }
    }
}
