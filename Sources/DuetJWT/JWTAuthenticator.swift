public import DuetContext
public import Foundation
public import JWTKit

/// Accepts JSON Web Tokens (RFC 7519) as bearer tokens.
///
/// A token must be signed with one of the keys, by that key's own algorithm, and must name the issuer, the audience,
/// when it expires
/// and whom it was given to. Its claim `scope` or `scp` tells what that principal may do (RFC 8693, section 4.2).
public struct JWTAuthenticator: TokenAuthenticator {
    private let keys: JWTKeyCollection
    private let issuer: String
    private let audience: String
    private let leeway: TimeInterval
    private let now: @Sendable () -> Date

    /// Makes an authenticator for the tokens of one issuer.
    ///
    /// - Parameters:
    ///   - keys: The keys that the issuer signs with; a key for `none` is never used.
    ///   - issuer: What the claim `iss` must say.
    ///   - audience: What the claim `aud` must say, or have among what it says.
    ///   - leeway: By how much the clocks of issuer and server may differ.
    ///   - now: Tells the time.
    public init(
        keys: JWTKeyCollection,
        issuer: String,
        audience: String,
        leeway: Duration = .seconds(30),
        now: @escaping @Sendable () -> Date
    ) {
        self.keys = keys
        self.issuer = issuer
        self.audience = audience
        self.leeway = TimeInterval(leeway.components.seconds)
        self.now = now
    }

    /// The principal that the token was given to, or nil when anything about the token is not as it must be.
    ///
    /// - Throws: When there is no key at all to check it with.
    public func principal(bearing token: String) async throws -> Principal? {
        guard let header = JWTHead(of: token), header.crit == nil, header.alg.lowercased() != "none" else { return nil }
        let algorithm: any JWTAlgorithm
        do {
            algorithm = try await keys.getKey(for: header.kid.map { JWKIdentifier(string: $0) }, alg: header.alg)
        } catch let error as JWTError where error.errorType != .noKeyProvided {
            return nil
        }
        // Whoever made the token must not choose how its signature is checked (RFC 8725, section 3.1).
        guard algorithm.name == header.alg, algorithm.name.lowercased() != "none" else { return nil }
        guard let claims = try? await keys.verify(token, as: JWTClaims.self) else { return nil }
        return principal(claims)
    }

    private func principal(_ claims: JWTClaims) -> Principal? {
        let time = now().timeIntervalSince1970
        guard claims.issuer == issuer, claims.audience.contains(audience), !claims.subject.isEmpty else { return nil }
        guard time < claims.expiration + leeway, time >= (claims.notBefore ?? time) - leeway else { return nil }
        return Principal(id: claims.subject, scopes: claims.scopes)
    }
}
