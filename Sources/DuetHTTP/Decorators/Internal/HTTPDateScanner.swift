/// Reads the parts of a date from front to back; each function answers nil or false where another part stands.
///
/// Letters may have any case.
struct HTTPDateScanner {
    private let text: [UInt8]
    private var position = 0

    init(_ text: Substring.UTF8View) {
        // To go through the view takes ten times as long.
        self.text = unsafe text.withContiguousStorageIfAvailable { unsafe Array($0) } ?? Array(text)
    }

    var isAtEnd: Bool { position == text.count }

    /// How many letters come next.
    mutating func letters() -> Int? {
        let start = position
        while position < text.count, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(Self.lowercased(text[position])) {
            position += 1
        }
        return position > start ? position - start : nil
    }

    /// Whether this, which is in lower case, comes next in any case.
    mutating func skip(_ expected: String) -> Bool {
        var next = position
        for byte in expected.utf8 {
            guard next < text.count, Self.lowercased(text[next]) == byte else { return false }
            next += 1
        }
        position = next
        return true
    }

    mutating func digits(_ count: Int) -> Int? {
        guard text.count - position >= count else { return nil }
        var number = 0
        for byte in text[position..<position + count] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        position += count
        return number
    }

    /// From 1 for January.
    mutating func month() -> Int? {
        guard text.count - position >= 3 else { return nil }
        guard let index = Self.months.firstIndex(of: Self.number(text[position..<position + 3])) else { return nil }
        position += 3
        return index + 1
    }

    /// Seconds since midnight; a leap second is the end of its minute, for a clock that does not know it.
    mutating func time() -> Int? {
        guard let hour = digits(2), hour < 24, skip(":"), let minute = digits(2), minute < 60, skip(":"),
            let second = digits(2), second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + min(second, 59)
    }

    private static let months = CivilDate.months.map { number($0.utf8) }

    /// Three letters as one number, which is compared faster than they.
    private static func number(_ letters: some Sequence<UInt8>) -> Int {
        letters.reduce(0) { $0 << 8 | Int(lowercased($1)) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
