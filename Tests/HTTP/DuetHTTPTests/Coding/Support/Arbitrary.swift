import DuetTesting
import Foundation

/// Random values, including those that are likely to break something.
extension SeededGenerator {
    mutating func text() -> String {
        let pieces = [
            "", "a", "Z", "0", " ", "+", "%", "%2F", "%25", "&", "=", "/", "?", "#", ";", ",", "{", "}", "[]", ".",
            "..", "\\", "\"",
            "'", "\u{0}", "\n", "\u{7F}", "é", "e\u{301}", "ß", "\u{FEFF}", "\u{202E}", "日本", "👩‍👩‍👧", "\u{10FFFF}", "null",
            "true",
        ]
        return (0..<Int.random(in: 0...6, using: &self)).map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
    }

    /// Texts that a path can hold.
    mutating func segment() -> String {
        let text = text()
        return ["", ".", ".."].contains(text) ? "x" : text
    }

    mutating func date() -> Date {
        let tiny = [0, 0.1, 0.5, 1e-9, 1e-7, .leastNonzeroMagnitude, 1e-300, 0.999_999_999_999_999_9, 0.123_456_789]
        let whole = [0, 1, -1, 86_400, -86_400, 8e8, -8e8, 1e10, -6.3e10, 252_423_993_598, -63_145_526_400]
        let sum = (whole.randomElement(using: &self) ?? 0) + (tiny.randomElement(using: &self) ?? 0)
        let small = tiny.randomElement(using: &self) ?? 0
        let any = Double.random(in: -6e10...2.5e11, using: &self)
        return Date(timeIntervalSinceReferenceDate: [sum, small, -small, any].randomElement(using: &self) ?? 0)
    }

    mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
        [.min, .max, 0, 1, Number.random(in: .min ... .max, using: &self)].randomElement(using: &self) ?? 0
    }

    mutating func double() -> Double {
        let bits = Double(bitPattern: next())
        let likely = [0, -0.0, .pi, 0.1, 1e16, -1e-7, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
        return Bool.random(using: &self) && bits.isFinite ? bits : likely.randomElement(using: &self) ?? 0
    }

    mutating func decimal() -> Decimal {
        let significand = Decimal(integer(UInt64.self))
        let power = Int.random(in: -40...40, using: &self)
        let scaled = Decimal(sign: .plus, exponent: power, significand: significand)
        return Bool.random(using: &self) ? scaled : -scaled
    }

    mutating func uuid() -> UUID {
        let text = (0..<2).map { _ in String(next(), radix: 16, uppercase: true) }.joined()
        let digits = Array((String(repeating: "0", count: 32) + text).suffix(32))
        let lengths = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return UUID(uuidString: lengths.map { String(digits[$0]) }.joined(separator: "-"))
            ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }

    mutating func data() -> Data {
        Data((0..<Int.random(in: 0...40, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) })
    }

    mutating func optional<Value>(_ value: (inout Self) -> Value) -> Value? {
        Bool.random(using: &self) ? value(&self) : nil
    }

    mutating func list<Value>(_ value: (inout Self) -> Value) -> [Value] {
        (0..<Int.random(in: 0...3, using: &self)).map { _ in value(&self) }
    }
}
