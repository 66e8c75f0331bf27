import Foundation
public import JWTKit

extension JWTKeyCollection {
    /// Adds the keys of a JSON Web Key Set (RFC 7517) that an issuer signs with.
    ///
    /// Keys that are not for signatures, or cannot be used here, are left out (section 5). If several are left, a token
    /// must name its key: one that names none, or another one, is not valid.
    ///
    /// - Parameter json: The set, as the issuer publishes it.
    /// - Throws: `DecodingError` for another document; the error of a key, if no other one can be used.
    @discardableResult
    public func add(signingKeys json: String) throws -> Self {
        let keys = try JSONDecoder().decode(KeySet.self, from: Data(json.utf8)).keys
        let added = keys.map { key in Result { () throws -> Bool in try key.jwk.get().map { try add(jwk: $0) } != nil }
        }
        let count = added.count { (try? $0.get()) == true }
        if count == 0 { for result in added { _ = try result.get() } }
        // Otherwise the first one would be tried for tokens that name an unknown key.
        if count > 1 { clearDefault() }
        return self
    }
}

private struct KeySet: Decodable {
    let keys: [SigningKey]
}

/// A key of a set; nil if it does not sign.
private struct SigningKey: Decodable {
    let jwk: Result<JWK?, any Error>

    private enum CodingKeys: String, CodingKey {
        case use, alg
    }

    init(from decoder: any Decoder) throws {
        jwk = Result {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let use = try container.decodeIfPresent(String.self, forKey: .use) ?? "sig"
            let algorithm = try container.decodeIfPresent(String.self, forKey: .alg)
            // Others are for encryption, or are not known here.
            let isKnown = algorithm.map { JWK.Algorithm(rawValue: $0).map { $0 != .rsaOAEP } ?? false } ?? true
            return use == "sig" && isKnown ? try JWK(from: decoder) : nil
        }
    }
}
