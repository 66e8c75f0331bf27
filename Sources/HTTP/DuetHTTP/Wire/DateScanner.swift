/// Reads the parts of a date in order.
///
/// A method that does not find its part returns nil or false.
struct DateScanner {
    private let text: [UInt8]
    private var position = 0

    init(_ text: Substring.UTF8View) {
        // Copying the storage is ten times as fast as iterating over the view.
        self.text = unsafe text.withContiguousStorageIfAvailable { unsafe Array($0) } ?? Array(text)
    }

    var isAtEnd: Bool { position == text.count }

    /// The number of letters that come next.
    mutating func letters() -> Int? {
        let count = text[position...].prefix { (0x61...0x7A).contains(FieldSyntax.lowercased($0)) }.count
        position += count
        return count > 0 ? count : nil
    }

    /// Skips a text, which is given in lowercase and may have any case.
    mutating func skip(_ expected: String) -> Bool {
        var next = position
        for byte in expected.utf8 {
            guard next < text.count, FieldSyntax.lowercased(text[next]) == byte else { return false }
            next += 1
        }
        position = next
        return true
    }

    /// A number of exactly so many digits.
    mutating func digits(_ count: Int) -> Int? {
        guard text.count - position >= count else { return nil }
        var number = 0
        for byte in text[position..<position + count] {
            guard FieldSyntax.isDigit(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        position += count
        return number
    }

    /// A month by the first three letters of its name, from 1 for January.
    mutating func month() -> Int? {
        guard text.count - position >= 3 else { return nil }
        guard let index = Self.months.firstIndex(of: Self.number(text[position..<position + 3])) else { return nil }
        position += 3
        return index + 1
    }

    /// Seconds since midnight.
    ///
    /// - Parameter leapSecond: The second that a leap second is read as: 59 for the last of its minute, 60 for the
    ///   first of the next one.
    mutating func time(leapSecond: Int) -> Int? {
        guard let hour = digits(2), hour < 24, skip(":"), let minute = digits(2), minute < 60, skip(":"),
            let second = digits(2), second <= 60
        else { return nil }
        return hour * 3_600 + minute * 60 + min(second, leapSecond)
    }

    /// The digits after a decimal point; empty without a point, and nil for a point without digits.
    mutating func fraction() -> String? {
        guard skip(".") else { return "" }
        let digits = text[position...].prefix(while: FieldSyntax.isDigit)
        // No double needs more than 341 digits.
        guard !digits.isEmpty, digits.count <= 400 else { return nil }
        position += digits.count
        return digits.text
    }

    /// The offset from universal time, in seconds.
    ///
    /// - Parameter acceptsSpace: Whether a space may replace `+`.
    mutating func offset(acceptsSpace: Bool) -> Int? {
        if skip("z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+") || acceptsSpace && skip(" "), let hours = digits(2) else { return nil }
        _ = skip(":")
        guard let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
        return (isWest ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    private static let months = CalendarDay.months.map { number($0.utf8) }

    /// Three letters as one number, which is faster to compare.
    private static func number(_ letters: some Sequence<UInt8>) -> Int {
        letters.reduce(0) { $0 << 8 | Int(FieldSyntax.lowercased($1)) }
    }
}
