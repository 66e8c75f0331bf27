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
    private let algorithm: JWK.Algorithm?
    private let issuer: String
    private let audience: String
    private let leeway: TimeInterval
    private let now: @Sendable () -> Date

    /// Makes an authenticator for the tokens of one issuer.
    ///
    /// - Parameters:
    ///   - keys: The keys that the issuer signs with; a key for `none` is never used.
    ///   - algorithm: The algorithm of those keys that do not name their own, as a JSON Web Key need not; nil when
    ///     each does.
    ///   - issuer: What the claim `iss` must say.
    ///   - audience: What the claim `aud` must say, or have among what it says.
    ///   - leeway: By how much the clocks of issuer and server may differ.
    ///   - now: Tells the time.
    /// - Throws: ``NegativeLeeway``.
    public init(
        keys: JWTKeyCollection,
        algorithm: JWK.Algorithm? = nil,
        issuer: String,
        audience: String,
        leeway: Duration = .seconds(30),
        now: @escaping @Sendable () -> Date
    ) throws(NegativeLeeway) {
        guard leeway >= .zero else { throw NegativeLeeway(leeway: leeway) }
        self.keys = keys
        self.algorithm = algorithm
        self.issuer = issuer
        self.audience = audience
        self.leeway = leeway / .seconds(1)
        self.now = now
    }

    /// The principal that the token was given to, or nil when anything about the token is not as it must be.
    ///
    /// - Throws: `JWTError` when the key that it names has no algorithm, and none was given for such keys.
    public func principal(bearing token: String) async throws -> Principal? {
        guard let header = JWTHead(of: token), header.crit == nil, let key = try await key(header.kid) else {
            return nil
        }
        // Whoever made the token must not choose how its signature is checked (RFC 8725, section 3.1).
        guard key.name == header.alg, key.name.lowercased() != "none" else { return nil }
        guard let claims = try? await keys.verify(token, as: JWTClaims.self) else { return nil }
        return principal(claims)
    }

    /// The key of an identifier, without a look at what the token says of its algorithm: a key that has none keeps the
    /// first that it is asked for.
    private func key(_ id: String?) async throws -> (any JWTAlgorithm)? {
        do {
            return try await keys.getKey(for: id.map { JWKIdentifier(string: $0) }, alg: algorithm?.rawValue)
        } catch let error as JWTError where error.errorType == .generic || error.errorType == .invalidJWK {
            throw error
        } catch {
            return nil
        }
    }

    private func principal(_ claims: JWTClaims) -> Principal? {
        let time = now().timeIntervalSince1970
        guard claims.issuer == issuer, claims.audience.contains(audience), !claims.subject.isEmpty else { return nil }
        guard time < claims.expiration + leeway, time >= (claims.notBefore ?? time) - leeway else { return nil }
        return Principal(id: claims.subject, scopes: claims.scopes)
    }
}
