import Duet

/// Resolves the checked registrations of a ``ContainerBuilder``.
///
/// ```swift
/// let dispatcher = try await container.dispatcher
/// try await dispatcher.dispatch(AddNote(text: "Milk"))
/// let notes = try await dispatcher.dispatch(ListNotes())
/// ```
///
/// A container is itself the outermost scope: singletons live as long as it does. Scoped values are resolved in a scope
/// within it.
public struct Container: Sendable {
    let core: ContainerCore
    private let scope: Scope

    init(_ core: ContainerCore) {
        self.core = core
        scope = Scope(of: core)
    }

    /// Returns a value of a type, creating it if necessary.
    ///
    /// - Throws: ``ResolutionError`` with the path to the type that could not be created; `CancellationError`.
    @inline(__always)
    public func resolve<T>(_ type: T.Type = T.self) async throws -> T {
        try await scope.resolve(type)
    }

    /// Returns a value that was registered under a name, creating it if necessary.
    ///
    /// - Throws: ``ResolutionError`` with the path to the type that could not be created; `CancellationError`.
    public func resolve<T>(_ type: T.Type = T.self, named name: DependencyName) async throws -> T {
        try await scope.resolve(type, named: name)
    }

    /// The scope that is the container itself.
    package var outermostScope: Scope { scope }

    /// Makes a scope for a request, a screen, or a service.
    ///
    /// End the scope with ``Scope/dispose()``.
    public func makeScope() -> Scope {
        scope.makeScope()
    }

    /// Makes a scope in which some registrations are overridden.
    ///
    /// End the scope with ``Scope/dispose()``.
    ///
    /// - Throws: ``ResolutionError`` if an overridden type is not registered.
    public func makeScope(overriding overrides: Override...) throws -> Scope {
        try scope.makeScope(overriding: overrides)
    }

    /// Makes a scope in which some registrations are overridden.
    ///
    /// End the scope with ``Scope/dispose()``.
    ///
    /// - Throws: ``ResolutionError`` if an overridden type is not registered.
    public func makeScope(overriding overrides: [Override]) throws -> Scope {
        try scope.makeScope(overriding: overrides)
    }

    /// Runs `body` with a new scope, and ends the scope however `body` ends.
    ///
    /// - Throws: The error of `body`, or ``ResolutionError`` if an overridden type is not registered.
    public func withScope<R>(overriding overrides: Override..., body: (Scope) async throws -> R) async throws -> R {
        try await scope.withScope(overriding: overrides, body: body)
    }

    /// Runs `body` with a new scope, and ends the scope however `body` ends.
    ///
    /// - Throws: The error of `body`, or ``ResolutionError`` if an overridden type is not registered.
    package func withScope<R>(overriding overrides: [Override], body: (Scope) async throws -> R) async throws -> R {
        try await scope.withScope(overriding: overrides, body: body)
    }

    /// Returns a new container with the same registrations, except for overrides; it shares no values with this one.
    ///
    /// - Throws: ``InvalidContainer`` if an overridden type, or a dependency of an override, is not registered.
    public func overriding(_ overrides: Override...) throws -> Container {
        try overriding(overrides)
    }

    /// Passes this container to `body`, and disposes of the container however `body` ends.
    ///
    /// - Throws: The error of `body`.
    package func ending<R>(after body: (Container) async throws -> R) async throws -> R {
        try await scope.ending { _ in try await body(self) }
    }

    /// Disposes of the ``Disposable`` singletons, in reverse order of creation.
    ///
    /// Calling this method again does nothing. Afterward, nothing can be resolved from the container or its scopes. The
    /// scopes still own the values created in them, so end the scopes first.
    public func dispose() async {
        await scope.dispose()
    }

    /// Returns a new container with the same registrations, except for overrides; it shares no values with this one.
    ///
    /// - Throws: ``InvalidContainer`` if an overridden type, or a dependency of an override, is not registered.
    public func overriding(_ overrides: [Override]) throws -> Container {
        var draft = core.blueprint.draft
        draft.replacements += overrides.map { $0.singleton() }
        return Container(ContainerCore(try Blueprint(draft)))
    }
}

/// The immutable state that a container shares with its scopes.
final class ContainerCore: Sendable {
    let blueprint: Blueprint
    let registrations: [DependencyKey: Registration]
    /// The providers of registrations without a name, by type.
    let providers: TypeTable
    /// The `MessageRoute` of each message.
    let routes: TypeTable
    let storage = ScopeStorage()
    private let namedProviders: [DependencyKey: any AnyObject & Sendable]
    private let keysByType: [ObjectIdentifier: [DependencyKey]]
    private let names: [DependencyKey: String]

    init(_ blueprint: Blueprint) {
        self.blueprint = blueprint
        let registrations = blueprint.registrations
        let names = blueprint.links.names
        let needsScope = blueprint.links.scopeNeeds()
        let unknownNeeds = blueprint.links.unknownNeeds()
        self.registrations = Dictionary(uniqueKeysWithValues: registrations.map { ($0.key, $0) })
        self.names = Dictionary(uniqueKeysWithValues: zip(registrations.map(\.key), names))
        keysByType = Dictionary(grouping: registrations.map(\.key)) { ObjectIdentifier($0.type) }

        var providers: [DependencyKey: any AnyObject & Sendable] = [:]
        var scopeNeeds: [DependencyKey: Bool] = [:]
        for (index, registration) in registrations.enumerated() {
            providers[registration.key] = registration.makeProvider(names[index], unknownNeeds[index])
            scopeNeeds[registration.key] = needsScope[index]
        }
        self.providers = TypeTable(
            providers.filter { $0.key.name == nil }.map { (ObjectIdentifier($0.key.type), $0.value) }
        )
        namedProviders = providers.filter { $0.key.name != nil }

        routes = TypeTable(
            blueprint.handlers.compactMap { draft in
                providers[draft.handler].map { provider in
                    (draft.message, draft.makeRoute(provider, scopeNeeds[draft.handler] ?? true))
                }
            }
        )
    }

    /// Returns the provider of a key, or nil if the key is not registered.
    func provider(for key: DependencyKey) -> (any AnyObject & Sendable)? {
        guard key.name == nil else { return namedProviders[key] }
        return providers[ObjectIdentifier(key.type)]
    }

    /// Returns the registered keys of a type, under any name, in the order of registration.
    func keys(of type: any Any.Type) -> [DependencyKey] {
        keysByType[ObjectIdentifier(type)] ?? []
    }

    /// Returns the name of a key in errors.
    func name(of key: DependencyKey) -> String {
        names[key] ?? key.shortName
    }
}
