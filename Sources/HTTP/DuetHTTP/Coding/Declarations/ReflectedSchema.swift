/// The structure of a type or of a property, as its decoding shows it.
final class ReflectedSchema {
    enum Kind: Hashable {
        case unknown, scalar, list, dictionary, object
        /// An enum whose cases have values.
        case cases
    }

    var kind = Kind.unknown
    var isOptional = false
    /// Whether null is not the same as an absent member.
    var distinguishesNull = false

    private(set) var properties: [(key: String, schema: ReflectedSchema)] = []

    /// The elements of a list, or the values of a dictionary.
    lazy var element = ReflectedSchema()

    /// Whether an object has a key, even if nothing was decoded for it.
    private(set) var knowsKey: (String) -> Bool = { _ in false }

    /// The key of an object that has a given wire name.
    private(set) var key: (String, KeyNames) -> String? = { _, _ in nil }

    /// Whether the type accepts any key, so that its keys are data.
    private(set) var takesAnyKey = false

    /// Whether the default of a parameter could not be read as its value.
    var refusesDefault = false

    init() {}

    /// The properties at any depth, each before its own.
    var allProperties: [(key: String, schema: ReflectedSchema)] {
        properties.flatMap { [$0] + $0.schema.allProperties }
    }

    func property(_ key: String) -> ReflectedSchema {
        if let known = properties.first(where: { $0.key == key }) { return known.schema }
        let schema = ReflectedSchema()
        properties.append((key, schema))
        return schema
    }

    func learn<Key: CodingKey>(_ type: Key.Type) {
        takesAnyKey = takesAnyKey || Key(stringValue: "aKeyThatNobodyDeclares") != nil
        let (knowsKey, key) = (knowsKey, key)
        self.knowsKey = { knowsKey($0) || Key(stringValue: $0) != nil }
        self.key = { key($0, $1) ?? $1.key(named: $0, type)?.stringValue }
    }
}

extension ReflectedSchema {
    /// The faults of types that accept any key, when keys are written in snake case.
    ///
    /// Such a key becomes `some_key` and cannot become `someKey` again. The keys of a dictionary are not changed.
    func openKeyFaults(_ keys: HTTPCoding.Keys) -> [String] {
        guard keys == .snakeCase else { return [] }
        return openPaths("").map { path in
            """
            has keys of any name\(path.isEmpty ? "" : " in \(path)"), which cannot be read back from snake case. \
            Make it a dictionary, give it a CodingKey that is an enum, or set the coding's keys to .asWritten.
            """
        }
    }

    private func openPaths(_ path: String) -> [String] {
        (takesAnyKey && kind != .dictionary ? [path] : [])
            + (kind == .list || kind == .dictionary ? element.openPaths(path + "[]") : [])
            + properties.flatMap { $0.schema.openPaths(path.isEmpty ? $0.key : "\(path).\($0.key)") }
    }
}

protocol OptionalValue {
    static var none: Self { get }
    var isNil: Bool { get }
}

extension Optional: OptionalValue {
    var isNil: Bool { self == nil }
}

/// A dictionary of any type.
///
/// Its keys are data, not names.
protocol DictionaryValue {
    static var valueType: any Any.Type { get }
}

extension Dictionary: DictionaryValue {
    static var valueType: any Any.Type { Value.self }
}
