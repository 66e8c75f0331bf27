import JWTKit

/// The claims that the authenticator checks; a token without one of the required claims is not accepted.
struct JWTClaims: JWTPayload {
    let issuer: String
    /// Empty if the token names none.
    let audience: Set<String>
    let subject: String
    /// In seconds since 1970.
    let expiration: Double
    let notBefore: Double?
    let scopes: Set<String>
    /// All claims that are one text.
    let texts: [String: String]

    private enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case audience = "aud"
        case subject = "sub"
        case expiration = "exp"
        case notBefore = "nbf"
        case scope
        case scp
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        issuer = try container.decode(String.self, forKey: .issuer)
        audience = Set(try container.decodeIfPresent(OneOrMany.self, forKey: .audience)?.values ?? [])
        subject = try container.decode(String.self, forKey: .subject)
        expiration = try container.decode(Double.self, forKey: .expiration)
        notBefore = try container.decodeIfPresent(Double.self, forKey: .notBefore)
        let scopes =
            try container.decodeIfPresent(OneOrMany.self, forKey: .scope)
            ?? container.decodeIfPresent(OneOrMany.self, forKey: .scp)
        let claims = try decoder.singleValueContainer().decode([String: Text].self)
        texts = claims.compactMapValues(\.value)
        self.scopes = Set((scopes?.values ?? []).flatMap { $0.split(separator: " ").map(String.init) })
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(issuer, forKey: .issuer)
        try container.encode(audience.sorted(), forKey: .audience)
        try container.encode(subject, forKey: .subject)
        try container.encode(expiration, forKey: .expiration)
        try container.encodeIfPresent(notBefore, forKey: .notBefore)
        try container.encode(scopes.sorted().joined(separator: " "), forKey: .scope)
    }

    /// Verifies nothing: the authenticator checks the claims with its own clock.
    func verify(using algorithm: some JWTAlgorithm) {}
}

/// A string; nil for any other value.
private struct Text: Decodable {
    let value: String?

    init(from decoder: any Decoder) throws { value = try? decoder.singleValueContainer().decode(String.self) }
}

/// A string, or an array of strings.
private struct OneOrMany: Decodable {
    let values: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(String.self) {
            values = [value]
        } else {
            values = try container.decode([String].self)
        }
    }
}
