import DuetHTTP

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSONValue {
    /// The member of an object; null if there is none.
    subscript(_ member: String) -> JSONValue {
        if case .object(let members) = self { members[member] ?? .null } else { .null }
    }

    /// The elements; empty if this is not an array.
    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The text; nil if this is not a string.
    var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The number; nil if this is not a number.
    var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }

    /// Whether this is `true`.
    var isTrue: Bool { self == .bool(true) }
}
