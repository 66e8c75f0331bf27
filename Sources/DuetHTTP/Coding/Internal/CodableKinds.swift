/// An optional of any type, where only that it is one matters.
protocol OptionalValue {
    static var none: Self { get }
    var isNil: Bool { get }
}

extension Optional: OptionalValue {
    var isNil: Bool { self == nil }
}

/// A dictionary of any type: its keys are data, not names.
protocol DictionaryValue {
    /// The type of the values.
    static var valueType: any Any.Type { get }
}

extension Dictionary: DictionaryValue {
    static var valueType: any Any.Type { Value.self }
}
