public import Duet

/// Has the backend accept a token no longer, from the next request on.
public struct RevokeToken: Command, Hashable {
    /// What the token is called.
    public let name: String

    /// Revokes the token of a name.
    public init(name: String) {
        self.name = name
    }
}
