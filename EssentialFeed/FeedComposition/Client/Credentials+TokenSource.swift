import DuetHTTP

extension Credentials: TokenSource {
    /// The token.
    public func current() async throws -> String? { token }

    /// Nothing: what the backend does not take, a person has to replace.
    public func refresh(replacing rejected: String?) async throws -> String? { nil }
}

extension Credentials: CustomStringConvertible, CustomReflectable {
    /// Not the token: it must not get into a log by accident.
    public var description: String { "Credentials" }

    /// Nothing of the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
