import Foundation
public import JWTKit

extension JWTKeyCollection {
    /// Adds the keys of a JSON Web Key Set (RFC 7517) that an issuer signs with.
    ///
    /// Keys for encryption are left out, which an issuer such as Keycloak has in the same set. If there are several
    /// keys, a token must name its key: one that names none, or another one, is not valid.
    ///
    /// - Parameter json: The set, as the issuer publishes it.
    /// - Throws: `DecodingError`, or `JWTError` for a key that cannot be used.
    @discardableResult
    public func add(signingKeys json: String) throws -> Self {
        let keys = try JSONDecoder().decode(KeySet.self, from: Data(json.utf8)).keys.compactMap(\.jwk)
        for key in keys { try add(jwk: key) }
        // Otherwise the first one would be tried for tokens that name an unknown key.
        if keys.count > 1 { clearDefault() }
        return self
    }
}

private struct KeySet: Decodable {
    let keys: [SigningKey]
}

/// A key of a set; nil if it does not sign.
private struct SigningKey: Decodable {
    let jwk: JWK?

    private enum CodingKeys: String, CodingKey {
        case use, alg
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let use = try container.decodeIfPresent(String.self, forKey: .use) ?? "sig"
        let algorithm = try container.decodeIfPresent(String.self, forKey: .alg)
        // Others are for encryption, or are not known here.
        let isKnown = algorithm.map { JWK.Algorithm(rawValue: $0).map { $0 != .rsaOAEP } ?? false } ?? true
        jwk = use == "sig" && isKnown ? try JWK(from: decoder) : nil
    }
}
