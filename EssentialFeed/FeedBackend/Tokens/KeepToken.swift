public import Duet
public import FeedFeature

/// Has the backend accept a token from now on.
public struct KeepToken: Command, Hashable, Validatable {
    /// How long a name may be, in characters.
    public static let nameLimit = 64

    /// The token's hash.
    public let hash: String

    /// What it is called, by those who manage tokens and in logs.
    public let name: String

    /// What it permits.
    public let permissions: Set<Permission>

    /// Makes the command for a token; without a name it is called by the beginning of its hash.
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
