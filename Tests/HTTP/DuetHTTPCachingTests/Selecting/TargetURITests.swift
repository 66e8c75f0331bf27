import DuetHTTPCaching
import HTTPTypes
import Testing

@Suite("Section 2, cache keys")
struct TargetURITests {
    private func key(_ scheme: String?, _ authority: String?, _ path: String?) -> String? {
        TargetURI(HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path))?.uri
    }

    @Test(arguments: [
        ("https", "example.com", "/", "https://example.com/"), ("HTTPS", "EXAMPLE.com:443", "", "https://example.com/"),
        ("http", "example.com:80", "/a", "http://example.com/a"),
        ("http", "example.com:", "/a", "http://example.com/a"),
        ("http", "example.com:443", "/", "http://example.com:443/"),
        ("https", "example.com:8443", "/", "https://example.com:8443/"),
        ("https", "[::1]:443", "/", "https://[::1]/"), ("https", "example.com", "?a", "https://example.com/?a"),
        ("https", "example.com", "/A?B", "https://example.com/A?B"),
        // Servers may distinguish these from /~a.
        ("https", "example.com", "/%7ea", "https://example.com/%7ea"),
        ("https", "example.com", "/b/../~a", "https://example.com/b/../~a"),
    ])
    func `equal URIs have equal keys, others do not`(scheme: String, authority: String, path: String, uri: String) {
        #expect(key(scheme, authority, path) == uri)
    }

    @Test func `a target without a host, or with a user, has no key`() {
        #expect(key(nil, "example.com", "/") == nil)
        #expect(key("ftp", "example.com", "/") == nil)
        #expect(key("https", nil, "/") == nil)
        #expect(key("https", "", "/") == nil)
        #expect(key("https", "user:secret@example.com", "/") == nil)
        // The lowercase letter of the Kelvin sign is an ordinary k.
        #expect(key("https", "\u{212A}.example", "/") == nil)
        #expect(key("https", "example.com", "*") == nil)
        #expect(key("https", "example.com", nil) == "https://example.com/")
    }

    @Test(arguments: ["/\u{e9}", "/e\u{301}", "/a#b", "/#", "/a b", "?\u{e9}", "/\u{301}"])
    func `a target with invalid characters has no key`(path: String) {
        #expect(key("https", "example.com", path) == nil)
    }

    @Test(arguments: ["ex\u{e4}mple.com", "a/b", "a?b", "a#b", "a\\b", "a b"])
    func `an invalid host has no key either`(authority: String) {
        #expect(key("https", authority, "/") == nil)
    }

    @Test(arguments: [
        (Array("/b".utf8), "https://example.com/b"), (Array("b#c".utf8), "https://example.com/b"),
        (Array("/\u{e9}".utf8), "https://example.com/%C3%A9"), (Array("/e\u{301}".utf8), "https://example.com/e%CC%81"),
        ([0x2F, 0xE9], "https://example.com/%E9"), (Array("/a b".utf8), "https://example.com/a%20b"),
        (Array("/\u{301}/../c".utf8), "https://example.com/c"),
    ])
    func `a reference has the key of the request that follows it`(reference: [UInt8], uri: String) {
        let field = HTTPField(name: .location, value: reference)
        #expect(TargetURI(field, relativeTo: Exchange.request())?.uri == uri)
    }
}
