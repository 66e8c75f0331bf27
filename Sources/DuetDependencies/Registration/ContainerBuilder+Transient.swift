extension ContainerBuilder {
    /// Registers a type that makes itself, anew each time.
    ///
    /// - Parameters:
    ///   - type: A `@Resolvable` type.
    ///   - name: A name to tell it from other registrations of the type.
    public func transient<T: Resolvable>(
        _ type: T.Type,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line
    ) {
        let location = SourceLocation(fileID: fileID, line: line)
        add(Registration(transient: ResolvableMaker<T>(), DependencyKey(type, name), location))
    }

    /// Registers a type that makes itself as what it is used as, anew each time.
    ///
    /// - Parameters:
    ///   - contract: What is asked for, mostly a protocol: `(any Repository).self`.
    ///   - type: A `@Resolvable` type.
    ///   - name: A name to tell it from other registrations of the contract.
    ///   - convert: Hands what was made out as the contract: `{ $0 }`.
    public func transient<Contract, T: Resolvable>(
        _ contract: Contract.Type,
        as type: T.Type,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line,
        _ convert: @escaping @Sendable (T) -> Contract
    ) {
        add(
            Registration(
                transient: ConvertingMaker(convert: convert),
                DependencyKey(contract, name),
                SourceLocation(fileID: fileID, line: line),
                implementation: "\(type)"
            )
        )
    }

    /// Registers a factory whose parameters are its dependencies, anew each time.
    ///
    /// - Parameters:
    ///   - contract: What is asked for, where that is another type than what the factory makes.
    ///   - name: A name to tell it from other registrations of the type.
    ///   - factory: Makes the value; may be `async`, `throws` or `@MainActor`.
    public func transient<T, each D>(
        _ contract: T.Type = T.self,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line,
        _ factory: @escaping @Sendable @concurrent (repeat each D) async throws -> T
    ) {
        let location = SourceLocation(fileID: fileID, line: line)
        add(Registration(transient: FactoryMaker(factory), DependencyKey(contract, name), location))
    }

    /// Registers a factory that resolves what it needs itself, anew each time.
    ///
    /// What it needs cannot be checked before it runs; the graph marks it as opaque.
    ///
    /// - Parameters:
    ///   - contract: What is asked for, where that is another type than what the factory makes.
    ///   - name: A name to tell it from other registrations of the type.
    ///   - factory: Makes the value from what it resolves in the scope.
    public func transient<T>(
        _ contract: T.Type = T.self,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line,
        _ factory: @escaping @Sendable @concurrent (_ scope: Scope) async throws -> T
    ) {
        let location = SourceLocation(fileID: fileID, line: line)
        add(Registration(transient: FactoryMaker(opaque: factory), DependencyKey(contract, name), location))
    }
}
