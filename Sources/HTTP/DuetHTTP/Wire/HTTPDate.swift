package import Foundation

/// Reads and writes the date formats of HTTP (RFC 9110, section 5.6.7), including the obsolete ones.
///
/// Letters may have any case, as RFC 9111, section 4.2, asks of caches. The day of the week is not compared with the
/// date.
package enum HTTPDate {
    /// Reads a date in one of the three formats.
    ///
    /// - Parameter now: The current time, from which the century of a two-digit year follows.
    package static func parse(_ text: String, now: Date) -> Date? {
        parse(text[...].utf8, now: now)
    }

    package static func parse(_ text: Substring.UTF8View, now: Date) -> Date? {
        var scanner = DateScanner(text)
        guard let dayName = scanner.letters() else { return nil }
        if dayName == 3, scanner.skip(", ") {
            return fixed(&scanner)
        }
        if (6...9).contains(dayName), scanner.skip(", ") {
            return obsolete(&scanner, now: now)
        }
        return dayName == 3 && scanner.skip(" ") ? asctime(&scanner) : nil
    }

    /// The date in the preferred format, or the nearest date of the years 0 to 9999.
    package static func text(_ date: Date) -> String {
        let limits = -62_167_219_200.0...253_402_300_799
        let interval = date.timeIntervalSince1970.rounded(.down)
        let seconds = Int(interval.isNaN ? 0 : min(max(interval, limits.lowerBound), limits.upperBound))
        let days = seconds.floorDivided(by: 86_400)
        let day = CalendarDay(daysSince1970: days)
        var text = "\(CalendarDay.weekdays[day.weekday]), "
        text.append(day.day, digits: 2)
        text.append(" \(CalendarDay.months[day.month - 1]) ")
        text.append(day.year, digits: 4)
        text.append(" ")
        text.append(timeOfDay: seconds - days * 86_400)
        text.append(" GMT")
        return text
    }

    /// `06 Nov 1994 08:49:37 GMT`, after the day's name.
    private static func fixed(_ scanner: inout DateScanner) -> Date? {
        guard let day = scanner.digits(2), scanner.skip(" "), let month = scanner.month(), scanner.skip(" "),
            let year = scanner.digits(4), scanner.skip(" "), let time = scanner.time(leapSecond: 59),
            scanner.skip(" gmt"),
            scanner.isAtEnd
        else { return nil }
        return date(year: year, month: month, day: day, time: time)
    }

    /// `06-Nov-94 08:49:37 GMT`, after the day's full name.
    ///
    /// A date that appears to be more than 50 years ahead is in the most recent year with the same digits.
    private static func obsolete(_ scanner: inout DateScanner, now: Date) -> Date? {
        guard let day = scanner.digits(2), scanner.skip("-"), let month = scanner.month(), scanner.skip("-"),
            let digits = scanner.digits(2), scanner.skip(" "), let time = scanner.time(leapSecond: 59),
            scanner.skip(" gmt"),
            scanner.isAtEnd
        else { return nil }
        let interval = max(-1e11, min(1e11, now.timeIntervalSince1970))
        let days = Int(interval).floorDivided(by: 86_400)
        let today = CalendarDay(daysSince1970: days)
        let inFiftyYears = CalendarDay.daysSince1970(today.year + 50, today.month, today.day)
        let limit = interval + Double(inFiftyYears - days) * 86_400
        let century = today.year / 100 * 100
        return [century + 100, century, century - 100].lazy
            .compactMap { date(year: $0 + digits, month: month, day: day, time: time) }
            .first { $0.timeIntervalSince1970 <= limit }
    }

    /// `Nov  6 08:49:37 1994`, after the day's name, as the C function `asctime` writes it.
    private static func asctime(_ scanner: inout DateScanner) -> Date? {
        guard let month = scanner.month(), scanner.skip(" "),
            let day = scanner.skip(" ") ? scanner.digits(1) : scanner.digits(2), scanner.skip(" "),
            let time = scanner.time(leapSecond: 59), scanner.skip(" "), let year = scanner.digits(4), scanner.isAtEnd
        else { return nil }
        return date(year: year, month: month, day: day, time: time)
    }

    private static func date(year: Int, month: Int, day: Int, time: Int) -> Date? {
        CalendarDay(year: year, month: month, day: day)
            .map { Date(timeIntervalSince1970: Double($0.daysSince1970 * 86_400 + time)) }
    }
}

extension Int {
    /// The quotient rounded down, also for negative numbers.
    func floorDivided(by divisor: Int) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
