public import DuetContext

/// Knows opaque bearer tokens by their hashes.
public struct BearerTokens: TokenAuthenticator {
    private let find: @Sendable @concurrent (TokenHash) async throws -> Principal?

    /// Knows the tokens with these hashes.
    ///
    /// Each token is compared with all of them, in a time that does not tell how close it came.
    public init(_ principals: [TokenHash: Principal]) {
        find = { hash in
            var found: Principal?
            for (known, principal) in principals where known.isSame(as: hash) { found = principal }
            return found
        }
    }

    /// Knows the tokens whose hashes `find` knows, in a database say.
    ///
    /// Looking a hash up tells nothing of use about the token: nobody can choose what a token's hash begins with and
    /// know the token.
    public init(find: @escaping @Sendable @concurrent (TokenHash) async throws -> Principal?) {
        self.find = find
    }

    /// The principal that the token was given to.
    ///
    /// - Throws: What finding its hash throws.
    public func principal(bearing token: String) async throws -> Principal? {
        try await find(TokenHash(of: token))
    }
}
