extension KeyNames {
    /// Reads a value that stands below a name, and says where it is when it is at fault.
    func read<Value: Decodable>(
        _ path: @autoclosure () -> [any CodingKey],
        _ plain: (Value.Type) throws -> Value,
        _ located: (Located<Value>.Type) throws -> Located<Value>,
        _ snakeCased: (SnakeCased<Value>.Type) throws -> SnakeCased<Value>
    ) throws -> Value {
        if !isDeep || Value.self is any ParameterScalar.Type {
            return try NamingDecoder.locating(path()) { try plain(Value.self) }
        }
        return keys == .asWritten
            ? try located(Located<Value>.self).value : try snakeCased(SnakeCased<Value>.self).value
    }
}
