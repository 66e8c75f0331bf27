import Duet

/// Where dependencies are resolved, and how long what is scoped lives.
///
/// A dispatch has a scope of its own. For a request, a screen or a service one is made by hand:
///
/// ```swift
/// try await container.withScope { scope in
///     let page: FeedPage = try await scope.resolve()
///     try await page.show()
/// }
/// ```
///
/// A scope can be used by several tasks at a time, and costs the same however many registrations there are. What is made
/// in it may keep it, or a dispatcher that was resolved in it, until it ends; a singleton must not keep the scope that its
/// factory was given, or container and singleton keep each other for ever.
public final class Scope: Sendable {
    enum Role {
        /// The container's own.
        case container
        /// What singletons are made from.
        case singletons
        /// Made by hand.
        case own
        /// Made for one dispatch.
        case dispatch
    }

    let container: ContainerCore
    /// The container's, without the way to them over the container.
    private let providers: TypeTable
    let role: Role
    let storage: ScopeStorage
    private let overrides: [DependencyKey: any AnyObject & Sendable]
    /// The nearest scope further out that has overrides.
    private let overridden: Scope?
    /// The types of what is overridden here and further out; few, so that a look through them is short.
    private let overriddenTypes: [ObjectIdentifier]
    private let hasOverrides: Bool
    /// Whether an override may need what needs it, which `build()` has not seen.
    let mayCloseRing: Bool
    /// What a dispatcher that is resolved here dispatches in: this scope, or what a dispatch's scope was made in.
    var home: Scope { dispatchedIn ?? self }
    private let dispatchedIn: Scope?

    /// Whether nothing can be made here any more, because this scope or the container has ended.
    @inline(__always)
    var hasEnded: Bool { storage.hasEnded || container.storage.hasEnded }

    /// Whether a value of this type may be overridden here or further out.
    @inline(__always)
    func overrides(_ type: ObjectIdentifier) -> Bool { hasOverrides && overriddenTypes.contains(type) }

    /// The container's own, unless another role is given.
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
        mayCloseRing = false
    }

    convenience init(makingSingletonsOf container: ContainerCore) {
        self.init(of: container, as: .singletons)
    }

    /// The scope of one dispatch.
    init(dispatchIn parent: Scope) {
        container = parent.container
        providers = parent.providers
        role = .dispatch
        storage = ScopeStorage(within: parent.storage)
        overrides = [:]
        dispatchedIn = parent
        overridden = parent.overrides.isEmpty ? parent.overridden : parent
        overriddenTypes = parent.overriddenTypes
        hasOverrides = parent.hasOverrides
        mayCloseRing = parent.mayCloseRing
    }

    /// A scope within another one.
    init(
        in parent: Scope,
        overrides: [DependencyKey: any AnyObject & Sendable] = [:],
        mayCloseRing: Bool = false
    ) {
        container = parent.container
        providers = parent.providers
        role = .own
        storage = ScopeStorage(within: parent.storage)
        self.overrides = overrides
        dispatchedIn = nil
        overridden = parent.overrides.isEmpty ? parent.overridden : parent
        overriddenTypes = parent.overriddenTypes + overrides.keys.map { ObjectIdentifier($0.type) }
        hasOverrides = !overriddenTypes.isEmpty
        self.mayCloseRing = mayCloseRing
    }
}

extension Scope {
    /// Makes, or finds, a value of a type.
    ///
    /// An optional type is nil when nothing is registered for what it wraps; an array holds a value of every registration
    /// of its element's type.
    ///
    /// - Throws: ``ResolutionError`` with the way to what could not be made; `CancellationError`.
    @inlinable
    public func resolve<T>(_ type: T.Type = T.self) async throws -> T {
        // Inlined, a singleton that has been made costs no asynchronous call.
        if let value = ready(type) { return value }
        return try await made(type)
    }

    /// Makes, or finds, a value that was registered under a name.
    ///
    /// - Throws: ``ResolutionError`` with the way to what could not be made; `CancellationError`.
    public func resolve<T>(_ type: T.Type = T.self, named name: DependencyName) async throws -> T {
        try await value(named: name)
    }

    /// The same as ``resolve(_:)``, but nil when nothing is registered for the type and name.
    ///
    /// - Throws: ``ResolutionError`` when it is registered and could not be made; `CancellationError`.
    public func tryResolve<T>(_ type: T.Type = T.self, named name: DependencyName? = nil) async throws -> T? {
        try await Optional<T>.resolve(in: self, named: name)
    }
}

extension Scope {
    /// A scope within this one, which is to be ended with ``dispose()``.
    public func makeScope() -> Scope {
        Scope(in: self, mayCloseRing: mayCloseRing)
    }

    /// A scope within this one, in which some registrations are overridden; it is to be ended with ``dispose()``.
    ///
    /// An override holds for everything that is made in the scope and in scopes within it. Singletons are made from what
    /// the container has, and do not see it.
    ///
    /// - Throws: ``ResolutionError`` when there is nothing to override.
    public func makeScope(overriding overrides: Override...) throws -> Scope {
        try makeScope(overriding: overrides)
    }

    /// Runs `body` with a scope within this one, and ends the scope however `body` ends.
    ///
    /// - Throws: What `body` throws; ``ResolutionError`` when there is nothing to override.
    public func withScope<R>(overriding overrides: Override..., body: (Scope) async throws -> R) async throws -> R {
        try await withScope(overriding: overrides, body: body)
    }

    /// Ends this scope: what was made in it is disposed of, the last made first.
    ///
    /// Calling it again does nothing. Nothing can be resolved here any more. Scopes within this one live on.
    public func dispose() async {
        let disposables = storage.close()
        if !disposables.isEmpty { await ScopeStorage.dispose(disposables) }
    }

    /// A scope within this one, in which some registrations are overridden; it is to be ended with ``dispose()``.
    ///
    /// - Throws: ``ResolutionError`` when there is nothing to override.
    public func makeScope(overriding overrides: [Override]) throws -> Scope {
        var providers: [DependencyKey: any AnyObject & Sendable] = [:]
        for override in overrides {
            let key = override.scoped.key
            guard container.registrations[key] != nil else { throw ResolutionError(.notRegistered, key) }
            providers[key] = override.scoped.makeProvider(container.name(of: key), true)
        }
        // An override without dependencies adds no way back to what needs it.
        let mayCloseRing = mayCloseRing || overrides.contains { !$0.scoped.dependencies.isEmpty }
        return Scope(in: self, overrides: providers, mayCloseRing: mayCloseRing)
    }

    /// Runs `body` with a scope within this one, and ends the scope however `body` ends.
    ///
    /// - Throws: What `body` throws; ``ResolutionError`` when there is nothing to override.
    package func withScope<R>(overriding overrides: [Override], body: (Scope) async throws -> R) async throws -> R {
        try await makeScope(overriding: overrides).ending(after: body)
    }

    /// Hands this scope to `body`, and ends it however `body` ends.
    ///
    /// - Throws: What `body` throws.
    func ending<R>(after body: (Scope) async throws -> R) async throws -> R {
        do {
            let result = try await body(self)
            await dispose()
            return result
        } catch {
            await dispose()
            throw error
        }
    }
}

extension Scope {
    /// A shared value that has been made.
    @usableFromInline
    func ready<T>(_ type: T.Type) -> T? {
        let key = ObjectIdentifier(type)
        guard !overrides(key), !hasEnded, let provider = unsafe providers.lent(key) else { return nil }
        // The table files a provider under the type of its own value, so the one found here is a `Provider<T>`.
        return unsafe provider._withUnsafeGuaranteedRef {
            unsafe unsafeDowncast($0, to: Provider<T>.self).source.ready(in: self)
        }
    }

    /// A value of a type, made or made before.
    @usableFromInline
    func made<T>(_ type: T.Type) async throws -> T {
        if !hasEnded, !overrides(ObjectIdentifier(type)), let provider = container.providers[type] {
            // As in `ready(_:)`.
            return try await unsafe unsafeDowncast(provider, to: Provider<T>.self).value(in: self)
        }
        return try await value(named: nil)
    }

    /// The value of a type and name, by every way there is.
    func value<T>(named name: DependencyName?) async throws -> T {
        let key = DependencyKey(T.self, name)
        guard !hasEnded else { throw ResolutionError(.scopeEnded, key) }
        var scope: Scope? = self
        while let current = scope {
            if let provider = current.overrides[key] {
                // An override files its provider under the type of its own value.
                return try await unsafe unsafeDowncast(provider, to: Provider<T>.self).value(in: current)
            }
            scope = current.overridden
        }
        if let provider = container.provider(for: key) {
            return try await unsafe unsafeDowncast(provider, to: Provider<T>.self).value(in: self)
        }
        // Not for whatever a scope can be cast to, as `Any`.
        if key == DependencyKey(Scope.self), let scope = self as? T { return scope }
        if let type = T.self as? any WrappingDependency.Type,
            let value = try await type.resolve(in: self, named: name) as? T
        {
            return value
        }
        throw ResolutionError(.notRegistered, key)
    }

    /// Whether there is a registration or an override that gives a value for `key`.
    func canResolve(_ key: DependencyKey) -> Bool {
        if container.registrations[key] != nil || key == DependencyKey(Scope.self) { return true }
        guard let wrapping = key.type as? any WrappingDependency.Type else { return false }
        return wrapping.wrapping != .collection || key.name == nil
    }
}
