import DuetHTTPCaching
import HTTPTypes
import Testing

@Suite("Section 3, storing responses")
struct StoringTests {
    private func refusal(_ exchange: Exchange) -> NotStored? {
        if case .refuse(let reason) = exchange.decision() { reason } else { nil }
    }

    @Test(
        arguments: [
            (["Cache-Control: max-age=60"], nil), (["Cache-Control: s-maxage=60"], .noFreshness),
            (["Expires: @60"], nil), (["Expires: 0"], nil), (["Cache-Control: max-age=0"], nil),
            (["Last-Modified: @-60"], nil), (["ETag: \"a\""], nil),
            // The response could never be reused.
            ([], .noFreshness), (["Cache-Control: public"], .noFreshness),
            (["Cache-Control: no-cache, max-age=60"], .noFreshness),
            (["Cache-Control: no-cache", "ETag: \"a\""], nil),
            (["Cache-Control: no-cache=\"a\", max-age=60"], nil),
            (["Cache-Control: max-age=0, must-revalidate"], .noFreshness),
            (["Cache-Control: max-age=0, proxy-revalidate"], nil),
            (["Cache-Control: max-age=0, must-revalidate", "ETag: \"a\""], nil),
            // Without its type, the body would have a different meaning.
            (["Cache-Control: no-cache=\"a, content-type\", max-age=60"], .noFreshness),
            // Section 5.2.2.5.
            (["Cache-Control: no-store"], .noStore),
            (["Cache-Control: max-age=60, no-store", "Expires: @60"], .noStore),
            // Section 5.2.2.7.
            (["Cache-Control: private, max-age=60"], nil), (["Cache-Control: private=\"a\", max-age=60"], nil),
            (["Cache-Control: private, public, max-age=60"], nil),
            // A field for other caches (RFC 9213) has no effect.
            (["Cache-Control: no-store", "CDN-Cache-Control: max-age=60"], .noStore),
            (["Cache-Control: max-age=60", "CDN-Cache-Control: no-store"], nil),
            (["Last-Modified: @-60", "Set-Cookie: a=b"], nil),
            // Of contradictory directives, the stricter applies, and of two numbers the first.
            (["Cache-Control: public, no-store, max-age=60"], .noStore),
            (["Cache-Control: max-age=60, no-cache=\"a\"", "Cache-Control: no-cache"], .noFreshness),
            // Section 4.1.
            (["Cache-Control: max-age=60", "Vary: *"], .vary), (["Cache-Control: max-age=60", "Vary: a b"], .vary),
            // Nobody waits for the end of an event stream.
            (["Cache-Control: max-age=60", "Content-Type: text/event-stream"], .eventStream),
        ] as [([String], NotStored?)]
    )
    func `response directives allow or forbid storing`(lines: [String], reason: NotStored?) {
        #expect(refusal(Exchange(lines)) == reason)
    }

    @Test func `section 5.2.1.5: a request can forbid storing, and Pragma has no effect`() {
        #expect(refusal(Exchange(.get, "/", ["Cache-Control: no-store"], ["Cache-Control: max-age=60"])) == .noStore)
        #expect(refusal(Exchange(.get, "/", ["Pragma: no-store, no-cache"], ["Cache-Control: max-age=60"])) == nil)
        #expect(refusal(Exchange(["Pragma: no-cache", "Cache-Control: max-age=60"])) == nil)
    }

    @Test(arguments: [200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599])
    func `with an explicit lifetime every final status code is stored`(status: Int) {
        #expect(refusal(Exchange(status: status, ["Cache-Control: max-age=60"])) == nil)
        #expect(refusal(Exchange(status: status, ["Expires: @60"])) == nil)
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

    @Test(arguments: [100, 101, 102, 103, 199, 206, 304, 412, 416])
    func `a response that is not final, or for one request alone, is not stored`(status: Int) {
        #expect(refusal(Exchange(status: status, ["Cache-Control: max-age=60"])) == .status)
    }

    @Test(arguments: [201, 202, 302, 303, 307, 403, 500, 502, 503, 504, 599])
    func `without an explicit lifetime the status code must be heuristically cacheable`(status: Int) {
        let validators = ["Last-Modified: @-60", "ETag: \"a\""]
        #expect(refusal(Exchange(status: status, validators)) == .notCacheable)
        #expect(refusal(Exchange(status: status, validators + ["Cache-Control: public"])) == nil)
        #expect(refusal(Exchange(status: status, validators + ["Cache-Control: private"])) == nil)
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
            (HTTPRequest.Method.get, nil), (.head, .method), (.put, .method), (.delete, .method), (.options, .method),
            (.post, .method),
        ] as [(HTTPRequest.Method, NotStored?)]
    )
    func `responses to GET are stored`(method: HTTPRequest.Method, reason: NotStored?) {
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
    }

    @Test(arguments: [(200, nil), (201, nil), (303, NotStored.method), (404, .method), (422, .method), (500, .method)])
    func `RFC 9110, section 8.7: an unsuccessful POST is not stored for GET`(
        status: Int,
        reason: NotStored?
    ) {
        let lines = ["Cache-Control: max-age=60", "Content-Location: /a"]
        #expect(refusal(Exchange(.post, "/a", [], status: status, lines)) == reason)
    }
}
