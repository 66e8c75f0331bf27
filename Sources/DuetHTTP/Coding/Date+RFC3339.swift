package import Foundation

extension Date {
    /// A date and time with an offset (RFC 3339), or nil for any other text.
    ///
    /// A space may stand in place of the `T` (section 5.6), and the offset may lack its colon, as in `+0000`. Every digit of
    /// the second's fraction counts, so that a date comes back as exactly the number that it is.
    package init?(rfc3339 text: String) {
        var reader = DateReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T", or: "t") || reader.skip(" "),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2), let fraction = reader.fraction(), let offset = reader.offset(),
            reader.isAtEnd,
            (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
            // A leap second, 60, counts as the first second of the next minute.
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = Self.daysSince2001(year, month, day)
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
        self.init(timeIntervalSinceReferenceDate: Self.exact(seconds, fraction))
    }

    /// The date and time in universal time (RFC 3339), or nil outside the years 0000 to 9999.
    ///
    /// The second has as many digits as it takes to read the same date back.
    package var rfc3339: String? {
        let interval = timeIntervalSinceReferenceDate
        guard interval >= -63_145_526_400, interval < 252_423_993_600 else { return nil }
        let floor = interval.rounded(.down)
        var seconds = Int(floor)
        var fraction = ""
        if interval != floor {
            fraction = Self.fraction(of: abs(interval))
            if interval < 0 {
                fraction = Self.complement(fraction)
                // Rounding down and rounding towards zero differ by one, also where a double cannot tell.
                seconds = Int(interval.rounded(.towardZero)) - 1
            }
        }
        var days = seconds / 86_400
        if seconds % 86_400 < 0 { days -= 1 }
        let time = seconds - days * 86_400
        let (year, month, day) = Self.civil(daysSince2001: days)
        var text = ""
        text.reserveCapacity(20 + fraction.utf8.count + 1)
        text.append(year, digits: 4)
        text.append("-")
        text.append(month, digits: 2)
        text.append("-")
        text.append(day, digits: 2)
        text.append("T")
        text.append(time / 3_600, digits: 2)
        text.append(":")
        text.append(time / 60 % 60, digits: 2)
        text.append(":")
        text.append(time % 60, digits: 2)
        if !fraction.isEmpty {
            text.append(".")
            text.append(fraction)
        }
        text.append("Z")
        return text
    }

    /// Whole seconds and a decimal fraction, rounded once.
    private static func exact(_ seconds: Int, _ fraction: Substring) -> Double {
        guard fraction.utf8.contains(where: { $0 != UInt8(ascii: "0") }) else { return Double(seconds) }
        let text = seconds < 0 ? "-\(-1 - seconds).\(complement(fraction))" : "\(seconds).\(fraction)"
        return Double(text) ?? Double(seconds)
    }

    /// The digits after the point of the shortest decimal number that reads back as the same double.
    private static func fraction(of value: Double) -> String {
        let text = value.description
        guard let exponent = text.firstIndex(of: "e") else {
            return String(text[text.index(after: text.firstIndex(of: ".") ?? text.startIndex)...])
        }
        // Only a number far below 1 is written with an exponent here: larger ones with a fraction have few digits before it.
        let zeros = max(0, -(Int(text[text.index(after: exponent)...]) ?? 0) - 1)
        return String(repeating: "0", count: zeros) + text[..<exponent].filter { $0 != "." }.trimmingZeros
    }

    /// What is missing to one whole: `75` for `25`.
    private static func complement(_ digits: some StringProtocol) -> String {
        let digits = digits.trimmingZeros
        let nines = digits.utf8.dropLast().map { UInt8(ascii: "9") - $0 + UInt8(ascii: "0") }
        guard let last = digits.utf8.last else { return "" }
        return String(decoding: nines + [UInt8(ascii: "9") + 1 - last + UInt8(ascii: "0")], as: UTF8.self)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// 1 March of the year 0 lies so many days before 2001: its years begin with March, so that the leap day comes last.
    private static let daysBefore2001 = 730_791

    /// Days in the proleptic Gregorian calendar.
    private static func daysSince2001(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        // Floors, also for the one year before 0, which January and February of the year 0 belong to.
        let leapDays = year >= 0 ? year / 4 - year / 100 + year / 400 : -1
        return year * 365 + leapDays + dayOfYear - daysBefore2001
    }

    private static func civil(daysSince2001 days: Int) -> (year: Int, month: Int, day: Int) {
        // Counted from a cycle of 400 years earlier, so that nothing is negative.
        let days = days + daysBefore2001 + 146_097
        let dayOfCycle = days % 146_097
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = (days / 146_097 - 1) * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}

extension StringProtocol {
    fileprivate var trimmingZeros: String {
        String(self[..<(lastIndex { $0 != "0" }.map(index(after:)) ?? startIndex)])
    }
}

extension String {
    fileprivate mutating func append(_ number: Int, digits: Int) {
        let text = String(number)
        for _ in text.utf8.count..<max(digits, text.utf8.count) { append("0") }
        append(text)
    }
}
