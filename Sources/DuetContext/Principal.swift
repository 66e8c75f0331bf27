/// The person or program that a message is handled for, identified by its credentials.
///
/// ```swift
/// guard let user = Principal.current?.id else { throw NoPrincipal() }
/// ```
public struct Principal: Hashable, Sendable {
    /// The identifier that the issuer of the credentials uses; the `sub` claim of a JSON Web Token.
    public let id: String

    /// The permissions that the issuer granted.
    public let scopes: Set<String>

    /// Creates a principal.
    public init(id: String, scopes: Set<String> = []) {
        self.id = id
        self.scopes = scopes
    }
}
