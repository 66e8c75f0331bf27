/// A day of the proleptic Gregorian calendar, computed without Foundation's calendars, which are slow and lock.
struct CalendarDay {
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    let year: Int
    let month: Int
    let day: Int

    /// Days from 1 January 1970, which was a Thursday.
    let daysSince1970: Int

    /// From 0 for Sunday.
    var weekday: Int { ((daysSince1970 + 4) % 7 + 7) % 7 }

    /// Fails for days that the month does not have.
    init?(year: Int, month: Int, day: Int) {
        let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        guard (1...12).contains(month) else { return nil }
        let length = month == 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
        guard (1...length).contains(day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
        daysSince1970 = Self.daysSince1970(year, month, day)
    }

    init(daysSince1970 days: Int) {
        daysSince1970 = days
        let days = days + Self.daysBefore1970
        let era = (days >= 0 ? days : days - Self.daysOfEra + 1) / Self.daysOfEra
        let dayOfEra = days - era * Self.daysOfEra
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (monthFromMarch < 10 ? 0 : 1)
    }

    /// The days from 1970 to a day, which may be beyond the end of its month.
    static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysOfEra + dayOfEra - daysBefore1970
    }

    /// Years begin in March in these computations, so that a leap day is the last day of its year.
    ///
    /// Eras have 400 years.
    private static let daysOfEra = 146_097

    /// Days from 1 March of the year 0 to 1970.
    private static let daysBefore1970 = 719_468
}

extension String {
    mutating func append(_ number: Int, digits: Int) {
        let text = String(number)
        for _ in text.utf8.count..<max(digits, text.utf8.count) { append("0") }
        append(text)
    }

    /// Appends a number of seconds since midnight as `08:49:37`.
    mutating func append(timeOfDay seconds: Int) {
        append(seconds / 3_600, digits: 2)
        append(":")
        append(seconds / 60 % 60, digits: 2)
        append(":")
        append(seconds % 60, digits: 2)
    }
}
