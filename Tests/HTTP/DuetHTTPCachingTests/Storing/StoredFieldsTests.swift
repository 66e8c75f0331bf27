import DuetHTTPCaching
import HTTPTypes
import Testing

@Suite("Section 3.1, storing header and trailer fields")
struct StoredFieldsTests {
    private func names(_ lines: [String]) throws -> Set<String> {
        let stored = try #require(Exchange(["Cache-Control: max-age=60", "Date: @0"] + lines).decision().stored)
        return Set(stored.response.headerFields.map(\.name.canonicalName)).subtracting(["cache-control", "date"])
    }

    @Test(arguments: [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
        "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
    ])
    func `fields of the connection are not stored`(name: String) throws {
        #expect(try names(["\(name): value"]).isEmpty)
    }

    @Test(arguments: [
        "Test-Header", "Content-Foo", "Content-Encoding", "Content-Length", "Content-Location", "Content-MD5",
        "Content-Range",
        "Content-Security-Policy", "Content-Type", "Clear-Site-Data", "ETag", "Expires", "Public-Key-Pins",
        "Set-Cookie",
        "Set-Cookie2", "X-Frame-Options", "X-XSS-Protection", "Trailer", "Pragma", "Warning", "Age", "Cache-Status",
        "Link",
    ])
    func `all other final status codes are stored`(name: String) throws {
        #expect(try names(["\(name): value"]) == [name.lowercased()])
    }

    @Test(
        arguments: [
            (["Connection: a, b", "a: 1", "b: 2", "c: 3"], ["c"]),
            (["Connection: A", "Connection: b", "a: 1", "b: 2", "c: 3"], ["c"]),
            (["Connection: close", "a: 1"], ["a"]), (["Connection: ,, \"a\", b c", "a: 1", "b: 2"], ["a", "b"]),
            // These fields control how the response may be used, so that an attacker could gain from their removal.
            (["Connection: age, vary, etag", "Age: 1", "Vary: b", "ETag: \"x\""], ["age", "vary", "etag"]),
        ] as [([String], Set<String>)]
    )
    func `fields that Connection lists are not stored, unless they decide about caching`(
        lines: [String],
        stored: Set<String>
    )
        throws
    {
        #expect(try names(lines) == stored)
    }

    @Test func `RFC 9110, section 6.6.1: a response without a date gets one`() throws {
        let stored = try #require(Exchange(["Cache-Control: max-age=60"]).decision(at: 7).stored)
        #expect(stored.response.headerFields[.date] == "Tue, 14 Nov 2023 22:13:27 GMT")
        let dated = try #require(Exchange(["Cache-Control: max-age=60", "Date: foo"]).decision().stored)
        #expect(dated.response.headerFields[.date] == "foo")
    }
}
