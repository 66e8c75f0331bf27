extension ContainerBuilder {
    /// Registers a type whose value is created once per container: `builder.singleton { Notebook() }`.
    public var singleton: SharedRegistrar { SharedRegistrar(lifetime: .singleton, builder: self) }

    /// Registers a type whose value is created once per scope: `builder.scoped { Transaction() }`.
    ///
    /// Each dispatch has its own scope, even within a scope that your code makes. A scoped value is therefore created
    /// once for the dispatch, and again when it is resolved in the outer scope itself.
    public var scoped: SharedRegistrar { SharedRegistrar(lifetime: .scoped, builder: self) }

    /// Registers a type whose value is created each time it is resolved: `builder.transient { Report() }`.
    public var transient: TransientRegistrar { TransientRegistrar(builder: self) }

    /// Registers types whose values are shared, and are therefore `Sendable`.
    ///
    /// Call it in one of its forms: `builder.singleton(…)` or `builder.scoped(…)`. Each form accepts a name that
    /// distinguishes this registration from others of the type. Errors name the file and the line of the registration.
    public struct SharedRegistrar {
        let lifetime: Lifetime
        let builder: ContainerBuilder

        /// Registers a `Resolvable` type.
        public func callAsFunction<T: Resolvable & Sendable>(
            _ type: T.Type,
            named name: DependencyName? = nil,
            fileID: String = #fileID,
            line: Int = #line
        ) {
            add(ResolvableMaker<T>(), named: name, fileID, line)
        }

        /// Registers a `Resolvable` type as an implementation of another type.
        ///
        /// The closure converts the implementation to the type to resolve:
        /// `builder.singleton((any Repository).self, as: SQLRepository.self) { $0 }`.
        public func callAsFunction<Contract: Sendable, T: Resolvable>(
            _ contract: Contract.Type,
            as type: T.Type,
            named name: DependencyName? = nil,
            fileID: String = #fileID,
            line: Int = #line,
            _ convert: @escaping @Sendable (T) -> Contract
        ) {
            add(ConvertingMaker(convert: convert), named: name, fileID, line)
        }

        /// Registers a factory whose parameters are its dependencies.
        ///
        /// The factory may be `async`, `throws` or `@MainActor`. Write the type to resolve if it differs from the type
        /// that the factory returns: `builder.singleton((any Api).self) { LiveApi() }`.
        public func callAsFunction<T: Sendable, each D>(
            _ contract: T.Type = T.self,
            named name: DependencyName? = nil,
            fileID: String = #fileID,
            line: Int = #line,
            _ factory: @escaping @Sendable @concurrent (repeat each D) async throws -> T
        ) {
            add(FactoryMaker(factory), named: name, fileID, line)
        }

        /// Registers a factory that resolves its dependencies itself: `builder.scoped { scope in … }`.
        ///
        /// Its dependencies are unknown until it runs, so they are not checked. The graph marks the registration as
        /// opaque.
        public func callAsFunction<T: Sendable>(
            _ contract: T.Type = T.self,
            named name: DependencyName? = nil,
            fileID: String = #fileID,
            line: Int = #line,
            _ factory: @escaping @Sendable @concurrent (_ scope: Scope) async throws -> T
        ) {
            add(FactoryMaker(opaque: factory), named: name, fileID, line)
        }

        private func add<M: Maker>(_ maker: M, named name: DependencyName?, _ fileID: String, _ line: Int)
        where M.Value: Sendable {
            let location = SourceLocation(fileID: fileID, line: line)
            builder.add(Registration(shared: maker, lifetime, named: name, location))
        }
    }

    /// Registers types whose values are created each time they are resolved, and need not be `Sendable`.
    ///
    /// `builder.transient(…)` has the same forms as ``SharedRegistrar``.
    public struct TransientRegistrar {
        let builder: ContainerBuilder

        /// Registers a `Resolvable` type.
        public func callAsFunction<T: Resolvable>(
            _ type: T.Type,
            named name: DependencyName? = nil,
            fileID: String = #fileID,
            line: Int = #line
        ) {
            add(ResolvableMaker<T>(), named: name, fileID, line)
        }

        /// Registers a `Resolvable` type as an implementation of another type.
        public func callAsFunction<Contract, T: Resolvable>(
            _ contract: Contract.Type,
            as type: T.Type,
            named name: DependencyName? = nil,
            fileID: String = #fileID,
            line: Int = #line,
            _ convert: @escaping @Sendable (T) -> Contract
        ) {
            add(ConvertingMaker(convert: convert), named: name, fileID, line)
        }

        /// Registers a factory whose parameters are its dependencies.
        public func callAsFunction<T, each D>(
            _ contract: T.Type = T.self,
            named name: DependencyName? = nil,
            fileID: String = #fileID,
            line: Int = #line,
            _ factory: @escaping @Sendable @concurrent (repeat each D) async throws -> T
        ) {
            add(FactoryMaker(factory), named: name, fileID, line)
        }

        /// Registers a factory that resolves its dependencies itself: `builder.transient { scope in … }`.
        public func callAsFunction<T>(
            _ contract: T.Type = T.self,
            named name: DependencyName? = nil,
            fileID: String = #fileID,
            line: Int = #line,
            _ factory: @escaping @Sendable @concurrent (_ scope: Scope) async throws -> T
        ) {
            add(FactoryMaker(opaque: factory), named: name, fileID, line)
        }

        private func add(_ maker: some Maker, named name: DependencyName?, _ fileID: String, _ line: Int) {
            builder.add(Registration(transient: maker, named: name, SourceLocation(fileID: fileID, line: line)))
        }
    }
}
