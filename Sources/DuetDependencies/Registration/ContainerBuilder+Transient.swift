extension ContainerBuilder {
    /// Registers a `Resolvable` type, created each time.
    ///
    /// - Parameters:
    ///   - type: A `Resolvable` type.
    ///   - name: A name that distinguishes this registration from others of the type.
    ///   - fileID: The file of the registration, which errors name.
    ///   - line: The line of the registration, which errors name.
    public func transient<T: Resolvable>(
        _ type: T.Type,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line
    ) {
        let location = SourceLocation(fileID: fileID, line: line)
        add(Registration(transient: ResolvableMaker<T>(), DependencyKey(type, name), location))
    }

    /// Registers a `Resolvable` type as an implementation of another type, created each time.
    ///
    /// - Parameters:
    ///   - contract: The type to resolve, usually a protocol: `(any Repository).self`.
    ///   - type: A `Resolvable` type.
    ///   - name: A name that distinguishes this registration from others of the contract.
    ///   - fileID: The file of the registration, which errors name.
    ///   - line: The line of the registration, which errors name.
    ///   - convert: Converts the implementation to the contract: `{ $0 }`.
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

    /// Registers a factory whose parameters are its dependencies, called each time.
    ///
    /// - Parameters:
    ///   - contract: The type to resolve, if it differs from the type that the factory returns.
    ///   - name: A name that distinguishes this registration from others of the type.
    ///   - fileID: The file of the registration, which errors name.
    ///   - line: The line of the registration, which errors name.
    ///   - factory: Creates the value; may be `async`, `throws` or `@MainActor`.
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

    /// Registers a factory that resolves its dependencies itself, called each time.
    ///
    /// Its dependencies are unknown until it runs, so they are not checked. The graph marks the registration as opaque.
    ///
    /// - Parameters:
    ///   - contract: The type to resolve, if it differs from the type that the factory returns.
    ///   - name: A name that distinguishes this registration from others of the type.
    ///   - fileID: The file of the registration, which errors name.
    ///   - line: The line of the registration, which errors name.
    ///   - factory: Creates the value from dependencies that it resolves in the scope.
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
