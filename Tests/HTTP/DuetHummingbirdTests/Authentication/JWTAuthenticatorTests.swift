import Duet
import DuetContext
import DuetJWT
import Foundation
import JWTKit
import Testing

@Suite
struct JWTAuthenticatorTests {
    private struct Claims: JWTPayload {
        var iss: String? = "https://issuer.example"
        var aud: [String]? = ["notes", "mail"]
        var sub: String? = "anna"
        var exp: Double? = 1_100
        var nbf: Double?
        var scope: String?
        var scp: [String]?

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// One audience as a string, as most issuers write it.
    private struct PlainClaims: JWTPayload {
        var iss = "https://issuer.example"
        var aud = "notes"
        var sub = "anna"
        var exp = 1_100

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// As long as the longest hash: 64 bytes.
    private static let secret = HMACKey(from: String(repeating: "a secret", count: 8))

    private let keys: JWTKeyCollection
    private let authenticator: JWTAuthenticator

    init() async throws {
        keys = await JWTKeyCollection()
            .add(hmac: Self.secret, digestAlgorithm: .sha256, kid: "hmac")
            .add(ecdsa: ES256PrivateKey(), kid: "ecdsa")
        authenticator = try Self.authenticator(keys)
    }

    private static func authenticator(
        _ keys: JWTKeyCollection,
        algorithm: JWK.Algorithm? = nil,
        at time: Double = 1_000,
        leeway: Duration = .seconds(30)
    ) throws(NegativeLeeway) -> JWTAuthenticator {
        try JWTAuthenticator(
            keys: keys,
            algorithm: algorithm,
            issuer: "https://issuer.example",
            audience: "notes",
            leeway: leeway
        ) { Date(timeIntervalSince1970: time) }
    }

    private func principal(_ claims: Claims, at time: Double = 1_000) async throws -> Principal? {
        let token = try await keys.sign(claims, kid: "hmac")
        return try await Self.authenticator(keys, at: time).principal(bearing: token)
    }

    @Test(arguments: ["hmac", "ecdsa"])
    func `a token signed with one of the keys is accepted`(kid: String) async throws {
        let token = try await keys.sign(Claims(), kid: JWKIdentifier(string: kid))
        #expect(try await authenticator.principal(bearing: token) == Principal(id: "anna"))
        let plain = try await keys.sign(PlainClaims(), kid: JWKIdentifier(string: kid))
        #expect(try await authenticator.principal(bearing: plain) == Principal(id: "anna"))
    }

    @Test
    func `scopes come from either claim`() async throws {
        #expect(try await principal(Claims(scope: "read  write"))?.scopes == ["read", "write"])
        #expect(try await principal(Claims(scp: ["read", "write"]))?.scopes == ["read", "write"])
        #expect(try await principal(Claims(scope: ""))?.scopes == [])
    }

    @Test(arguments: [(1_129.0, true), (1_129.9, true), (1_130.0, false), (1_131.0, false)])
    func `a token is accepted until it expires, plus the leeway`(time: Double, isAccepted: Bool) async throws {
        #expect(try await (principal(Claims(), at: time) != nil) == isAccepted)
    }

    @Test(arguments: [(1_029.0, true), (1_030.0, true), (1_030.1, false)])
    func `a token is accepted from its start, minus the leeway`(start: Double, isAccepted: Bool) async throws {
        #expect(try await (principal(Claims(nbf: start)) != nil) == isAccepted)
    }

    @Test
    func `a token with a missing or wrong claim is not accepted`() async throws {
        let faulty = [
            Claims(iss: nil), Claims(iss: "https://other.example"), Claims(aud: nil), Claims(aud: []),
            Claims(aud: ["mail"]),
            Claims(sub: nil), Claims(sub: ""), Claims(exp: nil),
        ]
        for claims in faulty {
            let principal = try await principal(claims)
            #expect(principal == nil, "\(claims)")
        }
    }

    @Test
    func `without a check of the audience, other claims are required`() async throws {
        struct AccessClaims: JWTPayload {
            var iss = "https://issuer.example"
            var sub = "anna"
            var exp = 1_100
            var client_id: String? = "app"
            var token_use = "access"
            var count = 1

            func verify(using algorithm: some JWTAlgorithm) {}
        }
        let token = try await keys.sign(AccessClaims(), kid: "hmac")
        func isAccepted(_ audience: JWTAudience) async throws -> Bool {
            let tokens = try JWTAuthenticator(keys: keys, issuer: "https://issuer.example", audience: audience) {
                Date(timeIntervalSince1970: 1_000)
            }
            return try await tokens.principal(bearing: token) == Principal(id: "anna")
        }
        #expect(try await isAccepted(.notChecked(requiring: ["client_id": "app"])))
        #expect(try await isAccepted(.notChecked(requiring: ["client_id": "app", "token_use": "access"])))
        #expect(try await !isAccepted(.notChecked(requiring: ["client_id": "app", "token_use": "id"])))
        #expect(try await !isAccepted(.notChecked(requiring: ["client_id": "app", "aud": "app"])))
        #expect(try await !isAccepted(.notChecked(requiring: ["count": "1"])))
        #expect(try await !isAccepted(.notChecked(requiring: [:])))
        #expect(try await !isAccepted("app"))
    }

    @Test
    func `an unsigned token is not accepted, even if there is a key for none`() async throws {
        let keys = await JWTKeyCollection().addUnsecuredNone()
        let token = try await keys.sign(Claims())
        #expect(try await Self.authenticator(keys).principal(bearing: token) == nil)
        #expect(try await authenticator.principal(bearing: token) == nil)
    }

    @Test
    func `a token that names another algorithm than the key's is not accepted`() async throws {
        for algorithm in ["HS512", "ES256", "none", "nOnE"] {
            let token = try await keys.sign(Claims(), kid: "hmac", header: ["alg": .string(algorithm)])
            let principal = try await authenticator.principal(bearing: token)
            #expect(principal == nil, "\(algorithm)")
        }
    }

    @Test
    func `a token with another signer or a changed content is not accepted`() async throws {
        let other = await JWTKeyCollection().add(
            hmac: "another secret, which is long enough too",
            digestAlgorithm: .sha256
        )
        #expect(try await authenticator.principal(bearing: other.sign(Claims(), kid: nil)) == nil)
        let token = try await keys.sign(Claims(), kid: "hmac")
        var parts = token.split(separator: ".").map(String.init)
        parts[1] = Data(#"{"iss":"https://issuer.example","aud":"notes","sub":"root","exp":1100}"#.utf8)
            .base64EncodedString()
            .filter { $0 != "=" }
        #expect(try await authenticator.principal(bearing: parts.joined(separator: ".")) == nil)
    }

    @Test(arguments: ["", ".", "..", "a.b.c", "e30.e30.", "eyJhbGciOiJIUzI1NiJ9.e30.", "eyJhbGciOiJIUzI1NiJ9", "💥.💥.💥"])
    func `a text that is not a token is not accepted`(token: String) async throws {
        #expect(try await authenticator.principal(bearing: token) == nil)
    }

    @Test
    func `a token with critical extensions is not accepted`() async throws {
        let token = try await keys.sign(Claims(), kid: "hmac", header: ["crit": ["b64"], "b64": false])
        #expect(try await authenticator.principal(bearing: token) == nil)
    }

    @Test(arguments: [(1_100.4, true), (1_100.5, false), (1_100.6, false)])
    func `a leeway may be less than a second`(time: Double, isAccepted: Bool) async throws {
        let token = try await keys.sign(Claims(), kid: "hmac")
        let authenticator = try Self.authenticator(keys, at: time, leeway: .milliseconds(500))
        #expect(try await (authenticator.principal(bearing: token) != nil) == isAccepted)
    }

    @Test
    func `a leeway may be zero and not negative`() throws {
        _ = try Self.authenticator(keys, leeway: .zero)
        #expect(throws: NegativeLeeway.self) {
            _ = try Self.authenticator(keys, leeway: .milliseconds(-1))
        }
    }

    @Test
    func `without any key, or without the named one, no token is accepted`() async throws {
        let token = try await keys.sign(Claims(), kid: "hmac")
        #expect(try await Self.authenticator(JWTKeyCollection()).principal(bearing: token) == nil)
        let others = await JWTKeyCollection().add(hmac: Self.secret, digestAlgorithm: .sha256, kid: "other")
        await others.clearDefault()
        #expect(try await Self.authenticator(others).principal(bearing: token) == nil)
        #expect(try await Self.authenticator(others).principal(bearing: keys.sign(Claims(), kid: nil)) == nil)
    }
}
