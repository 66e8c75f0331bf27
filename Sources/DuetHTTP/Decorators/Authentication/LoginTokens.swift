import Synchronization

/// Tokens that come from logging in: before the first request, and again when one is not taken any more.
///
/// ```swift
/// let tokens = LoginTokens { try await login.token(with: client) }
/// ```
///
/// One login serves all who need a token at that time. It runs to its end even when none of them waits any longer, so it
/// should have a deadline of its own, and a client without these tokens. One that fails, fails all once; who comes later
/// tries again.
public struct LoginTokens: TokenSource {
    private let kept: KeptToken
    private let refresher: TokenRefresher

    /// Makes a source of what `login` returns.
    public init(_ login: @escaping @Sendable @concurrent () async throws -> String) {
        kept = KeptToken(login)
        refresher = TokenRefresher(kept)
    }

    /// The last token, or the first one, after a login.
    ///
    /// - Throws: What the login throws; `CancellationError` when the task is cancelled, which does not end the login.
    public func current() async throws -> String? {
        if let token = kept.token { return token }
        return try await refresher.token(replacing: nil)
    }

    /// The token of a new login, unless there was one since `rejected` was sent.
    ///
    /// - Throws: What the login throws; `CancellationError` when the task is cancelled, which does not end the login.
    public func refresh(replacing rejected: String?) async throws -> String? {
        try await refresher.token(replacing: rejected)
    }
}

extension LoginTokens: CustomStringConvertible, CustomReflectable {
    /// Where the tokens come from; no token.
    public var description: String { "tokens of a login" }

    /// Nothing, so that no dump shows a token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The token of the last login.
private final class KeptToken: TokenSource {
    private let login: @Sendable @concurrent () async throws -> String
    private let last = Mutex<String?>(nil)

    var token: String? { last.withLock { $0 } }

    init(_ login: @escaping @Sendable @concurrent () async throws -> String) {
        self.login = login
    }

    func current() async throws -> String? { token }

    func refresh(replacing rejected: String?) async throws -> String? {
        let token = try await login()
        last.withLock { $0 = token }
        return token
    }
}
