import Synchronization

/// A token source that logs in: before the first request, and again when the server rejects the token.
///
/// ```swift
/// let tokens = LoginTokenSource { try await login.dispatch(LoadToken(identity: email, password: password)) }
/// ```
///
/// One login serves all requests that need a token at the time. It continues when none of them waits any longer, so
/// give it its own deadline, and a client without these tokens. If a login fails, all waiting requests fail;
/// later requests try again.
public struct LoginTokenSource: TokenSource {
    private let kept: KeptToken
    private let refresher: TokenRefresher

    /// Creates a source of the tokens that `login` returns.
    public init(_ login: @escaping @Sendable @concurrent () async throws -> String) {
        kept = KeptToken(login)
        refresher = TokenRefresher(kept)
    }

    /// Returns the last token, or logs in for the first one.
    ///
    /// - Throws: The error of the login; `CancellationError` when the task is canceled, which does not end the login.
    public func current() async throws -> String? {
        if let token = kept.token { return token }
        return try await refresher.token(replacing: nil)
    }

    /// Returns the token of a new login, unless there was one since `rejected` was sent.
    ///
    /// - Throws: As ``LoginTokenSource/current()``.
    public func refresh(replacing rejected: String?) async throws -> String? {
        try await refresher.token(replacing: rejected)
    }
}

extension LoginTokenSource: CustomReflectable {
    /// Empty, so that no dump shows a token.
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
