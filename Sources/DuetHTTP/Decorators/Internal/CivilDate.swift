import Foundation

/// A day of the Gregorian calendar, counted without one, because a calendar of Foundation is slow and locks.
struct CivilDate {
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    let year: Int
    let month: Int
    let day: Int

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day in which that second after 1970 began lies.
    ///
    /// Years begin in March here, so that the leap day is the last one, and eras of 400 years all have as many days.
    init(seconds: Int64) {
        let days = (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400 + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * fromMarch + 2) / 5 + 1)
        month = Int(fromMarch < 10 ? fromMarch + 3 : fromMarch - 9)
        year = Int(yearOfEra + era * 400) + (fromMarch < 10 ? 0 : 1)
    }

    /// Seconds from 1970 to the beginning of the day.
    var seconds: Int64 {
        let year = Int64(month <= 2 ? year - 1 : year)
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * Int64(month > 2 ? month - 3 : month + 9) + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return (era * 146_097 + dayOfEra - 719_468) * 86_400
    }

    /// From 0 for Sunday; the first of January 1970 was a Thursday.
    var weekday: Int {
        Int(((seconds / 86_400 + 4) % 7 + 7) % 7)
    }

    /// The second of this day, or nil for a day that its month does not have.
    func date(_ time: Int) -> Date? {
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let length = month == 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
        guard (1...length).contains(day) else { return nil }
        return Date(timeIntervalSince1970: Double(seconds + Int64(time)))
    }
}
