public import Duet

/// Makes the backend refuse a token, from the next request on.
public struct RevokeToken: Command, Hashable {
    /// The token's name.
    public let name: String

    /// Creates the command for the token with a name.
    public init(name: String) {
        self.name = name
    }
}
