public import Duet

/// Finds the principal that a bearer token was issued to.
public protocol TokenAuthenticator: Sendable {
    /// Returns the principal of a token, or nil if the token is invalid or expired.
    ///
    /// - Throws: An error if the token cannot be checked at the moment, which is no fault of the token.
    func principal(bearing token: String) async throws -> Principal?
}
