extension ContainerBuilder {
    /// Registers a `Resolvable` type, created once per container.
    ///
    /// - Parameters:
    ///   - type: A `Resolvable` type.
    ///   - name: A name that distinguishes this registration from others of the type.
    ///   - fileID: The file of the registration, which errors name.
    ///   - line: The line of the registration, which errors name.
    public func singleton<T: Resolvable & Sendable>(
        _ type: T.Type,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line
    ) {
        let location = SourceLocation(fileID: fileID, line: line)
        add(Registration(singleton: ResolvableMaker<T>(), DependencyKey(type, name), location))
    }

    /// Registers a `Resolvable` type as an implementation of another type, created once per container.
    ///
    /// - Parameters:
    ///   - contract: The type to resolve, usually a protocol: `(any Repository).self`.
    ///   - type: A `Resolvable` type.
    ///   - name: A name that distinguishes this registration from others of the contract.
    ///   - fileID: The file of the registration, which errors name.
    ///   - line: The line of the registration, which errors name.
    ///   - convert: Converts the implementation to the contract: `{ $0 }`.
    public func singleton<Contract: Sendable, T: Resolvable>(
        _ contract: Contract.Type,
        as type: T.Type,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line,
        _ convert: @escaping @Sendable (T) -> Contract
    ) {
        add(
            Registration(
                singleton: ConvertingMaker(convert: convert),
                DependencyKey(contract, name),
                SourceLocation(fileID: fileID, line: line),
                implementation: "\(type)"
            )
        )
    }

    /// Registers a factory whose parameters are its dependencies, called once per container.
    ///
    /// - Parameters:
    ///   - contract: The type to resolve, if it differs from the type that the factory returns.
    ///   - name: A name that distinguishes this registration from others of the type.
    ///   - fileID: The file of the registration, which errors name.
    ///   - line: The line of the registration, which errors name.
    ///   - factory: Creates the value; may be `async`, `throws` or `@MainActor`.
    public func singleton<T: Sendable, each D>(
        _ contract: T.Type = T.self,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line,
        _ factory: @escaping @Sendable @concurrent (repeat each D) async throws -> T
    ) {
        let location = SourceLocation(fileID: fileID, line: line)
        add(Registration(singleton: FactoryMaker(factory), DependencyKey(contract, name), location))
    }

    /// Registers a factory that resolves its dependencies itself, called once per container.
    ///
    /// Its dependencies are unknown until it runs, so they are not checked. The graph marks the registration as opaque.
    ///
    /// - Parameters:
    ///   - contract: The type to resolve, if it differs from the type that the factory returns.
    ///   - name: A name that distinguishes this registration from others of the type.
    ///   - fileID: The file of the registration, which errors name.
    ///   - line: The line of the registration, which errors name.
    ///   - factory: Creates the value from dependencies that it resolves in the scope.
    public func singleton<T: Sendable>(
        _ contract: T.Type = T.self,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line,
        _ factory: @escaping @Sendable @concurrent (_ scope: Scope) async throws -> T
    ) {
        let location = SourceLocation(fileID: fileID, line: line)
        add(Registration(singleton: FactoryMaker(opaque: factory), DependencyKey(contract, name), location))
    }
}
