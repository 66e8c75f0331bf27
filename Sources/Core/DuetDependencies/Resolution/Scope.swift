public import Duet

/// A place to resolve dependencies, and the lifetime of scoped values.
///
/// The outermost scope is the ``Container``. Each dispatch has its own scope. For a request, a screen, or a service,
/// make one:
///
/// ```swift
/// try await container.withScope(overriding: Override { User(name: "Ada") }) { scope in
///     let screen = try await scope.resolve(NotesScreen.self)
///     try await screen.dispatcher.dispatch(AddNote(text: "Bread"))
///     try await screen.load()
///     print(screen.notes)
/// }
/// ```
///
/// Several tasks can use a scope at a time, and its cost does not depend on the number of registrations. A value
/// created in a scope may keep the scope, or a dispatcher resolved in it, until the scope ends. See the pitfalls in
/// <doc:Containers>.
public final class Scope: Sendable {
    enum Role {
        case container
        case singletons
        /// A scope made by the user of the container.
        case own
        case dispatch
    }

    let container: ContainerCore
    /// The providers of the container, stored here to save an indirection.
    private let providers: TypeTable
    let role: Role
    let storage: ScopeStorage
    private let overrides: [DependencyKey: any AnyObject & Sendable]
    /// The nearest enclosing scope with overrides.
    private let overridden: Scope?
    /// The types that are overridden here or in an enclosing scope; so few that a linear search is fast.
    private let overriddenTypes: [ObjectIdentifier]
    private let hasOverrides: Bool
    /// Whether an override may depend on its dependents, which `build()` has not checked.
    let mayFormCycle: Bool
    /// The scope for dispatchers that are resolved here: this scope, or the one around a dispatch's scope.
    var home: Scope { dispatchedIn ?? self }
    private let dispatchedIn: Scope?

    /// Whether this scope or the container has ended, so that nothing can be created here.
    @inline(__always)
    var hasEnded: Bool { storage.hasEnded || container.storage.hasEnded }

    /// Returns whether a value of this type may be overridden here or in an enclosing scope.
    @inline(__always)
    func overrides(_ type: ObjectIdentifier) -> Bool { hasOverrides && overriddenTypes.contains(type) }

    init(of container: ContainerCore, as role: Role = .container) {
        self.container = container
        providers = container.providers
        self.role = role
        storage = container.storage
        overrides = [:]
        overridden = nil
        overriddenTypes = []
        dispatchedIn = nil
        hasOverrides = false
        mayFormCycle = false
    }

    init(
        in parent: Scope,
        as role: Role = .own,
        overrides: [DependencyKey: any AnyObject & Sendable] = [:],
        mayFormCycle: Bool = false
    ) {
        container = parent.container
        providers = parent.providers
        self.role = role
        storage = ScopeStorage(within: parent.storage)
        self.overrides = overrides
        dispatchedIn = role == .dispatch ? parent : nil
        overridden = parent.overrides.isEmpty ? parent.overridden : parent
        overriddenTypes =
            overrides.isEmpty
            ? parent.overriddenTypes : parent.overriddenTypes + overrides.keys.map { ObjectIdentifier($0.type) }
        hasOverrides = parent.hasOverrides || !overrides.isEmpty
        self.mayFormCycle = parent.mayFormCycle || mayFormCycle
    }
}

extension Scope {
    /// Returns a value of a type, creating it if necessary.
    ///
    /// An optional is nil if nothing is registered for the type that it wraps. An array contains one value for each
    /// registration of its element's type.
    ///
    /// - Throws: ``ResolutionError`` with the path to the type that could not be created; `CancellationError`.
    @inlinable
    public func resolve<T>(_ type: T.Type = T.self) async throws -> T {
        // Inlined, so that an existing singleton costs no asynchronous call.
        if let value = ready(type) { return value }
        return try await made(type)
    }

    /// Returns a value that was registered under a name, creating it if necessary.
    ///
    /// - Throws: As ``resolve(_:)``.
    public func resolve<T>(_ type: T.Type = T.self, named name: DependencyName) async throws -> T {
        try await value(named: name)
    }

    /// The dispatcher of the listed handlers, whose handlers see the overrides of this scope.
    ///
    /// - Throws: ``ResolutionError`` if no handlers were listed and no dispatcher was registered.
    public var dispatcher: any Dispatcher {
        get async throws { try await resolve() }
    }
}

extension Scope {
    /// Makes a scope within this one.
    ///
    /// End the scope with ``dispose()``.
    public func makeScope() -> Scope { Scope(in: self) }

    /// Makes a scope within this one in which some registrations are overridden.
    ///
    /// End the scope with ``dispose()``.
    ///
    /// An override applies to everything that is created in the scope and in scopes within it. Singletons are created
    /// from the container's registrations and ignore overrides.
    ///
    /// - Throws: ``ResolutionError`` if an overridden type is not registered.
    public func makeScope(overriding overrides: Override...) throws -> Scope {
        try makeScope(overriding: overrides)
    }

    /// As ``Scope/makeScope(overriding:)-(Override...)``, for overrides in an array.
    public func makeScope(overriding overrides: [Override]) throws -> Scope {
        var providers: [DependencyKey: any AnyObject & Sendable] = [:]
        for registration in overrides.map(\.registration) {
            let key = registration.key
            guard container.provider(for: key) != nil else { throw ResolutionError(.notRegistered, key) }
            providers[key] = registration.makeProvider(registration.lifetime, container.name(of: key), true)
        }
        // An override without dependencies cannot lead back to its dependents.
        let mayFormCycle = overrides.contains { !$0.registration.dependencies.isEmpty }
        return Scope(in: self, overrides: providers, mayFormCycle: mayFormCycle)
    }

    /// Runs `body` with a scope within this one, and ends the scope however `body` ends.
    ///
    /// - Throws: The error of `body`, that of a ``Committable`` value, or ``ResolutionError`` if an overridden type is
    ///   not registered.
    public func withScope<R>(overriding overrides: Override..., body: (Scope) async throws -> R) async throws -> R {
        try await makeScope(overriding: overrides).ending(after: body)
    }

    /// Passes this scope to `body`, and ends the scope however `body` ends.
    ///
    /// - Throws: The error of `body`, or that of a ``Committable`` value.
    package func ending<R>(after body: (Scope) async throws -> R) async throws -> R {
        do {
            let result = try await body(self)
            try await complete()
            return result
        } catch {
            await dispose()
            throw error
        }
    }

    /// Ends this scope after work that succeeded: commits its values, and disposes of them.
    @inline(__always)
    func complete() async throws {
        let disposables = storage.close()
        if !disposables.isEmpty { try await ScopeStorage.complete(disposables) }
    }

    /// Ends this scope and disposes of its values, in reverse order of creation, without committing them.
    ///
    /// Calling this method again does nothing. Afterward, nothing can be resolved here. Scopes within this one remain
    /// usable, unless this is a container, which disposes of its singletons. End the scopes of a container first: they
    /// still own the values created in them.
    public func dispose() async {
        let disposables = storage.close()
        if !disposables.isEmpty { await ScopeStorage.dispose(disposables) }
    }
}

extension Scope {
    /// Returns a shared value if it already exists.
    @usableFromInline
    func ready<T>(_ type: T.Type) -> T? {
        if DataUse.areUsed { noteClock(type) }
        let key = ObjectIdentifier(type)
        guard !overrides(key), !hasEnded, let provider = unsafe providers.unretained(key) else { return nil }
        // The table stores a provider under the type of its value, so the provider found here is a `Provider<T>`.
        return unsafe provider._withUnsafeGuaranteedRef {
            unsafe unsafeDowncast($0, to: Provider<T>.self).source.ready(in: self)
        }
    }

    @usableFromInline
    func made<T>(_ type: T.Type) async throws -> T {
        if !hasEnded, !overrides(ObjectIdentifier(type)), let provider = container.providers[type] {
            // As in `ready(_:)`.
            return try await unsafe unsafeDowncast(provider, to: Provider<T>.self).value(in: self)
        }
        return try await value(named: nil)
    }

    /// Notes for the load of a cached value that its handler may ask for the time.
    private func noteClock<T>(_ type: T.Type) {
        if type is any Clock.Type || type == (any Clock<Duration>).self { DataUse.noteDoor("the clock \(type)") }
    }

    /// Returns the value of a type and name from an override, a registration, or a wrapping type.
    func value<T>(named name: DependencyName?) async throws -> T {
        let key = DependencyKey(T.self, name)
        guard !hasEnded else { throw ResolutionError(.scopeEnded, key) }
        var scope: Scope? = self
        while let current = scope {
            if let provider = current.overrides[key] {
                DataUse.noteDoor("the override of \(key)")
                // An override stores its provider under the type of its value.
                return try await unsafe unsafeDowncast(provider, to: Provider<T>.self).value(in: current)
            }
            scope = current.overridden
        }
        if let provider = container.provider(for: key) {
            return try await unsafe unsafeDowncast(provider, to: Provider<T>.self).value(in: self)
        }
        // Only for `Scope` itself, not for other types that a scope can be cast to, such as `Any`.
        if key == DependencyKey(Scope.self), let scope = self as? T { return scope }
        if let type = T.self as? any WrappingDependency.Type,
            let value = try await type.resolve(in: self, named: name) as? T
        {
            return value
        }
        throw ResolutionError(.notRegistered, key)
    }

    func canResolve(_ key: DependencyKey) -> Bool {
        if container.provider(for: key) != nil || key == DependencyKey(Scope.self) { return true }
        guard let wrapping = key.type as? any WrappingDependency.Type else { return false }
        return wrapping.wrapping != .collection || key.name == nil
    }
}
