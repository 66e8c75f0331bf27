/// On whose behalf a message is handled: a person or a program, known by the credentials that it showed.
public struct Principal: Hashable, Sendable {
    /// The name by which the issuer of the credentials knows it; the `sub` claim of a JSON Web Token.
    public let id: String

    /// What it may do, in the terms of the issuer.
    public let scopes: Set<String>

    /// Makes a principal of an id, with what it may do.
    public init(id: String, scopes: Set<String> = []) {
        self.id = id
        self.scopes = scopes
    }
}
