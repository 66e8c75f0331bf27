public import Duet
public import FeedFeature

/// Makes the backend accept a token.
public struct KeepToken: Command, Hashable, Validatable {
    /// The maximum length of a name, in characters.
    public static let nameLimit = 64

    /// The token's hash.
    public let hash: String

    /// The token's name, for administrators and logs.
    public let name: String

    /// The permissions that it grants.
    public let permissions: Set<Permission>

    /// Creates the command for a token; the default name is made of the beginning of its hash.
    public init(_ token: AccessToken, name: String? = nil, permissions: Set<Permission>) {
        hash = token.hash
        self.name = name ?? "token-\(hash.prefix(8))"
        self.permissions = permissions
    }

    /// Checks that the name can be typed and printed everywhere.
    ///
    /// - Throws: ``TokenError``.
    public func validate() throws {
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_": true
            default: false
            }
        }
        guard isPlain, (1...Self.nameLimit).contains(name.utf8.count) else { throw TokenError.invalidName(name) }
    }
}
