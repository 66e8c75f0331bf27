/// The reason why a token cannot be issued or revoked.
@nonexhaustive
public enum TokenError: Error, Hashable {
    /// Another token has this name.
    case nameTaken(String)

    /// No token has this name.
    case notFound(String)

    /// The name is empty or too long, or it has characters that cannot be typed everywhere.
    case invalidName(String)
}

extension TokenError: CustomStringConvertible {
    /// The failure and what to do about it.
    public var description: String {
        switch self {
        case .nameTaken(let name): "There is a token called \(name) already. Revoke it first, or choose another name."
        case .notFound(let name): "There is no token called \(name). List the tokens to see their names."
        case .invalidName:
            "A token's name has 1 to 64 characters, each one of a–z, A–Z, 0–9, hyphen, full stop and underscore."
        }
    }
}
