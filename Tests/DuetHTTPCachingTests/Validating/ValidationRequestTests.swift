import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 4.3.1, sending a validation request")
struct ValidationRequestTests {
    private func validation(_ lines: [String], _ request: String..., method: HTTPRequest.Method = .get) throws
        -> Validation
    {
        let stored = try Exchange(["Cache-Control: max-age=0"] + lines).stored()
        let request = Exchange(method, "/", request).request
        return try #require(HTTPCachePolicy.private.reuse(of: [stored], for: request, at: Exchange.date(1)).validation)
    }

    @Test(
        arguments: [
            (["ETag: \"a\""], "\"a\"", nil), (["ETag: W/\"a\""], "W/\"a\"", nil), (["ETag: a"], "a", nil),
            (["ETag: \"ü\""], "\"ü\"", nil),
            (["Last-Modified: Sun Nov  6 08:49:37 1994"], nil, "Sun Nov  6 08:49:37 1994"),
            (["ETag: \"a\"", "Last-Modified: @-9"], "\"a\"", "Tue, 14 Nov 2023 22:13:11 GMT"), ([], nil, nil),
        ] as [([String], String?, String?)]
    )
    func `the validators are sent as the origin wrote them`(lines: [String], tag: String?, date: String?) throws {
        let fields = try validation(lines).request.headerFields
        #expect(fields[.ifNoneMatch] == tag)
        #expect(fields[.ifModifiedSince] == date)
    }

    @Test func `the client's own conditions give way, and all else goes with it`() throws {
        let own = ["If-None-Match: \"z\"", "If-Modified-Since: @0", "a: 1", "Range: bytes=0-1", "If-Range: \"z\""]
        let stored = try Exchange(["Cache-Control: max-age=0", "ETag: \"a\""]).stored()
        let request = Exchange(.get, "/p?q", own).request
        let validation = try #require(
            HTTPCachePolicy.private.reuse(of: [stored], for: request, at: Exchange.date(1)).validation
        )
        #expect(validation.original == request)
        let sent = validation.request
        #expect(sent.path == "/p?q" && sent.method == .get)
        #expect(sent.headerFields[values: .ifNoneMatch] == ["\"a\""])
        #expect(sent.headerFields[.ifModifiedSince] == nil)
        #expect(
            sent.headerFields[.a] == "1" && sent.headerFields[.range] == "bytes=0-1"
                && sent.headerFields[.ifRange] == "\"z\""
        )
    }

    @Test func `without validators the client's own conditions stay`() throws {
        let validation = try validation([], "If-None-Match: \"z\"")
        #expect(validation.request == validation.original)
    }

    @Test func `HEAD is validated by HEAD`() throws {
        #expect(try validation(["ETag: \"a\""], method: .head).request.method == .head)
    }

    @Test func `in the background neither range nor conditions of the client count`() throws {
        let stored = try Exchange(["Cache-Control: max-age=0", "ETag: \"a\""]).stored()
        let request = Exchange.request(
            "Range: bytes=0-1",
            "If-None-Match: \"z\"",
            "If-Range: \"z\"",
            "a: 1",
            method: .head
        )
        let sent = HTTPCachePolicy.private.validation(of: stored, for: request).request
        #expect(sent.method == .get)
        #expect(Set(sent.headerFields.map(\.name)) == [.a, .ifNoneMatch])
    }

    @Test func `section 4.1: when another variant is asked for, the tags of all are sent, the newest first`() throws {
        let stored =
            try (0..<3).map { number in
                try Exchange(
                    .get,
                    "/",
                    ["a: \(number)"],
                    ["Cache-Control: max-age=60", "Vary: a", "ETag: \"\(number)\"", "Date: @\(number)"]
                ).stored()
            } + [try Exchange(.get, "/", ["a: 5"], ["Cache-Control: max-age=60", "Vary: a"]).stored()]
        let reuse = HTTPCachePolicy.private.reuse(of: stored, for: Exchange.request("a: 9"), at: Exchange.date(1))
        let validation = try #require(reuse.validation)
        #expect(validation.reason == .varyMiss)
        #expect(validation.request.headerFields[values: .ifNoneMatch] == ["\"2\", \"1\", \"0\""])
        for own in ["If-None-Match: \"z\"", "If-Modified-Since: @0", "Range: bytes=0-1"] {
            let reuse = HTTPCachePolicy.private.reuse(
                of: stored,
                for: Exchange.request("a: 9", own),
                at: Exchange.date(1)
            )
            #expect(reuse == .forward(.varyMiss), "\(own)")
        }
    }

    @Test(arguments: [(15, 15), (16, 16), (17, 16)])
    func `section 4.1: no more than sixteen tags are sent`(count: Int, sent: Int) throws {
        let stored = try (0..<count).map { number in
            try Exchange(.get, "/", ["a: \(number)"], ["Cache-Control: max-age=60", "Vary: a", "ETag: \"\(number)\""])
                .stored()
        }
        let validation = HTTPCachePolicy.private.reuse(of: stored, for: Exchange.request("a: x"), at: Exchange.start)
            .validation
        #expect(try #require(validation).request.headerFields[.ifNoneMatch]?.split(separator: ",").count == sent)
    }
}
