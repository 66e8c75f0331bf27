import DuetHTTPCaching
import HTTPTypes
import Testing

@Suite("Section 2, cache keys")
struct CacheKeyTests {
    private func key(_ scheme: String?, _ authority: String?, _ path: String?) -> String? {
        CacheKey(HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path))?.uri
    }

    @Test(arguments: [
        ("https", "example.com", "/", "https://example.com/"), ("HTTPS", "EXAMPLE.com:443", "", "https://example.com/"),
        ("http", "example.com:80", "/a", "http://example.com/a"),
        ("http", "example.com:", "/a", "http://example.com/a"),
        ("http", "example.com:443", "/", "http://example.com:443/"),
        ("https", "example.com:8443", "/", "https://example.com:8443/"),
        ("https", "[::1]:443", "/", "https://[::1]/"), ("https", "example.com", "?a", "https://example.com/?a"),
        ("https", "example.com", "/A?B", "https://example.com/A?B"),
        ("https", "example.com", "/a#b", "https://example.com/a"),
        // Servers tell these from /~a, so that they are not the same.
        ("https", "example.com", "/%7ea", "https://example.com/%7ea"),
        ("https", "example.com", "/b/../~a", "https://example.com/b/../~a"),
    ])
    func `equal URIs have equal keys, others do not`(scheme: String, authority: String, path: String, uri: String) {
        #expect(key(scheme, authority, path) == uri)
    }

    @Test func `what goes to no host, or on behalf of somebody, has no key`() {
        #expect(key(nil, "example.com", "/") == nil)
        #expect(key("ftp", "example.com", "/") == nil)
        #expect(key("https", nil, "/") == nil)
        #expect(key("https", "", "/") == nil)
        #expect(key("https", "user:secret@example.com", "/") == nil)
        #expect(key("https", "example.com", "*") == nil)
        #expect(key("https", "example.com", nil) == "https://example.com/")
    }
}
