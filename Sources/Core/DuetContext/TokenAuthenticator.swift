public import Duet

/// Finds the principal that a token was issued to.
public protocol TokenAuthenticator: Sendable {
    /// The place of the token in a request; ``CredentialScheme/bearer`` by default.
    var scheme: CredentialScheme { get }

    /// Returns the principal of a token, or nil if the token is invalid or expired.
    ///
    /// - Throws: An error if the token cannot be checked now, which is no fault of the token.
    func principal(bearing token: String) async throws -> Principal?
}

extension TokenAuthenticator {
    /// A bearer token.
    public var scheme: CredentialScheme { .bearer }

    /// Returns this authenticator for tokens in another place.
    ///
    /// ```swift
    /// let keys = StaticTokenAuthenticator(find: accounts.principal(of:)).reading(.field("X-Api-Key"))
    /// ```
    public func reading(_ scheme: CredentialScheme) -> some TokenAuthenticator {
        ReadingAuthenticator(base: self, scheme: scheme)
    }

    /// Returns this authenticator with another one, which is asked if a request has no token for this one, or an
    /// invalid one.
    public func or(_ other: some TokenAuthenticator) -> some TokenAuthenticator {
        AuthenticatorChain(all: authenticators + other.authenticators)
    }

    /// The authenticators that are asked in turn.
    package var authenticators: [any TokenAuthenticator] { (self as? AuthenticatorChain)?.all ?? [self] }
}

/// The place of the credentials in a request of HTTP.
public struct CredentialScheme: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        /// A scheme of the field `Authorization`.
        case authorization(String)
        case field(String)
    }

    package let place: Place

    /// `Authorization: Bearer …` (RFC 6750).
    public static let bearer = authorization("Bearer")

    /// `Authorization: Basic …`, whose token contains a user and a password (RFC 7617).
    public static let basic = authorization("Basic")

    /// Another scheme of the field `Authorization` (RFC 9110, section 11.4), such as `Token`.
    public static func authorization(_ scheme: String) -> CredentialScheme {
        CredentialScheme(place: .authorization(scheme))
    }

    /// The value of another field, such as `X-Api-Key`.
    ///
    /// Responses are always `private`: shared caches protect only those to requests with `Authorization` (RFC 9111,
    /// section 3.5).
    public static func field(_ name: String) -> CredentialScheme { CredentialScheme(place: .field(name)) }
}

private struct ReadingAuthenticator<Base: TokenAuthenticator>: TokenAuthenticator {
    let base: Base
    let scheme: CredentialScheme

    func principal(bearing token: String) async throws -> Principal? { try await base.principal(bearing: token) }
}

private struct AuthenticatorChain: TokenAuthenticator {
    let all: [any TokenAuthenticator]

    func principal(bearing token: String) async throws -> Principal? {
        for authenticator in all {
            if let principal = try await authenticator.principal(bearing: token) { return principal }
        }
        return nil
    }
}
