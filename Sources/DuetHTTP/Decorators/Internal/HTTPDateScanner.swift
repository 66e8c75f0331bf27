/// Reads the parts of a date from front to back; each function answers nil or false where another part stands.
struct HTTPDateScanner {
    /// In lower case.
    private var rest: ArraySlice<UInt8>

    init(_ text: Substring.UTF8View) {
        rest = text.map(Self.lowercased)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// How many letters come next.
    mutating func letters() -> Int? {
        let count = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }.count
        rest = rest.dropFirst(count)
        return count > 0 ? count : nil
    }

    /// Whether this, in lower case, comes next in any case.
    mutating func skip(_ expected: String) -> Bool {
        guard rest.starts(with: expected.utf8) else { return false }
        rest = rest.dropFirst(expected.utf8.count)
        return true
    }

    mutating func digits(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return nil
        }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// From 1 for January.
    mutating func month() -> Int? {
        let name = String(decoding: rest.prefix(3), as: UTF8.self)
        guard let index = Self.months.firstIndex(of: name) else { return nil }
        rest = rest.dropFirst(3)
        return index + 1
    }

    /// Seconds since midnight; a leap second is the end of its minute, for a clock that does not know it.
    mutating func time() -> Int? {
        guard let hour = digits(2), hour < 24, skip(":"), let minute = digits(2), minute < 60, skip(":"),
            let second = digits(2), second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + min(second, 59)
    }

    private static let months = CivilDate.months.map { $0.lowercased() }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
