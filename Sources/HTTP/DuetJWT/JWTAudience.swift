/// The audience that a token must be meant for (RFC 7519, section 4.1.3).
///
/// A name is written as a text: `audience: "speakers"`. Without this check, a token that the issuer made for another
/// service would be accepted here.
public struct JWTAudience: Hashable, Sendable, ExpressibleByStringLiteral {
    private let name: String?
    private let claims: [String: String]

    /// The audience is a name, which the claim `aud` must have or contain.
    public init(_ name: String) {
        self.name = name
        claims = [:]
    }

    /// The same as ``JWTAudience/init(_:)``.
    public init(stringLiteral name: String) { self.init(name) }

    private init(claims: [String: String]) {
        name = nil
        self.claims = claims
    }

    /// The claim `aud` is not checked, because the issuer leaves it out.
    ///
    /// Other claims must then show that a token is meant for this service. The access tokens of Amazon Cognito, for
    /// example, name the client: `.notChecked(requiring: ["client_id": "4oanhlesnti1", "token_use": "access"])`.
    ///
    /// - Parameter claims: The claims and their values, which are texts. Without any, no token is accepted.
    public static func notChecked(requiring claims: [String: String]) -> JWTAudience { JWTAudience(claims: claims) }

    func isThat(of token: JWTClaims) -> Bool {
        if let name { return token.audience.contains(name) }
        return !claims.isEmpty && claims.allSatisfy { token.texts[$0.key] == $0.value }
    }
}
