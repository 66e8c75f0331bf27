/// Tells who a bearer token belongs to.
public protocol TokenAuthenticator: Sendable {
    /// The principal that the token stands for, or nil when the token is not valid, or no longer.
    ///
    /// - Throws: When it cannot be told just now; the token is not at fault then.
    func principal(bearing token: String) async throws -> Principal?
}
