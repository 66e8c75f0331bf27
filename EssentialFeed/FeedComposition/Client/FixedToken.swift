import DuetHTTP

/// A token that stays: what the backend does not take, a person has to replace.
struct FixedToken: TokenSource {
    private let token: String

    init(_ credentials: Credentials) {
        token = credentials.token
    }

    func current() async throws -> String? { token }

    func refresh(replacing rejected: String?) async throws -> String? { nil }
}

extension FixedToken: CustomStringConvertible, CustomReflectable {
    /// Not the token: it must not get into a log by accident.
    var description: String { "FixedToken" }

    /// Nothing of the token.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
