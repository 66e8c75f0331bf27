import Foundation

/// A value that fits in one parameter of a URL.
protocol ParameterScalar {
    /// A text that reads back as the same value, or nil without one.
    func parameterText(_ dates: HTTPCoding.Dates) -> String?

    init?(parameterText text: String, _ dates: HTTPCoding.Dates)

    /// The expected form of a text, as in “must be a whole number”.
    static func form(insteadOf text: String) -> String
}

extension ParameterScalar where Self: LosslessStringConvertible {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? { description }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        self.init(text)
    }
}

extension String: ParameterScalar {
    static func form(insteadOf text: String) -> String { "a text" }
}

extension Bool: ParameterScalar {
    static func form(insteadOf text: String) -> String { "true or false" }
}

extension ParameterScalar where Self: FixedWidthInteger {
    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        // `+5` is refused: in a query, the sign is a space.
        guard !text.hasPrefix("+") else { return nil }
        self.init(text)
    }

    static func form(insteadOf text: String) -> String {
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
        let isNumber = !digits.isEmpty && digits.allSatisfy(FieldSyntax.isDigit)
        return isNumber ? "a whole number from \(min) to \(max)" : "a whole number"
    }
}

extension Int: ParameterScalar {}
extension Int8: ParameterScalar {}
extension Int16: ParameterScalar {}
extension Int32: ParameterScalar {}
extension Int64: ParameterScalar {}
extension Int128: ParameterScalar {}
extension UInt: ParameterScalar {}
extension UInt8: ParameterScalar {}
extension UInt16: ParameterScalar {}
extension UInt32: ParameterScalar {}
extension UInt64: ParameterScalar {}
extension UInt128: ParameterScalar {}

extension ParameterScalar where Self: BinaryFloatingPoint & LosslessStringConvertible {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? { isFinite ? description : nil }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        guard text.isDecimalNumber, let value = Self(text), value.isFinite else { return nil }
        self = value
    }

    static func form(insteadOf text: String) -> String { "a finite number" }
}

extension Double: ParameterScalar {}
extension Float: ParameterScalar {}

extension String {
    /// Whether it is a JSON number (RFC 8259, section 6), leading zeros allowed.
    var isDecimalNumber: Bool {
        var rest = utf8[...]
        func digits() -> Bool {
            let count = rest.prefix(while: FieldSyntax.isDigit).count
            rest.removeFirst(count)
            return count > 0
        }
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        guard digits() else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard digits() else { return false }
        }
        if let first = rest.first, first | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            guard digits() else { return false }
        }
        return rest.isEmpty
    }
}

extension Decimal: ParameterScalar {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? { isNaN ? nil : description }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        // Foundation ignores trailing text: it reads `12abc` as 12.
        guard text.isDecimalNumber, let value = Decimal(string: text, locale: nil), !value.isNaN else { return nil }
        self = value
    }

    static func form(insteadOf text: String) -> String { "a decimal number" }
}

extension UUID: ParameterScalar {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? { uuidString }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        // Foundation ignores what follows U+0000.
        guard text.utf8.count == 36 else { return nil }
        self.init(uuidString: text)
    }

    static func form(insteadOf text: String) -> String { "a UUID" }
}

extension URL: ParameterScalar {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? { absoluteString }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        self.init(string: text)
    }

    static func form(insteadOf text: String) -> String { "a URL" }
}

extension Data: ParameterScalar {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? { base64EncodedString() }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        self.init(base64Encoded: text)
    }

    static func form(insteadOf text: String) -> String { "base64" }
}

extension Date: ParameterScalar {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? {
        switch dates {
        case .rfc3339(let digits): rfc3339(digits: digits)
        case .secondsSince1970: timeIntervalSince1970.parameterText(dates)
        case .millisecondsSince1970: millisecondsSince1970.map(String.init)
        }
    }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        switch dates {
        case .rfc3339:
            self.init(rfc3339: text, isInQuery: true)
        case .secondsSince1970:
            guard let seconds = Double(parameterText: text, dates) else { return nil }
            self.init(timeIntervalSince1970: seconds)
        case .millisecondsSince1970:
            guard let milliseconds = Int64(parameterText: text, dates) else { return nil }
            self.init(millisecondsSince1970: milliseconds)
        }
    }

    static func form(insteadOf text: String) -> String {
        "a time as this API writes it (RFC 3339 unless it says otherwise)"
    }
}

extension Date {
    /// Whole milliseconds since 1970, or nil if they overflow.
    var millisecondsSince1970: Int64? {
        Int64(exactly: (timeIntervalSince1970 * 1_000).rounded())
    }

    init(millisecondsSince1970 milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}
