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
