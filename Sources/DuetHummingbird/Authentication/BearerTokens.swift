public import DuetContext

/// Authenticates opaque bearer tokens by their hashes.
public struct BearerTokens: TokenAuthenticator {
    private let find: @Sendable @concurrent (TokenHash) async throws -> Principal?

    /// Accepts the tokens with these hashes.
    ///
    /// Each token is compared with all of them in constant time.
    public init(_ principals: [TokenHash: Principal]) {
        find = { hash in
            var found: Principal?
            for (known, principal) in principals where known.isSame(as: hash) { found = principal }
            return found
        }
    }

    /// Accepts the tokens whose hashes a closure finds, for example in a database.
    ///
    /// The duration of a lookup reveals nothing useful, since a token cannot be chosen by the beginning of its hash.
    public init(find: @escaping @Sendable @concurrent (TokenHash) async throws -> Principal?) {
        self.find = find
    }

    /// The principal of a token.
    ///
    /// - Throws: The errors of the closure that finds a hash.
    public func principal(bearing token: String) async throws -> Principal? {
        try await find(TokenHash(of: token))
    }
}
