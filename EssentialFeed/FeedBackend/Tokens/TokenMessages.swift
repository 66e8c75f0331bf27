public import Duet
public import FeedFeature
public import Foundation

/// Stores the hash of a token, so that the backend accepts the token.
public struct KeepToken: Command, Hashable {
    /// The maximum length of a name, in characters.
    public static let nameLimit = 64

    /// The token's hash.
    public let hash: String

    /// The token's name, for administrators and logs.
    public let name: String

    /// The name that readers see beside the images of the token's holder; nil for none.
    public let displayName: String?

    /// The permissions that it grants.
    public let permissions: Set<Permission>

    /// Creates the command for a token; the default name is made of the beginning of its hash.
    public init(_ token: AccessToken, name: String? = nil, displayName: String? = nil, permissions: Set<Permission>) {
        hash = token.hash
        self.name = name ?? "token-\(hash.prefix(8))"
        self.displayName = displayName
        self.permissions = permissions
    }

    /// Checks that the name can be typed and printed everywhere, and that a display name shows all it has.
    ///
    /// - Throws: ``TokenError``.
    func checkNames() throws {
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_": true
            default: false
            }
        }
        guard isPlain, (1...Self.nameLimit).contains(name.utf8.count) else { throw TokenError.invalidName(name) }
        guard let displayName else { return }
        guard displayName.isVisible, displayName.unicodeScalars.count <= Self.nameLimit, displayName.isName else {
            throw TokenError.invalidDisplayName(displayName)
        }
    }
}

/// Revokes a token, effective immediately.
public struct RevokeToken: Command, Hashable {
    /// The token's name.
    public let name: String

    /// Creates the command for the token with a name.
    public init(name: String) {
        self.name = name
    }
}

/// Loads a summary of each token that the backend accepts, the oldest first.
public struct LoadTokens: Query, Hashable {
    /// The summaries.
    public typealias Value = [TokenSummary]

    /// Creates the query.
    public init() {}
}

/// A summary of a token, without the token itself.
public struct TokenSummary: Hashable, Sendable {
    /// The token's name.
    public let name: String

    /// The name that readers see; nil for none.
    public let displayName: String?

    /// The permissions that it grants.
    public let permissions: Set<Permission>

    /// The time when it was issued.
    public let createdAt: Date
}

/// Loads the holder of the token with a hash; nil if the token is unknown or revoked.
public struct LoadTokenHolder: PayloadQuery, Hashable {
    /// The holder.
    public typealias Value = Principal?

    /// The holder as it travels between nodes.
    public struct Holder: Codable, Sendable {
        fileprivate let id: String
        fileprivate let scopes: Set<String>
    }

    /// The token's hash.
    public let hash: String

    /// Creates a query for a hash of 64 hexadecimal digits.
    public init(hash: String) {
        self.hash = hash
    }

    /// Returns the holder that traveled.
    public static func value(from payload: Holder?, answering query: Self) -> Principal? {
        payload.map { Principal(id: $0.id, scopes: $0.scopes) }
    }

    /// Returns the holder as it travels.
    public static func payload(from value: Principal?, answering query: Self) -> Holder? {
        value.map { Holder(id: $0.id, scopes: $0.scopes) }
    }
}

/// The reason why a token cannot be issued or revoked.
@nonexhaustive
public enum TokenError: Error, Hashable, CustomStringConvertible {
    /// Another token has this name.
    case nameTaken(String)

    /// No token has this name.
    case notFound(String)

    /// The name is empty or too long, or it has characters that cannot be typed everywhere.
    case invalidName(String)

    /// The display name is blank or too long, or it has characters that are invisible or change the direction.
    case invalidDisplayName(String)

    /// The failure and its remedy.
    public var description: String {
        switch self {
        case .nameTaken(let name): "A token called \(name) already exists. Revoke it first, or choose another name."
        case .notFound(let name): "There is no token called \(name). List the tokens to see their names."
        case .invalidName:
            "A token's name has 1 to 64 characters: letters from A to Z, digits, hyphens, periods and underscores."
        case .invalidDisplayName:
            """
            A display name has 1 to \(KeepToken.nameLimit) characters, not only spaces, and none that is invisible or \
            changes the direction of the text.
            """
        }
    }
}
