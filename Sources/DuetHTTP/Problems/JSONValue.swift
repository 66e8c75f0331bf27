/// Any JSON value (RFC 8259).
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction that fits into 64 bits, and thus is kept to the last digit; `1.0` is one.
    case integer(Int64)
    /// Any other number, with the 15 digits that JSON can be relied on to carry (RFC 8259, section 6).
    case number(Double)
    /// A text.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])
}
