import Foundation

extension Date {
    /// A date and time with an offset in the form of ISO 8601 that the server writes, or nil for any other text.
    ///
    /// The offset is `Z`, `+0000` or `+00:00`; seconds may have a fraction, of which nine digits count. Foundation reads
    /// each of these with a style of its own; one pass over the bytes reads all of them.
    init?(wireFormat text: String) {
        var reader = Reader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T", or: "t"),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2), let fraction = reader.fraction(), let offset = reader.offset(),
            reader.isAtEnd,
            (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
            // A leap second, 60, counts as the first second of the next minute.
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let seconds = Self.daysSince1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        self.init(timeIntervalSince1970: Double(seconds) + fraction)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days in the proleptic Gregorian calendar, in a year that begins with March so that the leap day comes last.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        // Floors, also for the one year before 0, which January and February of the year 0 belong to.
        let leapDays = year >= 0 ? year / 4 - year / 100 + year / 400 : -1
        // 719,468 days lie between 1 March of the year 0 and 1 January 1970.
        return year * 365 + leapDays + dayOfYear - 719_468
    }
}

/// Reads a text from its start, byte by byte.
private struct Reader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// A number of exactly so many digits.
    mutating func number(_ digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    mutating func skip(_ character: Unicode.Scalar, or other: Unicode.Scalar? = nil) -> Bool {
        guard let first = rest.first.map(Unicode.Scalar.init), first == character || first == other else {
            return false
        }
        rest.removeFirst()
        return true
    }

    /// What follows a point, as part of 1; 0 when there is no point, nil when there is one and no digit after it.
    mutating func fraction() -> Double? {
        guard skip(".") else { return 0 }
        guard var value = digit() else { return nil }
        var scale = 10
        while let digit = digit() {
            guard scale < 1_000_000_000 else { continue }
            value = value * 10 + digit
            scale *= 10
        }
        return Double(value) / Double(scale)
    }

    /// The offset from universal time, in seconds.
    mutating func offset() -> Int? {
        if skip("Z", or: "z") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard skip("+", or: "-"), let hours = number(2) else { return nil }
        _ = skip(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return (isWest ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    private mutating func digit() -> Int? {
        guard let first = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
        rest.removeFirst()
        return Int(first - UInt8(ascii: "0"))
    }
}
