import DuetHTTPCaching
import HTTPTypes
import Testing

@Suite("Section 4.4, invalidating stored responses")
struct InvalidationTests {
    private func uris(_ method: String, status: Int = 200, _ lines: String...) throws -> [String] {
        let exchange = Exchange(try #require(HTTPRequest.Method(method)), "/a/b?c", [], status: status, lines)
        return HTTPCachePolicy().invalidated(by: exchange.request, answered: exchange.response).map(\.uri)
    }

    @Test(arguments: [
        ("POST", true), ("PUT", true), ("DELETE", true), ("PATCH", true), ("M-SEARCH", true), ("FOO", true),
        ("post", true), ("GET", false),
        ("HEAD", false), ("OPTIONS", false), ("TRACE", false), ("QUERY", false), ("PROPFIND", false),
    ])
    func `methods that are not known to be safe invalidate`(method: String, invalidates: Bool) throws {
        #expect(try uris(method) == (invalidates ? ["https://example.com/a/b?c"] : []))
    }

    @Test(arguments: [
        (199, false), (200, true), (204, true), (303, true), (399, true), (400, false), (404, false), (500, false),
        (599, false),
    ])
    func `an error response invalidates nothing`(status: Int, invalidates: Bool) throws {
        #expect(try uris("POST", status: status).isEmpty == !invalidates)
    }

    @Test(
        arguments: [
            ("/d", "https://example.com/d"), ("d?e", "https://example.com/a/d?e"), ("../d", "https://example.com/d"),
            ("?e", "https://example.com/a/b?e"),
            ("https://example.com/d", "https://example.com/d"), ("HTTPS://EXAMPLE.COM:443/d", "https://example.com/d"),
            ("//example.com/d#f", "https://example.com/d"), ("https://example.org/d", nil),
            ("http://example.com/d", nil), ("https://example.com:444/d", nil),
            ("https://user@example.com/d", nil), ("", nil), ("mailto:a@example.com", nil), ("http://[", nil),
            (":", nil), ("https:d", nil), ("https:", nil),
            ("https://", nil), ("//", nil), ("https://example.com", "https://example.com/"),
            ("./d/.", "https://example.com/a/d/"),
            ("../../../d", "https://example.com/d"), ("/d/../e/./f/..", "https://example.com/e/"), ("a:80/d", nil),
            ("/d:e", "https://example.com/d:e"), ("https://example.com?e", "https://example.com/?e"),
            ("é|%7e", "https://example.com/a/%C3%A9|%7e"),
        ] as [(String, String?)]
    )
    func `Location and Content-Location invalidate on the same origin`(reference: String, uri: String?) throws {
        let expected = ["https://example.com/a/b?c"] + (uri.map { [$0] } ?? [])
        #expect(try uris("POST", "Location: \(reference)") == expected)
        #expect(try uris("POST", "Content-Location: \(reference)") == expected)
    }

    @Test func `each URI is listed once`() throws {
        #expect(try uris("POST", "Location: /d", "Content-Location: /e").count == 3)
        #expect(try uris("POST", "Location: /a/b?c", "Content-Location: /d", "Location: /e").count == 2)
    }
}
