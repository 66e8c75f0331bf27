import Duet
import DuetDependencies
public import FeedBackend
public import FeedFeature
public import Foundation

/// Manages a backend's tokens in its database, whether the backend is running or not.
public struct FeedTokens: Sendable {
    private let database: URL
    private let environment: Environment

    /// Creates a manager of the tokens in a database, which is created if necessary.
    public init(database: URL, environment: Environment) {
        self.database = database
        self.environment = environment
    }

    /// Issues a token, which the backend accepts from now on.
    ///
    /// - Parameters:
    ///   - name: The token's name; nil for a name made of its hash.
    ///   - displayName: The name that readers see; nil for none.
    ///   - permissions: The permissions that it grants.
    /// - Returns: The token, which cannot be retrieved again, and its name.
    /// - Throws: `TokenError`; the database's own error.
    public func issue(
        name: String? = nil,
        displayName: String? = nil,
        permitting permissions: Set<Permission>
    ) async throws -> (token: AccessToken, name: String) {
        var generator = environment.generator
        let token = AccessToken(using: &generator)
        let command = KeepToken(token, name: name, displayName: displayName, permissions: permissions)
        try await withDispatcher { try await $0.dispatch(command) }
        return (token, command.name)
    }

    /// Returns a summary of each token, the oldest first.
    ///
    /// - Throws: The database's own error.
    public func list() async throws -> [TokenSummary] {
        try await withDispatcher { try await $0.dispatch(LoadTokens()) }
    }

    /// Revokes a token.
    ///
    /// - Throws: `TokenError` when no token has this name; the database's own error.
    public func revoke(name: String) async throws {
        try await withDispatcher { try await $0.dispatch(RevokeToken(name: name)) }
    }

    private func withDispatcher<Value>(_ body: (any Dispatcher) async throws -> Value) async throws -> Value {
        try await Container.backend(BackendOptions(database: database), environment: environment).use { container in
            try await body(container.resolve())
        }
    }
}
