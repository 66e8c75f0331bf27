public import Duet
public import DuetContext
public import Foundation
public import JWTKit

/// Accepts JSON Web Tokens (RFC 7519) as bearer tokens.
///
/// A token must be signed with one of the keys, using that key's own algorithm. It must name the issuer, the audience,
/// an expiration time, and a subject, which becomes the principal. The claim `scope` or `scp` lists the principal's
/// permissions (RFC 8693, section 4.2).
///
/// ```swift
/// try JWTAuthenticator(
///     keys: await JWTKeyCollection().add(signingKeys: keys),
///     algorithm: .es256,
///     issuer: "https://login.example.org",
///     audience: "speakers",
///     now: { Date() }
/// )
/// ```
public struct JWTAuthenticator: TokenAuthenticator {
    private let keys: JWTKeyCollection
    private let algorithm: JWK.Algorithm?
    private let issuer: String
    private let audience: JWTAudience
    private let leeway: TimeInterval
    private let now: @Sendable () -> Date

    /// Creates an authenticator for the tokens of one issuer.
    ///
    /// - Parameters:
    ///   - keys: The keys that the issuer signs with. A key for the algorithm `none` is never used.
    ///   - algorithm: The algorithm of keys that do not name one, which a JSON Web Key may omit; nil if each key does.
    ///   - issuer: The required value of the claim `iss`.
    ///   - audience: The required value, or one of the values, of the claim `aud`, unless that is not checked.
    ///   - leeway: The tolerated difference between the clocks of the issuer and the server.
    ///   - now: Returns the current time.
    /// - Throws: ``NegativeLeeway``.
    public init(
        keys: JWTKeyCollection,
        algorithm: JWK.Algorithm? = nil,
        issuer: String,
        audience: JWTAudience,
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

    /// Returns the principal that the token was issued to, or nil if the token is not valid.
    ///
    /// - Throws: `JWTError` if the token's key has no algorithm and the authenticator has no default for such keys.
    public func principal(bearing token: String) async throws -> Principal? {
        guard let header = TokenHeader(of: token), header.crit == nil, token.json(ofPart: 1) != nil,
            let key = try await key(header.kid)
        else {
            return nil
        }
        // The creator of a token must not choose how its signature is verified (RFC 8725, section 3.1).
        guard key.name == header.alg, key.name.lowercased() != "none" else { return nil }
        guard let claims = try? await keys.verify(token, as: JWTClaims.self) else { return nil }
        return principal(claims)
    }

    /// Returns the key with an identifier.
    ///
    /// The algorithm in the token is not passed on, because a key without one adopts the first that is requested.
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
        guard claims.issuer == issuer, audience.isThat(of: claims), !claims.subject.isEmpty else { return nil }
        guard time < claims.expiration + leeway, time >= (claims.notBefore ?? time) - leeway else { return nil }
        return Principal(id: claims.subject, scopes: claims.scopes)
    }
}

/// An authenticator was created with a negative leeway.
public struct NegativeLeeway: Error, Hashable, CustomStringConvertible {
    package let leeway: Duration

    /// The rejected leeway and what to do about it.
    public var description: String {
        "A leeway of \(leeway) would expire tokens early. Pass a leeway of zero or more."
    }
}

/// The header of a token, which describes its signature (RFC 7515, section 4.1).
struct TokenHeader: Decodable {
    let alg: String
    let kid: String?
    /// The extensions that a reader must understand; the authenticator understands none.
    let crit: [String]?

    init?(of token: String) {
        guard let json = token.json(ofPart: 0), let head = try? JSONDecoder().decode(TokenHeader.self, from: json)
        else {
            return nil
        }
        self = head
    }
}

extension String {
    /// The JSON in a part of this token; nil if there is none, or if ``ForeignText`` refuses it.
    fileprivate func json(ofPart index: Int) -> Data? {
        let parts = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.indices.contains(index) else { return nil }
        let base64 = parts[index].map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - base64.count % 4) % 4)
        guard let json = Data(base64Encoded: Data(base64 + padding)), ForeignText.fault(inJSON: json) == nil else {
            return nil
        }
        return json
    }
}
