import Duet
import DuetContext
import DuetHTTP
import Testing

@Suite
struct StaticTokenAuthenticatorTests {
    private let tokens = StaticTokenAuthenticator([
        TokenHash(of: "one"): Principal(id: "1"), TokenHash(of: "two"): Principal(id: "2", scopes: ["write"]),
    ])

    @Test
    func `a token is known by its hash`() async throws {
        #expect(try await tokens.principal(bearing: "one") == Principal(id: "1"))
        #expect(try await tokens.principal(bearing: "two") == Principal(id: "2", scopes: ["write"]))
    }

    @Test(arguments: ["", "on", "onee", "One", "three"])
    func `another token is not known`(token: String) async throws {
        #expect(try await tokens.principal(bearing: token) == nil)
    }

    @Test
    func `hashes can be looked up`() async throws {
        let tokens = StaticTokenAuthenticator { hash in hash == TokenHash(of: "three") ? Principal(id: "3") : nil }
        #expect(try await tokens.principal(bearing: "three") == Principal(id: "3"))
        #expect(try await tokens.principal(bearing: "one") == nil)
    }

    @Test
    func `a hash is written as hexadecimal SHA-256 and read back`() {
        // FIPS 180-2, appendix B.1.
        let digits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(TokenHash(of: "abc").description == digits)
        #expect(TokenHash(digits) == TokenHash(of: "abc"))
        #expect(TokenHash(digits.uppercased()) == TokenHash(of: "abc"))
    }

    @Test(arguments: [
        "", String(repeating: "a", count: 63), String(repeating: "a", count: 65),
        "g" + String(repeating: "a", count: 63),
    ])
    func `any other text is not a hash`(text: String) {
        #expect(TokenHash(text) == nil)
    }
}
