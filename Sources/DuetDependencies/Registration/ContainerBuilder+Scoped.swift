extension ContainerBuilder {
    /// Registers a type that makes itself, once in each scope.
    ///
    /// Each dispatch has a scope of its own, also within a scope that was made by hand: what is scoped is made once for
    /// the dispatch, and another time for what is resolved in the outer scope itself.
    ///
    /// - Parameters:
    ///   - type: A `@Resolvable` type.
    ///   - name: A name to tell it from other registrations of the type.
    public func scoped<T: Resolvable & Sendable>(
        _ type: T.Type,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line
    ) {
        let location = SourceLocation(fileID: fileID, line: line)
        add(Registration(scoped: ResolvableMaker<T>(), DependencyKey(type, name), location))
    }

    /// Registers a type that makes itself as what it is used as, once in each scope.
    ///
    /// - Parameters:
    ///   - contract: What is asked for, mostly a protocol: `(any Repository).self`.
    ///   - type: A `@Resolvable` type.
    ///   - name: A name to tell it from other registrations of the contract.
    ///   - convert: Hands what was made out as the contract: `{ $0 }`.
    public func scoped<Contract: Sendable, T: Resolvable>(
        _ contract: Contract.Type,
        as type: T.Type,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line,
        _ convert: @escaping @Sendable (T) -> Contract
    ) {
        add(
            Registration(
                scoped: ConvertingMaker(convert: convert),
                DependencyKey(contract, name),
                SourceLocation(fileID: fileID, line: line),
                implementation: "\(type)"
            )
        )
    }

    /// Registers a factory whose parameters are its dependencies, once in each scope.
    ///
    /// - Parameters:
    ///   - contract: What is asked for, where that is another type than what the factory makes.
    ///   - name: A name to tell it from other registrations of the type.
    ///   - factory: Makes the value; may be `async`, `throws` or `@MainActor`.
    public func scoped<T: Sendable, each D>(
        _ contract: T.Type = T.self,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line,
        _ factory: @escaping @Sendable @concurrent (repeat each D) async throws -> T
    ) {
        let location = SourceLocation(fileID: fileID, line: line)
        add(Registration(scoped: FactoryMaker(factory), DependencyKey(contract, name), location))
    }

    /// Registers a factory that resolves what it needs itself, once in each scope.
    ///
    /// What it needs cannot be checked before it runs; the graph marks it as opaque.
    ///
    /// - Parameters:
    ///   - contract: What is asked for, where that is another type than what the factory makes.
    ///   - name: A name to tell it from other registrations of the type.
    ///   - factory: Makes the value from what it resolves in the scope.
    public func scoped<T: Sendable>(
        _ contract: T.Type = T.self,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line,
        _ factory: @escaping @Sendable @concurrent (_ scope: Scope) async throws -> T
    ) {
        let location = SourceLocation(fileID: fileID, line: line)
        add(Registration(scoped: FactoryMaker(opaque: factory), DependencyKey(contract, name), location))
    }
}
