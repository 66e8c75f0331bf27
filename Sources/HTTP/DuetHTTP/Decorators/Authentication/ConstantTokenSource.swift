import Foundation

/// A token source with one token that never changes.
///
/// ```swift
/// let client = client.authenticated(by: .bearer("a-long-secret"))
/// ```
///
/// When the server rejects the token, its rejection is the response, because only a person can replace the token.
public struct ConstantTokenSource: TokenSource {
    /// The scheme of the token in the field `Authorization`.
    public let scheme: String

    private let token: Result<String, InvalidCredentials>

    /// Creates a source of one token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - scheme: The scheme of the token in the field `Authorization`.
    public init(_ token: String, scheme: String = "Bearer") {
        self.init(.success(token), scheme: scheme)
    }

    fileprivate init(_ token: Result<String, InvalidCredentials>, scheme: String) {
        self.token = token
        self.scheme = scheme
    }

    /// Returns the token.
    ///
    /// - Throws: An error for a user and a password that cannot be sent.
    public func current() async throws -> String? { try token.get() }

    /// Returns nil, because there is no other token.
    public func refresh(replacing rejected: String?) async throws -> String? { nil }
}

extension TokenSource where Self == ConstantTokenSource {
    /// One token that never changes (RFC 6750).
    public static func bearer(_ token: String) -> Self { ConstantTokenSource(token) }

    /// A user and a password for Basic authentication (RFC 7617), in UTF-8.
    ///
    /// Each request fails with ``TokenUnavailable`` if the name of the user has a colon, or one of both has control
    /// characters.
    public static func basic(user: String, password: String) -> Self {
        let token = Result { () throws(InvalidCredentials) in try basicToken(user: user, password: password) }
        return ConstantTokenSource(token, scheme: "Basic")
    }
}

extension ConstantTokenSource: CustomReflectable {
    /// Empty, so that no dump shows the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

struct InvalidCredentials: Error, CustomStringConvertible {
    let reason: String

    var description: String { "The user and the password cannot be sent: \(reason)." }
}

/// The credentials of a user (RFC 7617, section 2).
func basicToken(user: String, password: String) throws(InvalidCredentials) -> String {
    // The first colon ends the name, so a name that contains one would be sent as a different name.
    guard !user.contains(":") else { throw InvalidCredentials(reason: "a user's name must not have a colon in it") }
    let text = "\(user):\(password)".precomposedStringWithCanonicalMapping
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw InvalidCredentials(reason: "a user's name and a password must not have control characters in them")
    }
    return Data(text.utf8).base64EncodedString()
}
