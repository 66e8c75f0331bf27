/// A value that one parameter of a URL holds.
protocol ParameterScalar {
    /// The value as a text that reads back as the same value; nil when there is none.
    func parameterText(_ dates: HTTPCoding.Dates) -> String?

    init?(parameterText text: String, _ dates: HTTPCoding.Dates)

    /// What a text must be, as in “must be a whole number”.
    static func form(insteadOf text: String) -> String
}

extension String: ParameterScalar {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? { self }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        self = text
    }

    static func form(insteadOf text: String) -> String { "a text" }
}

extension Bool: ParameterScalar {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? { self ? "true" : "false" }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        self.init(text)
    }

    static func form(insteadOf text: String) -> String { "true or false" }
}

extension ParameterScalar where Self: FixedWidthInteger {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? { String(self) }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        // `+5` is refused: sent by a form, its sign is a space.
        guard !text.hasPrefix("+") else { return nil }
        self.init(text)
    }

    static func form(insteadOf text: String) -> String {
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
        let isNumber = !digits.isEmpty && digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
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
            let count = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
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
