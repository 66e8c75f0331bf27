import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 4.3.1, sending a validation request")
struct ValidationRequestTests {
    private func validation(_ lines: [String], _ request: String...) throws -> Fetch {
        let stored = try Exchange(["Cache-Control: max-age=0"] + lines).stored()
        let request = Exchange(.get, "/", request).request
        return try #require(HTTPCachePolicy().lookup(in: [stored], for: request, at: Exchange.date(1)).validation)
    }

    @Test(
        arguments: [
            (["ETag: \"a\""], "\"a\"", nil), (["ETag: W/\"a\""], "W/\"a\"", nil), (["ETag: a"], "a", nil),
            (["ETag: \"ü\""], "\"ü\"", nil),
            (["Last-Modified: Sun Nov  6 08:49:37 1994"], nil, "Sun Nov  6 08:49:37 1994"),
            (["ETag: \"a\"", "Last-Modified: @-9"], "\"a\"", "Tue, 14 Nov 2023 22:13:11 GMT"), ([], nil, nil),
        ] as [([String], String?, String?)]
    )
    func `validators are sent exactly as received`(lines: [String], tag: String?, date: String?) throws {
        let fields = try validation(lines).request.headerFields
        #expect(fields[.ifNoneMatch] == tag)
        #expect(fields[.ifModifiedSince] == date)
    }

    @Test func `validators replace the client's conditions, and other fields are kept`() throws {
        let own = ["If-None-Match: \"z\"", "If-Modified-Since: @0", "a: 1"]
        let stored = try Exchange(["Cache-Control: max-age=0", "ETag: \"a\""]).stored()
        let request = Exchange(.get, "/p?q", own).request
        let validation = try #require(
            HTTPCachePolicy().lookup(in: [stored], for: request, at: Exchange.date(1)).validation
        )
        #expect(validation.original == request)
        let sent = validation.request
        #expect(sent.path == "/p?q" && sent.method == .get)
        #expect(sent.headerFields[values: .ifNoneMatch] == ["\"a\""])
        #expect(sent.headerFields[.ifModifiedSince] == nil)
        #expect(sent.headerFields[.a] == "1")
    }

    @Test func `without validators the client's conditions stay`() throws {
        let validation = try validation([], "If-None-Match: \"z\"")
        #expect(validation.request == validation.original)
    }

    @Test func `section 4.1: the tags of other variants are not sent`() throws {
        let lines = ["Cache-Control: max-age=60", "Vary: a", "ETag: \"1\""]
        let stored = try Exchange(.get, "/", ["a: 1"], lines).stored()
        for age in [1.0, 61] {
            let reuse = HTTPCachePolicy().lookup(
                in: [stored],
                for: Exchange.request("a: 2"),
                at: Exchange.date(age)
            )
            #expect(reuse.outcome == .forward(.varyMiss))
        }
    }
}
