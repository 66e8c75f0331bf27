/// Makes what was registered with a ``ContainerBuilder``, checked and from then on unchangeable.
///
/// It is a scope itself, the outermost: singletons live as long as it does. What is scoped is resolved in a scope within it.
public struct Container: Sendable {
    let core: ContainerCore
    private let scope: Scope

    init(_ core: ContainerCore) {
        self.core = core
        scope = Scope(of: core)
    }

    /// Makes, or finds, a value of a type.
    ///
    /// - Throws: ``ResolutionError`` with the way to what could not be made; `CancellationError`.
    @inline(__always)
    public func resolve<T>(_ type: T.Type = T.self) async throws -> T {
        try await scope.resolve(type)
    }

    /// Makes, or finds, a value that was registered under a name.
    ///
    /// - Throws: ``ResolutionError`` with the way to what could not be made; `CancellationError`.
    public func resolve<T>(_ type: T.Type = T.self, named name: DependencyName) async throws -> T {
        try await scope.resolve(type, named: name)
    }

    /// The same as ``resolve(_:)``, but nil when nothing is registered for the type and name.
    ///
    /// - Throws: ``ResolutionError`` when it is registered and could not be made; `CancellationError`.
    public func tryResolve<T>(_ type: T.Type = T.self, named name: DependencyName? = nil) async throws -> T? {
        try await scope.tryResolve(type, named: name)
    }

    /// A scope for what lives for a while, a request, a screen, a service; it is to be ended with ``Scope/dispose()``.
    public func makeScope() -> Scope {
        scope.makeScope()
    }

    /// A scope in which some registrations are overridden; it is to be ended with ``Scope/dispose()``.
    ///
    /// - Throws: ``ResolutionError`` when there is nothing to override.
    public func makeScope(overriding overrides: Override...) throws -> Scope {
        try scope.makeScope(overriding: overrides)
    }

    /// A scope in which some registrations are overridden; it is to be ended with ``Scope/dispose()``.
    ///
    /// - Throws: ``ResolutionError`` when there is nothing to override.
    public func makeScope(overriding overrides: [Override]) throws -> Scope {
        try scope.makeScope(overriding: overrides)
    }

    /// Runs `body` with a scope, and ends the scope however `body` ends.
    ///
    /// - Throws: What `body` throws; ``ResolutionError`` when there is nothing to override.
    public func withScope<R>(overriding overrides: Override..., body: (Scope) async throws -> R) async throws -> R {
        try await scope.withScope(overriding: overrides, body: body)
    }

    /// Runs `body` with a scope, and ends the scope however `body` ends.
    ///
    /// - Throws: What `body` throws; ``ResolutionError`` when there is nothing to override.
    package func withScope<R>(overriding overrides: [Override], body: (Scope) async throws -> R) async throws -> R {
        try await scope.withScope(overriding: overrides, body: body)
    }

    /// A new container of the same registrations, some of them overridden, which shares nothing with this one.
    ///
    /// - Throws: ``InvalidContainer`` when there is nothing to override, or an override needs what is not registered.
    public func overriding(_ overrides: Override...) throws -> Container {
        try overriding(overrides)
    }

    /// Hands this container to `body`, and disposes of it however `body` ends.
    ///
    /// - Throws: What `body` throws.
    package func ending<R>(after body: (Container) async throws -> R) async throws -> R {
        try await scope.ending { _ in try await body(self) }
    }

    /// Disposes of the singletons that are ``Disposable``, the last made first.
    ///
    /// Calling it again does nothing. Nothing can be resolved from the container or in its scopes any more. What its scopes
    /// made is left to them, so end them first.
    public func dispose() async {
        await scope.dispose()
    }

    /// A new container of the same registrations, some of them overridden, which shares nothing with this one.
    ///
    /// - Throws: ``InvalidContainer`` when there is nothing to override, or an override needs what is not registered.
    public func overriding(_ overrides: [Override]) throws -> Container {
        var draft = core.blueprint.draft
        draft.replacements += overrides.map { $0.singleton() }
        return Container(ContainerCore(try Blueprint(draft)))
    }
}
