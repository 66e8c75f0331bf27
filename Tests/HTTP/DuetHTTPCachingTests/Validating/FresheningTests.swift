import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 4.3.3, receiving the answer, and section 4.3.4, freshening")
struct FresheningTests {
    private func receive(
        _ stored: [String],
        _ answer: [String],
        status: Int = 304,
        request: [String] = [],
        _ policy: HTTPCachePolicy = HTTPCachePolicy()
    ) throws -> Interpretation {
        let stored = try Exchange(["Cache-Control: max-age=2", "Date: @0"] + stored).stored(policy)
        let request = Exchange(.get, "/", request).request
        let validation = try #require(policy.lookup(in: [stored], for: request, at: Exchange.date(3)).validation)
        return validation.interpret(Exchange(status: status, answer).response, at: Exchange.times(3), by: policy)
    }

    private func freshened(
        _ stored: [String],
        _ answer: [String],
        request: [String] = [],
        _ policy: HTTPCachePolicy = HTTPCachePolicy()
    ) throws -> Freshened? {
        if case .confirmed(let freshened) = try receive(stored, answer, request: request, policy) {
            freshened
        } else {
            nil
        }
    }

    @Test(
        arguments: [
            (["ETag: \"a\""], ["ETag: \"a\""], true), (["ETag: \"a\""], ["ETag: \"b\""], false),
            (["ETag: W/\"a\""], ["ETag: \"a\""], false),
            (["ETag: W/\"a\""], ["ETag: W/\"a\""], true), (["ETag: \"a\""], ["ETag: W/\"a\""], true),
            (["ETag: W/\"a\""], ["ETag: W/\"b\""], false),
            (["Last-Modified: @-9"], ["Last-Modified: @-9"], true),
            (["Last-Modified: @-9"], ["Last-Modified: @-8"], false),
            (["Last-Modified: @-9", "ETag: \"a\""], ["Last-Modified: @-9"], true),
            (["Last-Modified: @-9"], ["ETag: \"a\""], false),
            // An unreadable tag confirms nothing. If both are unreadable, the dates are compared.
            (["ETag: \"a\""], ["ETag: \"\u{FFFD}\""], false), ([], ["ETag: \"\u{FFFD}\""], false),
            (["Last-Modified: @-9", "ETag: \"\u{FFFD}\""], ["ETag: \"\u{FFFD}\""], true),
            (["Last-Modified: @-9", "ETag: \"\u{FFFD}\""], ["ETag: \"\u{FFFD}\"", "Last-Modified: @-8"], false),
            (["Last-Modified: @-9", "ETag: \"\u{FFFD}\""], ["ETag: \"a\"", "Last-Modified: @-9"], false),
            // An origin does not have to repeat the validator.
            (["ETag: \"a\""], [], true), (["Last-Modified: @-9"], [], true), ([], [], true),
        ] as [([String], [String], Bool)]
    )
    func `a 304 confirms a response with its validator`(stored: [String], answer: [String], confirms: Bool) throws {
        #expect(try (freshened(stored, answer) != nil) == confirms)
    }

    @Test func `a 304 to the client's condition confirms nothing`() throws {
        #expect(try receive([], ["ETag: \"z\""], request: ["If-None-Match: \"z\""]) == .unusable)
        #expect(try receive([], [], request: ["If-Modified-Since: @0"]) == .unusable)
    }

    @Test(arguments: [
        (["ETag: \"a\""], ["If-None-Match: \"a\""]), (["Last-Modified: @-9"], ["If-Modified-Since: @-9"]),
        (["ETag: \"a\"", "Last-Modified: @-9"], ["If-Modified-Since: @-9", "If-None-Match: \"a\""]),
    ])
    func `a 304 to a client with the stored response confirms that response`(stored: [String], request: [String]) throws
    {
        #expect(try freshened(stored, stored, request: request) != nil)
    }

    @Test(arguments: [
        (200, Interpretation.replaced), (404, .replaced), (206, .replaced), (412, .replaced),
        (500, .failed), (503, .failed), (501, .replaced),
    ])
    func `any other response replaces the stored one, or is a failure`(status: Int, result: Interpretation) throws {
        #expect(try receive(["ETag: \"a\""], ["ETag: \"a\""], status: status) == result)
    }

    @Test func `a confirmed response is fresh again`() throws {
        let freshened = try #require(try freshened(["ETag: \"a\""], ["Cache-Control: max-age=60", "Date: @3"]))
        #expect(freshened.refusal == nil)
        #expect(freshened.new.body == freshened.old.body)
        let reuse = HTTPCachePolicy().lookup(
            in: [freshened.new],
            for: Exchange.request(),
            at: Exchange.date(62)
        )
        #expect(reuse.hit?.age == 59)
        #expect(
            HTTPCachePolicy().lookup(in: [freshened.new], for: Exchange.request(), at: Exchange.date(63))
                .outcome == .validate(.stale)
        )
    }

    @Test(arguments: [
        (["Cache-Control: no-store"], false), (["Cache-Control: private, max-age=9"], true), (["Vary: *"], false),
        (["Vary: a"], true),
    ])
    func `a 304 may forbid storing the response that it confirms`(
        answer: [String],
        isStorable: Bool
    ) throws {
        let freshened = try #require(try freshened(["ETag: \"a\""], answer))
        #expect((freshened.refusal == nil) == isStorable)
    }

    @Test func `section 4.1: another Vary in a 304 selects by the request of that 304`() throws {
        let freshened = try #require(try freshened(["ETag: \"a\""], ["Vary: a"], request: ["a: 1"]))
        #expect(freshened.new.selection.matches(Exchange.request("a: 1")))
        #expect(!freshened.new.selection.matches(Exchange.request("a: 2")))
    }
}
