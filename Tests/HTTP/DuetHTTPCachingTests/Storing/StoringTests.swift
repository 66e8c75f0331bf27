import DuetHTTPCaching
import HTTPTypes
import Testing

@Suite("Section 3, storing responses")
struct StoringTests {
    private func refusal(_ exchange: Exchange, _ policy: HTTPCachePolicy = .private) -> NotStored? {
        if case .refuse(let reason) = exchange.decision(policy) { reason } else { nil }
    }

    @Test(
        arguments: [
            (["Cache-Control: max-age=60"], nil, nil), (["Cache-Control: s-maxage=60"], .noFreshness, nil),
            (["Expires: @60"], nil, nil), (["Expires: 0"], nil, nil), (["Cache-Control: max-age=0"], nil, nil),
            (["Last-Modified: @-60"], nil, nil), (["ETag: \"a\""], nil, nil),
            // The response could never be reused.
            ([], .noFreshness, .noFreshness), (["Cache-Control: public"], .noFreshness, .noFreshness),
            (["Cache-Control: no-cache, max-age=60"], .noFreshness, .noFreshness),
            (["Cache-Control: no-cache", "ETag: \"a\""], nil, nil),
            (["Cache-Control: no-cache=\"a\", max-age=60"], nil, nil),
            (["Cache-Control: max-age=0, must-revalidate"], .noFreshness, .noFreshness),
            (["Cache-Control: max-age=0, proxy-revalidate"], nil, .noFreshness),
            (["Cache-Control: max-age=0, must-revalidate", "ETag: \"a\""], nil, nil),
            // Without its type, the body would have a different meaning.
            (["Cache-Control: no-cache=\"a, content-type\", max-age=60"], .noFreshness, .noFreshness),
            // Section 5.2.2.5.
            (["Cache-Control: no-store"], .noStore, .noStore),
            (["Cache-Control: max-age=60, no-store", "Expires: @60"], .noStore, .noStore),
            // Section 5.2.2.7.
            (["Cache-Control: private, max-age=60"], nil, .private),
            (["Cache-Control: private=\"a\", max-age=60"], nil, nil),
            (["Cache-Control: private, public, max-age=60"], nil, .private),
            // RFC 9213, section 2.2.
            (["Cache-Control: no-store", "CDN-Cache-Control: max-age=60"], .noStore, nil),
            (["Cache-Control: max-age=60", "CDN-Cache-Control: no-store"], nil, .noStore),
            (["Cache-Control: max-age=60", "CDN-Cache-Control: private"], nil, .private),
            (["Cache-Control: no-store", "CDN-Cache-Control: max-age=60, &&&"], .noStore, .noStore),
            (["Cache-Control: no-store", "CDN-Cache-Control: max-age=\"60\""], .noStore, .noStore),
            // Section 7.3: a cookie is not assumed to be meant for all users.
            (["Last-Modified: @-60", "Set-Cookie: a=b"], nil, .notCacheable),
            (["ETag: \"a\"", "Set-Cookie: a=b"], nil, .notCacheable),
            (["ETag: \"a\"", "Set-Cookie: a=b", "Cache-Control: public"], nil, nil),
            (["Cache-Control: max-age=60", "Set-Cookie: a=b"], nil, nil),
            // A lifetime of zero does not permit sharing.
            (["Cache-Control: max-age=0", "Set-Cookie: a=b"], nil, .notCacheable),
            (["Expires: -1", "ETag: \"a\"", "Set-Cookie: a=b"], nil, .notCacheable),
            (["Cache-Control: max-age=60, no-cache", "ETag: \"a\"", "Set-Cookie: a=b"], nil, .notCacheable),
            (["Cache-Control: max-age=0, public", "Set-Cookie: a=b"], nil, nil),
            (["Cache-Control: max-age=0, private=\"set-cookie\"", "Set-Cookie: a=b"], nil, nil),
            // Of contradictory directives, the stricter applies, and of two numbers the first.
            (["Cache-Control: public, no-store, max-age=60"], .noStore, .noStore),
            (["Cache-Control: public", "Cache-Control: private", "Expires: @60"], nil, .private),
            (["Cache-Control: max-age=60, no-cache=\"a\"", "Cache-Control: no-cache"], .noFreshness, .noFreshness),
            // Section 4.1.
            (["Cache-Control: max-age=60", "Vary: *"], .vary, .vary),
            (["Cache-Control: max-age=60", "Vary: a b"], .vary, .vary),
        ] as [([String], NotStored?, NotStored?)]
    )
    func `response directives allow or forbid storing`(lines: [String], inPrivate: NotStored?, inShared: NotStored?) {
        #expect(refusal(Exchange(lines)) == inPrivate)
        #expect(refusal(Exchange(lines), .shared) == inShared)
    }

    @Test func `section 5.2.1.5: a request can forbid storing, and Pragma has no effect`() {
        #expect(refusal(Exchange(.get, "/", ["Cache-Control: no-store"], ["Cache-Control: max-age=60"])) == .noStore)
        #expect(refusal(Exchange(.get, "/", ["Pragma: no-store, no-cache"], ["Cache-Control: max-age=60"])) == nil)
        #expect(refusal(Exchange(["Pragma: no-cache", "Cache-Control: max-age=60"])) == nil)
    }

    @Test(arguments: [200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599])
    func `with an explicit lifetime every final status code is stored`(status: Int) {
        #expect(refusal(Exchange(status: status, ["Cache-Control: max-age=60"]), .shared) == nil)
        #expect(refusal(Exchange(status: status, ["Expires: @60"]), .shared) == nil)
    }

    @Test(
        arguments: [(200, nil), (301, nil), (400, .noFreshness), (404, .noFreshness), (503, .noFreshness)]
            as [(Int, NotStored?)]
    )
    func `an error that was never fresh does not replace a value`(status: Int, reason: NotStored?) {
        for line in ["Cache-Control: max-age=0", "Cache-Control: private, max-age=0", "Expires: 0"] {
            #expect(refusal(Exchange(status: status, [line])) == reason)
        }
    }

    @Test(arguments: [100, 101, 102, 103, 199, 304, 412, 416])
    func `a response that is not final, or for one request alone, is not stored`(status: Int) {
        #expect(refusal(Exchange(status: status, ["Cache-Control: max-age=60"])) == .status)
    }

    @Test(arguments: [201, 202, 302, 303, 307, 403, 500, 502, 503, 504, 599])
    func `without an explicit lifetime the status code must be heuristically cacheable`(status: Int) {
        let validators = ["Last-Modified: @-60", "ETag: \"a\""]
        #expect(refusal(Exchange(status: status, validators), .shared) == .notCacheable)
        #expect(refusal(Exchange(status: status, validators + ["Cache-Control: public"]), .shared) == nil)
        #expect(refusal(Exchange(status: status, validators + ["Cache-Control: private"]), .private) == nil)
    }

    @Test(
        arguments: [
            (200, nil), (404, nil), (503, nil), (299, .notUnderstood), (599, .notUnderstood), (499, .notUnderstood),
        ] as [(Int, NotStored?)]
    )
    func `section 5.2.2.3: must-understand overrides no-store if the status code is known`(
        status: Int,
        reason: NotStored?
    ) {
        #expect(refusal(Exchange(status: status, ["Cache-Control: max-age=60, no-store, must-understand"])) == reason)
    }

    @Test(
        arguments: [
            (HTTPRequest.Method.get, nil), (.head, nil), (.put, .method), (.delete, .method), (.options, .method),
            (.post, .method),
        ] as [(HTTPRequest.Method, NotStored?)]
    )
    func `responses to GET and HEAD are stored`(method: HTTPRequest.Method, reason: NotStored?) {
        #expect(refusal(Exchange(method, "/", [], ["Cache-Control: max-age=60"])) == reason)
    }

    @Test(
        arguments: [
            (["Cache-Control: max-age=60", "Content-Location: /a?b"], nil),
            (["Expires: @60", "Content-Location: a?b"], nil),
            (["Cache-Control: max-age=60", "Content-Location: https://EXAMPLE.com:443/a?b"], nil),
            (["Cache-Control: max-age=60", "Content-Location: /a"], .method),
            (["Cache-Control: max-age=60", "Content-Location: https://example.org/a?b"], .method),
            (["ETag: \"a\"", "Last-Modified: @-99", "Content-Location: /a?b"], .method),
            (["Cache-Control: max-age=60"], .method),
        ] as [([String], NotStored?)]
    )
    func `RFC 9110, section 9.3.3: a response to POST is stored for GET if it declares that`(
        lines: [String],
        reason: NotStored?
    ) {
        let exchange = Exchange(.post, "/a?b", [], lines)
        #expect(refusal(exchange) == reason)
        #expect(exchange.decision().stored?.method ?? .get == .get)
    }

    @Test(arguments: [(200, nil), (201, nil), (303, NotStored.method), (404, .method), (422, .method), (500, .method)])
    func `RFC 9110, section 8.7: an unsuccessful POST is not stored for GET`(
        status: Int,
        reason: NotStored?
    ) {
        let lines = ["Cache-Control: max-age=60", "Content-Location: /a"]
        #expect(refusal(Exchange(.post, "/a", [], status: status, lines)) == reason)
    }

    @Test(
        arguments: [
            ("max-age=60", NotStored.authorization), ("max-age=60, public", nil), ("max-age=60, must-revalidate", nil),
            ("s-maxage=60", nil), ("max-age=60, proxy-revalidate", .authorization),
            ("max-age=60, immutable", .authorization),
        ] as [(String, NotStored?)]
    )
    func `section 3.5: a response to Authorization is shared only with the origin's permission`(
        value: String,
        reason: NotStored?
    ) {
        let exchange = Exchange(.get, "/", ["Authorization: Bearer x"], ["Cache-Control: \(value)", "ETag: \"a\""])
        #expect(refusal(exchange, .shared) == reason)
        #expect(refusal(exchange, .private) == nil)
    }

    @Test func `section 3.3: a response to a range is stored if it has the position`() {
        func refusal(_ request: [String], _ lines: [String]) -> NotStored? {
            self.refusal(Exchange(.get, "/", request, status: 206, ["Cache-Control: max-age=60"] + lines))
        }
        #expect(refusal(["Range: bytes=0-4"], ["Content-Range: bytes 0-4/10"]) == nil)
        #expect(refusal(["Range: bytes=0-4"], ["Content-Range: bytes 0-4/*"]) == nil)
        #expect(refusal([], ["Content-Range: bytes 0-4/10"]) == .range)
        #expect(refusal(["Range: bytes=0-4"], []) == .range)
        #expect(refusal(["Range: bytes=0-1,3-4"], ["Content-Type: multipart/byteranges; boundary=x"]) == .range)
        #expect(refusal(["Range: bytes=0-4"], ["Content-Range: bytes 4-0/10"]) == .range)
        #expect(refusal(["Range: items=0-4"], ["Content-Range: items 0-4/10"]) == .range)
    }
}
