import Crypto
import Duet
import DuetContext
import DuetJWT
import Foundation
import JWTKit
import Testing

/// Keys as issuers publish them.
@Suite
struct JWKTests {
    private struct Claims: JWTPayload {
        var iss = "https://issuer.example"
        var aud = "notes"
        var sub = "anna"
        var exp = 1_100

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private let issuer = JWTKeyCollection()
    private let coordinates: String

    init() async throws {
        let key = P256.Signing.PrivateKey()
        let bytes = Array(key.publicKey.x963Representation.dropFirst())
        let (x, y) = (Self.base64URL(bytes.prefix(32)), Self.base64URL(bytes.suffix(32)))
        coordinates = #""kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)""#
        try await issuer.add(ecdsa: ES256PrivateKey(pem: key.pemRepresentation), kid: "one")
    }

    private static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private func authenticator(_ fields: String, algorithm: JWK.Algorithm? = nil) async throws -> JWTAuthenticator {
        let keys = try await JWTKeyCollection().add(signingKeys: #"{"keys":[{\#(coordinates),\#(fields)}]}"#)
        return try JWTAuthenticator(
            keys: keys,
            algorithm: algorithm,
            issuer: "https://issuer.example",
            audience: "notes"
        ) { Date(timeIntervalSince1970: 1_000) }
    }

    private func token(kid: String? = "one", alg: String = "ES256") async throws -> String {
        let kid = kid.map { JWKIdentifier(string: $0) }
        return try await issuer.sign(Claims(), kid: kid, header: ["alg": .string(alg)])
    }

    /// A forged token: any head, and a meaningless signature.
    private func forged(alg: String, kid: String = "one") -> String {
        let head = Self.base64URL(#"{"alg":"\#(alg)","kid":"\#(kid)"}"#.utf8)
        return "\(head).\(Self.base64URL(#"{}"#.utf8)).\(Self.base64URL([1, 2, 3]))"
    }

    @Test
    func `a token of a key that names its algorithm is accepted`() async throws {
        let authenticator = try await authenticator(#""kid":"one","alg":"ES256""#)
        #expect(try await authenticator.principal(bearing: token()) == Principal(id: "anna"))
    }

    @Test
    func `a token does not choose the algorithm of a key without one`() async throws {
        let authenticator = try await authenticator(#""kid":"one""#, algorithm: .es256)
        for algorithm in ["ES384", "ES512", "RS256", "HS256", "none", "EdDSA", "ES257", ""] {
            #expect(try await authenticator.principal(bearing: forged(alg: algorithm)) == nil)
        }
        #expect(try await authenticator.principal(bearing: token()) == Principal(id: "anna"))
        #expect(try await authenticator.principal(bearing: token(alg: "ES384")) == nil)
    }

    @Test
    func `a key without an algorithm is a fault of the server, whatever the token says`() async throws {
        let authenticator = try await authenticator(#""kid":"one""#)
        for token in [try await token(), forged(alg: "ES256"), forged(alg: "ES384")] {
            await #expect(throws: JWTError.self) { _ = try await authenticator.principal(bearing: token) }
        }
    }

    @Test(arguments: [false, true])
    func `keys for encryption do not count, wherever they are in the set`(isFirst: Bool) async throws {
        let encryption = #"{"kty":"RSA","use":"enc","alg":"RSA-OAEP","kid":"enc","n":"AQAB","e":"AQAB"}"#
        let others = [encryption, #"{"kty":"RSA","alg":"RSA-OAEP-256","kid":"enc2"}"#, #"{"kty":"oct","use":"enc"}"#]
        let signing = ["one", "two"].map { #"{\#(coordinates),"use":"sig","alg":"ES256","kid":"\#($0)"}"# }
        let all = isFirst ? others + signing : signing + others
        let keys = try await JWTKeyCollection().add(signingKeys: #"{"keys":[\#(all.joined(separator: ","))]}"#)
        let authenticator = try JWTAuthenticator(keys: keys, issuer: "https://issuer.example", audience: "notes") {
            Date(timeIntervalSince1970: 1_000)
        }
        #expect(try await authenticator.principal(bearing: token()) == Principal(id: "anna"))
        for kid in ["enc", "enc2", "nobody's"] {
            #expect(try await authenticator.principal(bearing: forged(alg: "RS256", kid: kid)) == nil)
            #expect(try await authenticator.principal(bearing: forged(alg: "RSA-OAEP", kid: kid)) == nil)
        }
    }

    @Test(arguments: [
        #"{"kty":"OKP","crv":"Ed448","kid":"x","x":"AAAA"}"#, #"{"kty":"OKP","crv":"X25519","kid":"x","x":"AAAA"}"#,
        #"{"kty":"EC","crv":"secp256k1","kid":"x","x":"AAAA","y":"AAAA"}"#, #"{"kty":"AKP","kid":"x","pub":"AAAA"}"#,
        #"{"kty":"oct","kid":"x","k":"AAAA"}"#, #"{"kty":"RSA","kid":"x","alg":"RS256","e":"AQAB"}"#,
        #"{"kty":"EC","crv":"P-256","alg":"ES256","x":"AAAA","y":"AAAA"}"#, #"{"kid":"x"}"#, "{}", "1", "null",
    ])
    func `a key that cannot be used is left out, and alone it is an error`(key: String) async throws {
        let usable = #"{\#(coordinates),"use":"sig","alg":"ES256","kid":"one"}"#
        for keys in ["\(key),\(usable)", "\(usable),\(key)"] {
            let keys = try await JWTKeyCollection().add(signingKeys: #"{"keys":[\#(keys)]}"#)
            let authenticator = try JWTAuthenticator(keys: keys, issuer: "https://issuer.example", audience: "notes") {
                Date(timeIntervalSince1970: 1_000)
            }
            #expect(try await authenticator.principal(bearing: token()) == Principal(id: "anna"))
            #expect(try await authenticator.principal(bearing: forged(alg: "ES256", kid: "x")) == nil)
        }
        await #expect(throws: (any Error).self) {
            try await JWTKeyCollection().add(signingKeys: #"{"keys":[\#(key)]}"#)
        }
    }

    @Test
    func `a token with an unknown key identifier is not accepted`() async throws {
        let authenticator = try await authenticator(#""kid":"two","alg":"ES256""#)
        #expect(try await authenticator.principal(bearing: forged(alg: "ES256", kid: "nobody's")) == nil)
        #expect(try await authenticator.principal(bearing: forged(alg: "none", kid: "two")) == nil)
    }
}
