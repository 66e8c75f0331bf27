package import Foundation

/// Reads the date formats of HTTP (RFC 9110, section 5.6.7), obsolete ones included, as a recipient must.
package enum HTTPDate {
    /// The date that `text` tells; `now` is what the two digits of an obsolete year are counted from.
    package static func parse(_ text: String, now: Date) -> Date? {
        if let parts = text.wholeMatch(of: /[A-Z][a-z]{2}, ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9:]{8}) GMT/)?
            .output
        {
            return date(year: Int(parts.3), month: parts.2, day: parts.1, time: parts.4)
        }
        if let parts = text.wholeMatch(of: /[A-Z][a-z]{5,8}, ([0-9]{2})-([A-Z][a-z]{2})-([0-9]{2}) ([0-9:]{8}) GMT/)?
            .output
        {
            return twoDigits(parts.3, now: now) { date(year: $0, month: parts.2, day: parts.1, time: parts.4) }
        }
        if let parts = text.wholeMatch(of: /[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([0-9 ][0-9]) ([0-9:]{8}) ([0-9]{4})/)?.output
        {
            return date(year: Int(parts.4), month: parts.1, day: parts.2, time: parts.3)
        }
        return nil
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    private static func date(year: Int?, month: Substring, day: Substring, time: Substring) -> Date? {
        let time = time.split(separator: ":", omittingEmptySubsequences: false).map { $0.count == 2 ? Int($0) : nil }
        guard let year, let month = months.firstIndex(of: String(month)), let day = Int(day.drop { $0 == " " }),
            time.count == 3, let hour = time[0], let minute = time[1], let second = time[2], second <= 60
        else { return nil }
        // A leap second is the end of its minute; a calendar does not know it.
        let components = DateComponents(
            year: year,
            month: month + 1,
            day: day,
            hour: hour,
            minute: minute,
            second: min(second, 59)
        )
        guard components.isValidDate(in: calendar) else { return nil }
        return calendar.date(from: components)
    }

    /// What appears to lie more than 50 years ahead is the most recent year with the same digits.
    private static func twoDigits(_ year: Substring, now: Date, date: (Int) -> Date?) -> Date? {
        guard let digits = Int(year) else { return nil }
        let century = calendar.component(.year, from: now) / 100 * 100
        let years = [century + 100, century, century - 100].map { $0 + digits }
        guard let limit = calendar.date(byAdding: .year, value: 50, to: now) else { return nil }
        return years.lazy.compactMap(date).first { $0 <= limit }
    }
}
