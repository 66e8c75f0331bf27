/// Reads a text from its start, byte by byte.
struct DateReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// A number of exactly so many digits.
    mutating func number(_ digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let first = rest.first, Self.isDigit(first) else { return nil }
            rest.removeFirst()
            value = value * 10 + Int(first - UInt8(ascii: "0"))
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

    /// The digits after a point; none when there is no point, nil when there is one and no digit after it.
    mutating func fraction() -> Substring? {
        guard skip(".") else { return "" }
        let digits = rest.prefix(while: Self.isDigit)
        // No double needs more digits than 341: the least one above zero.
        guard !digits.isEmpty, digits.count <= 400 else { return nil }
        rest.removeFirst(digits.count)
        return Substring(digits)
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

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
}
