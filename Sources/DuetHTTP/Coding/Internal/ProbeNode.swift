/// What is known of a type, or of a property of one, from how it decodes.
final class ProbeNode {
    enum Kind: Hashable {
        case unknown, scalar, list, dictionary, object
        /// An enum whose cases have values.
        case cases
    }

    var kind = Kind.unknown
    var isOptional = false

    /// The properties of an object, in the order in which they were decoded.
    private(set) var properties: [(key: String, node: ProbeNode)] = []

    /// The elements of a list, or the values of a dictionary.
    lazy var element = ProbeNode()

    /// Whether an object has a key, also when nothing was decoded for it.
    private(set) var knowsKey: (String) -> Bool = { _ in false }

    /// The key of an object that has a wire name.
    private(set) var key: (String, KeyNames) -> String? = { _, _ in nil }

    /// Whether a property may have any name at all, so that its keys are data.
    private(set) var takesAnyKey = false

    /// Whether the text that a parameter's default is could not be read.
    var refusesDefault = false

    init() {}

    func property(_ key: String) -> ProbeNode {
        if let known = properties.first(where: { $0.key == key }) { return known.node }
        let node = ProbeNode()
        properties.append((key, node))
        return node
    }

    func learn<Key: CodingKey>(_ type: Key.Type) {
        takesAnyKey = takesAnyKey || Key(stringValue: "aKeyThatNobodyDeclares") != nil
        let (knowsKey, key) = (knowsKey, key)
        self.knowsKey = { knowsKey($0) || Key(stringValue: $0) != nil }
        self.key = { key($0, $1) ?? $1.key(named: $0, type)?.stringValue }
    }
}
