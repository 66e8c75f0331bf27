/// Decodes from nothing, to learn what a type has: there is no value of it to look at when an API is made.
///
/// Values are made up as they are asked for. A type that refuses one ends the probe; what was learnt until then stands.
struct ProbingDecoder: Decoder {
    /// A made-up value was refused, or a type contains itself.
    struct Stop: Error {}

    let node: ProbeNode
    var depth = 0

    /// What parameters stand for when they are left out, by their keys.
    var defaults: (_ key: String) -> String? = { _ in nil }

    /// What this value stands for when it is left out.
    var text: String?

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// - Returns: Whether the type could be decoded to its end.
    static func probe<Value: Decodable>(
        _ type: Value.Type,
        _ node: ProbeNode,
        defaults: @escaping (String) -> String?
    ) -> Bool {
        (try? Value(from: ProbingDecoder(node: node, defaults: defaults))) != nil
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if node.kind == .unknown { node.kind = .object }
        node.learn(type)
        return KeyedDecodingContainer(KeyedProbe(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        if node.kind == .unknown { node.kind = .list }
        return UnkeyedProbe(decoder: ProbingDecoder(node: node.element, depth: depth + 1))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueProbe(decoder: self)
    }

    func value<Value: Decodable>(_ type: Value.Type, text: String? = nil) throws -> Value {
        guard depth < 8 else { throw Stop() }
        if type is any OptionalValue.Type { node.isOptional = true }
        if let dictionary = type as? any DictionaryValue.Type {
            node.kind = .dictionary
            if let values = dictionary.valueType as? any Decodable.Type {
                _ = try? ProbingDecoder(node: node.element, depth: depth + 1).value(values)
            }
        }
        if let scalar = type as? any ParameterScalar.Type {
            node.kind = .scalar
            guard let value = dummy(scalar, text) as? Value else { throw Stop() }
            return value
        }
        do {
            return try Value(from: ProbingDecoder(node: node, depth: depth + 1, defaults: defaults, text: text))
        } catch {
            if text != nil, node.kind == .scalar { node.refusesDefault = true }
            guard let cases = type as? any CaseIterable.Type, let first = first(of: cases) as? Value else {
                throw error
            }
            return first
        }
    }

    private func dummy<Scalar: ParameterScalar>(_ type: Scalar.Type, _ text: String?) -> Scalar? {
        if let text {
            let value = Scalar(parameterText: text, .rfc3339) ?? Scalar(parameterText: text, .secondsSince1970)
            node.refusesDefault = value == nil
            if let value { return value }
        }
        return ["0", "true", "00000000-0000-0000-0000-000000000000", "2001-01-01T00:00:00Z"].lazy
            .compactMap { Scalar(parameterText: $0, .rfc3339) }.first
    }

    private func first<Cases: CaseIterable>(of type: Cases.Type) -> Any? {
        type.allCases.first
    }
}
