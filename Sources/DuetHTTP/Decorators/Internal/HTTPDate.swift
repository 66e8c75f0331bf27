package import Foundation

/// Reads and writes the date formats of HTTP (RFC 9110, section 5.6.7), obsolete ones included, as a recipient must.
///
/// Letters may have any case, as RFC 9111, section 4.2, asks of caches. The day of the week is not compared with the
/// date.
package enum HTTPDate {
    /// The date that `text` tells; `now` is what the two digits of an obsolete year are counted from.
    package static func parse(_ text: String, now: Date) -> Date? {
        parse(text[...].utf8, now: now)
    }

    package static func parse(_ text: Substring.UTF8View, now: Date) -> Date? {
        var scanner = HTTPDateScanner(text)
        guard let dayName = scanner.letters() else { return nil }
        if dayName == 3, scanner.skip(", ") {
            return fixed(&scanner)
        }
        if (6...9).contains(dayName), scanner.skip(", ") {
            return obsolete(&scanner, now: now)
        }
        return dayName == 3 && scanner.skip(" ") ? asctime(&scanner) : nil
    }

    /// The preferred format, which has room for the years 0 to 9999: the nearest of them for others.
    package static func text(_ date: Date) -> String {
        let limits =
            CivilDate(year: 0, month: 1, day: 1).seconds...CivilDate(year: 10_000, month: 1, day: 1).seconds - 1
        let interval = date.timeIntervalSince1970.rounded(.down)
        let seconds = Int64(
            interval.isNaN ? 0 : min(max(interval, Double(limits.lowerBound)), Double(limits.upperBound))
        )
        let day = CivilDate(seconds: seconds)
        let time = Int(seconds - day.seconds)
        func padded(_ number: Int, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let clock = [time / 3600, time / 60 % 60, time % 60].map { padded($0) }.joined(separator: ":")
        let calendar = "\(padded(day.day)) \(CivilDate.months[day.month - 1]) \(padded(day.year, 4))"
        return "\(CivilDate.weekdays[day.weekday]), \(calendar) \(clock) GMT"
    }

    /// `06 Nov 1994 08:49:37 GMT`, after the day's name.
    private static func fixed(_ scanner: inout HTTPDateScanner) -> Date? {
        guard let day = scanner.digits(2), scanner.skip(" "), let month = scanner.month(), scanner.skip(" "),
            let year = scanner.digits(4), scanner.skip(" "), let time = scanner.time(), scanner.skip(" gmt"),
            scanner.isAtEnd
        else { return nil }
        return CivilDate(year: year, month: month, day: day).date(time)
    }

    /// `06-Nov-94 08:49:37 GMT`, after the day's whole name.
    ///
    /// What appears to lie more than 50 years ahead is the most recent year with the same digits.
    private static func obsolete(_ scanner: inout HTTPDateScanner, now: Date) -> Date? {
        guard let day = scanner.digits(2), scanner.skip("-"), let month = scanner.month(), scanner.skip("-"),
            let digits = scanner.digits(2), scanner.skip(" "), let time = scanner.time(), scanner.skip(" gmt"),
            scanner.isAtEnd
        else { return nil }
        var limit = CivilDate(seconds: Int64(max(-1e11, min(1e11, now.timeIntervalSince1970))))
        let century = limit.year / 100 * 100
        let timeOfNow = now.timeIntervalSince1970 - Double(limit.seconds)
        limit = CivilDate(year: limit.year + 50, month: limit.month, day: limit.day)
        return [century + 100, century, century - 100].lazy
            .compactMap { CivilDate(year: $0 + digits, month: month, day: day).date(time) }
            .first { $0.timeIntervalSince1970 <= Double(limit.seconds) + timeOfNow }
    }

    /// `Nov  6 08:49:37 1994`, after the day's name, as the C function writes it.
    private static func asctime(_ scanner: inout HTTPDateScanner) -> Date? {
        guard let month = scanner.month(), scanner.skip(" "),
            let day = scanner.skip(" ") ? scanner.digits(1) : scanner.digits(2), scanner.skip(" "),
            let time = scanner.time(), scanner.skip(" "), let year = scanner.digits(4), scanner.isAtEnd
        else { return nil }
        return CivilDate(year: year, month: month, day: day).date(time)
    }
}
