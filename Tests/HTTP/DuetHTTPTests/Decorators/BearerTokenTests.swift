import DuetHTTP
import Testing

/// The token after `Bearer` (RFC 6750, section 2.1).
@Suite
struct BearerTokenTests {
    @Test(arguments: ["a", "Z9", "-._~+/", "mF_9.B5f-4.1JqM", "YWJj=", "YQ=="])
    func `a token is letters, digits and six signs, with equal signs at its end`(token: String) {
        #expect(token.isBearerToken)
    }

    @Test(arguments: ["", "=", "==", "a=b", "a b", " a", "a\n", "\"a\"", "a,b", "a:b", "ä", "a%20", "a\u{0}"])
    func `anything else is not a token`(token: String) {
        #expect(!token.isBearerToken)
    }
}
