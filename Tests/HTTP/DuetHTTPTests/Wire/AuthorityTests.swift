import DuetHTTP
import HTTPTypes
import Testing

@Suite("RFC 3986, section 3.2, and RFC 9110, section 7.2")
struct AuthorityTests {
    @Test(arguments: [
        ("example.com", "example.com", ""), ("EXAMPLE.com:8080", "example.com", "8080"), ("a:", "a", ""),
        ("[::1]", "[::1]", ""), ("[2001:DB8::1]:443", "[2001:db8::1]", "443"), ("me:secret@a:1", "a", "1"),
    ])
    func `an authority is a host and a port`(text: String, host: String, port: String) throws {
        let authority = try #require(Authority(text))
        #expect(authority.host == host)
        #expect(authority.port == port)
        #expect(authority.hasUser == text.contains("@"))
    }

    @Test(arguments: ["", ":80", "me@", "me@:80"])
    func `a text without a host is not an authority`(text: String) {
        #expect(Authority(text) == nil)
    }

    @Test(arguments: [
        ("a", true), ("a:", true), ("a:0", true), ("a:65535", true), ("a:65536", false), ("a:x", false),
        ("a:+1", false),
        ("[::1]:x", false),
    ])
    func `a port is a number that TCP has`(text: String, isPossible: Bool) throws {
        #expect(try #require(Authority(text)).hasPossiblePort == isPossible)
    }

    @Test(arguments: [
        ("a.example", true), ("127.0.0.1:80", true), ("[::1]", true), ("[::1]:80", true), ("a_b-c", true),
        ("a b", false), ("me@a", false), ("a:x", false), ("[::1", false), ("[::1]x", false), ("a[b", false),
        ("::1", false), ("[]", false), ("a/b", false), ("é", false),
    ])
    func `a server has a name or an address`(text: String, isServerName: Bool) throws {
        #expect(try #require(Authority(text)).isServerName == isServerName)
    }

    @Test(arguments: [
        ("a:80", "http", "a"), ("a:443", "https", "a"), ("a:443", "http", "a:443"), ("a:", "http", "a"),
        ("[::1]:80", "http", "[::1]"), ("A:8080", "http", "a:8080"),
    ])
    func `the default port can be omitted`(text: String, scheme: String, result: String) throws {
        #expect(try #require(Authority(text)).text(withoutDefaultPortOf: scheme) == result)
    }

    @Test(arguments: [
        ("http", "a", "HTTP", "A:80", true), ("https", "a", "https", "a:443", true), ("http", "a", "https", "a", false),
        ("http", "a", "http", "b", false), ("http", "a:1", "http", "a:2", false), ("http", "me@a", "http", "a", true),
    ])
    func `an origin is a scheme, a host and a port`(
        scheme: String,
        authority: String,
        otherScheme: String,
        other: String,
        isSame: Bool
    ) {
        func origin(_ scheme: String, _ authority: String) -> HTTPOrigin? {
            HTTPOrigin(HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/"))
        }
        #expect((origin(scheme, authority) == origin(otherScheme, other)) == isSame)
    }

    @Test(arguments: [
        (["\"a\""], true), (["W/\"a\""], true), (["\"x,y\", \"a\""], true), (["\"b\"", "\"a\""], true), (["*"], true),
        (["\"b\""], false), (["x*"], false), ([], false), (["\"a"], false),
    ])
    func `If-None-Match lists a tag by weak comparison`(fields: [String], isListed: Bool) throws {
        #expect(try #require(EntityTag(strong: "a")).isListed(in: fields) == isListed)
    }
}
