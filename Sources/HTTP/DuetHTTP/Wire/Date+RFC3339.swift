package import Foundation

extension Date {
    /// Reads a date and time with an offset (RFC 3339).
    ///
    /// A space may replace the `T` (section 5.6), and the offset may omit its colon. All digits of a fraction count.
    ///
    /// - Parameter isInQuery: Whether a space may replace the `+` of the offset.
    package init?(rfc3339 text: String, isInQuery: Bool = false) {
        var scanner = DateScanner(text[...].utf8)
        guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2), scanner.skip("-"),
            let day = scanner.digits(2), scanner.skip("t") || scanner.skip(" "),
            let time = scanner.time(leapSecond: 60),
            let fraction = scanner.fraction(), let offset = scanner.offset(acceptsSpace: isInQuery), scanner.isAtEnd,
            let date = CalendarDay(year: year, month: month, day: day)
        else { return nil }
        self.init(date.daysSince1970 * 86_400 + time - offset, fraction)
    }

    /// - Parameter seconds: Since 1970.
    private init(_ seconds: Int, _ fraction: String) {
        if 1...Self.maximumEpochDigits ~= fraction.utf8.count {
            self.init(timeIntervalSince1970: Self.exact(seconds, fraction))
        } else {
            self.init(timeIntervalSinceReferenceDate: Self.exact(seconds - Self.secondsTo2001, fraction))
        }
    }

    /// The date in universal time, or nil outside the years 0000 to 9999.
    ///
    /// - Parameter digits: Of the fraction; nil for those that read the same date back.
    package func rfc3339(digits: Int? = nil) -> String? {
        let interval = timeIntervalSinceReferenceDate
        guard interval >= -63_145_526_400, interval < 252_423_993_600 else { return nil }
        var (seconds, fraction) = digits.map { rounded(to: min(max($0, 0), 9)) } ?? exactParts
        let days = seconds.floorDivided(by: 86_400)
        let day = CalendarDay(daysSince1970: days)
        guard day.year <= 9_999 else { return nil }
        seconds -= days * 86_400
        var text = ""
        text.reserveCapacity(20 + fraction.utf8.count + 1)
        text.append(day.year, digits: 4)
        text.append("-")
        text.append(day.month, digits: 2)
        text.append("-")
        text.append(day.day, digits: 2)
        text.append("T")
        text.append(timeOfDay: seconds)
        if !fraction.isEmpty {
            text.append(".")
            text.append(fraction)
        }
        text.append("Z")
        return text
    }

    /// Seconds from 1970 to the reference date of Foundation.
    private static let secondsTo2001 = 978_307_200

    /// The most digits that are read as seconds since 1970, from which most programs make dates.
    ///
    /// The reference date is nearer, so that a double has one more bit: `.0009999` for `.001`.
    private static let maximumEpochDigits = 6

    /// Whole seconds since 1970, and the digits of the fraction with which the same date is read back.
    private var exactParts: (Int, String) {
        let (whole, digits) = rounded(to: Self.maximumEpochDigits)
        let usual = digits.trimmingZeros
        if Date(whole, usual) == self { return (whole, usual) }
        let (seconds, fraction) = Self.parts(of: timeIntervalSinceReferenceDate)
        let zeros = max(0, Self.maximumEpochDigits + 1 - fraction.utf8.count)
        return (seconds + Self.secondsTo2001, fraction + String(repeating: "0", count: zeros))
    }

    private func rounded(to digits: Int) -> (Int, String) {
        let interval = timeIntervalSince1970
        let floor = interval.rounded(.down)
        let unit = (0..<digits).reduce(1) { unit, _ in unit * 10 }
        let fraction = Int(((interval - floor) * Double(unit)).rounded())
        var text = ""
        if digits > 0 { text.append(fraction % unit, digits: digits) }
        return (Int(floor) + fraction / unit, text)
    }

    private static func parts(of interval: Double) -> (Int, String) {
        let floor = interval.rounded(.down)
        guard interval != floor else { return (Int(floor), "") }
        let fraction = fraction(of: abs(interval))
        // Rounding towards zero is exact even where a double cannot represent the floor and the fraction.
        return interval < 0
            ? (Int(interval.rounded(.towardZero)) - 1, complement(fraction)) : (Int(floor), fraction)
    }

    /// Whole seconds and a decimal fraction as a double, rounded once.
    private static func exact(_ seconds: Int, _ fraction: String) -> Double {
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
        // Only numbers far below 1 have an exponent here: large numbers with a fraction have few digits before it.
        let zeros = max(0, -(Int(text[text.index(after: exponent)...]) ?? 0) - 1)
        return String(repeating: "0", count: zeros) + text[..<exponent].filter { $0 != "." }.trimmingZeros
    }

    /// The difference of a fraction to 1: `75` for `25`.
    private static func complement(_ digits: String) -> String {
        let digits = digits.trimmingZeros
        let nines = digits.utf8.dropLast().map { UInt8(ascii: "9") - $0 + UInt8(ascii: "0") }
        guard let last = digits.utf8.last else { return "" }
        return String(decoding: nines + [UInt8(ascii: "9") + 1 - last + UInt8(ascii: "0")], as: UTF8.self)
    }
}

extension String {
    fileprivate var trimmingZeros: String {
        String(self[..<(lastIndex { $0 != "0" }.map(index(after:)) ?? startIndex)])
    }
}
