public import Duet
public import DuetContext
import Foundation

/// Authenticates users by their passwords (RFC 7617).
///
/// ```swift
/// let users = BasicAuthenticator { user, password in try await accounts.principal(named: user, password) }
/// ```
///
/// Each request has the password, so use it over TLS only, and compare with a slow hash such as Argon2. It is for
/// programs: a browser that knows the password sends it with the requests of other sites, too.
public struct BasicAuthenticator: TokenAuthenticator {
    private let check: @Sendable @concurrent (_ user: String, _ password: String) async throws -> Principal?

    /// Creates an authenticator.
    ///
    /// - Parameter check: Returns the principal of a user with this password; nil if one of both is wrong. It throws if
    ///   they cannot be checked at the moment.
    public init(
        check: @escaping @Sendable @concurrent (_ user: String, _ password: String) async throws -> Principal?
    ) {
        self.check = check
    }

    /// `Basic`.
    public var scheme: CredentialScheme { .basic }

    /// Returns the principal of the user and the password that a token contains.
    ///
    /// - Throws: The error of the check.
    public func principal(bearing token: String) async throws -> Principal? {
        guard let data = Data(base64Encoded: token), let text = String(bytes: data, encoding: .utf8),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return try await check(String(text[..<colon]), String(text[text.utf8.index(after: colon)...]))
    }
}
