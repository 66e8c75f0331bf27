/// Reads the parts of a date from front to back; each function answers nil or false where another part stands.
struct HTTPDateScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// How many letters come next.
    mutating func letters() -> Int? {
        let count = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }.count
        rest = rest.dropFirst(count)
        return count > 0 ? count : nil
    }

    /// Whether this comes next, in lower or upper case.
    mutating func skip(_ expected: StaticString) -> Bool {
        let expected = "\(expected)".utf8
        guard rest.count >= expected.count, zip(rest, expected).allSatisfy({ Self.lowercased($0) == $1 }) else {
            return false
        }
        rest = rest.dropFirst(expected.count)
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
        let name = rest.prefix(3).map(Self.lowercased)
        guard
            let index = CivilDate.months.firstIndex(where: { $0.utf8.elementsEqual(name) { Self.lowercased($0) == $1 } }
            )
        else { return nil }
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

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
