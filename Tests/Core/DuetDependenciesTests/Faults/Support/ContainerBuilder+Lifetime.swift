import DuetDependencies

extension ContainerBuilder {
    /// Registers an opaque factory with a parameterized lifetime.
    func register<T: Sendable>(
        _ lifetime: Lifetime,
        _ factory: @escaping @Sendable @concurrent (_ scope: Scope) async throws -> T
    ) {
        switch lifetime {
        case .transient: transient { (scope: Scope) in try await factory(scope) }
        case .scoped: scoped { (scope: Scope) in try await factory(scope) }
        case .singleton: singleton { (scope: Scope) in try await factory(scope) }
        }
    }

    /// Registers a factory without dependencies, with a parameterized lifetime.
    func register<T: Sendable>(
        _ lifetime: Lifetime,
        _ factory: @escaping @Sendable @concurrent () async throws -> T
    ) {
        switch lifetime {
        case .transient: transient { try await factory() }
        case .scoped: scoped { try await factory() }
        case .singleton: singleton { try await factory() }
        }
    }
}
