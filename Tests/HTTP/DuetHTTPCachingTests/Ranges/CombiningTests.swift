import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 3.4, combining partial content")
struct CombiningTests {
    private let lines = ["Cache-Control: max-age=60", "Date: @0", "ETag: \"a\"", "x: old"]

    private func part(_ range: String, _ lines: [String]? = nil) throws -> StoredResponse {
        try Exchange(
            .get,
            "/",
            ["Range: bytes=0-"],
            status: 206,
            (lines ?? self.lines) + ["Content-Range: bytes \(range)"]
        ).stored()
    }

    private func reuse(_ stored: StoredResponse, _ request: String..., after seconds: Double = 1) -> Lookup {
        HTTPCachePolicy.private.lookup(
            in: [stored],
            for: Exchange(.get, "/", request).request,
            at: Exchange.date(seconds)
        )
    }

    @Test(arguments: [
        ("bytes=4-9", Outcome.fresh), ("bytes=6-8", .fresh), ("bytes=6-", .fresh), ("bytes=-1", .fresh),
        ("bytes=-6", .fresh), ("bytes=6-99", .fresh),
        ("bytes=-7", .forward(.partial)), ("bytes=3-5", .forward(.partial)), ("bytes=0-3", .forward(.partial)),
        ("bytes=10-", .fresh),
    ])
    func `section 3.3: a stored part serves ranges within it`(value: String, outcome: Outcome) throws {
        #expect(reuse(try part("4-9/10"), "Range: \(value)").outcome == outcome)
        // No strong validator is needed for that.
        #expect(reuse(try part("4-9/10", ["Cache-Control: max-age=60"]), "Range: \(value)").outcome == outcome)
    }

    @Test(arguments: [
        ("bytes=4-9", Outcome.fresh), ("bytes=5-6", .fresh), ("bytes=5-", .forward(.partial)),
        ("bytes=-1", .forward(.partial)), ("bytes=9-10", .forward(.partial)),
    ])
    func `section 3.3: without a known length, a part serves ranges with both ends`(value: String, outcome: Outcome)
        throws
    {
        #expect(reuse(try part("4-9/*"), "Range: \(value)").outcome == outcome)
    }

    @Test func `a response from a part contains its position`() throws {
        let hit = try #require(reuse(try part("4-9/10"), "Range: bytes=6-8").hit)
        guard case .part(let head, 6..<9) = hit.response(to: Exchange.request("Range: bytes=6-8")) else {
            Issue.record("It is no part."); return
        }
        #expect(head.headerFields[values: .contentRange] == ["bytes 6-8/10"])
        let unknown = try #require(reuse(try part("4-9/*"), "Range: bytes=6-8").hit)
        #expect(
            unknown.response(to: Exchange.request("Range: bytes=6-8"))?.head.headerFields[.contentRange]
                == "bytes 6-8/*"
        )
    }

    @Test(arguments: [
        ["Range: bytes=3-5"], ["Range: bytes=9-10"], [], ["Range: bytes=4-5", "If-Range: \"b\""],
        ["Range: bytes=4-5,7-8"], ["If-None-Match: \"a\""],
    ])
    func `a part does not serve a GET for bytes that it does not contain`(lines: [String]) throws {
        for range in ["4-8/10", "4-8/*"] {
            let hit = HTTPCachePolicy.private.confirmedHit(of: try part(range), at: Exchange.start)
            #expect(hit.response(to: Exchange(.get, "/", lines).request) == nil)
        }
    }

    @Test func `the complete length serves HEAD, if it is known`() throws {
        func head(_ range: String) throws -> HTTPResponse? {
            HTTPCachePolicy.private.confirmedHit(of: try part(range), at: Exchange.start)
                .response(to: Exchange.request(method: .head))?.head
        }
        #expect(try head("4-8/10")?.headerFields[.contentLength] == "10")
        #expect(try head("4-8/*") == nil)
    }

    @Test(arguments: [
        ("0-4/10", "bytes=5-", 5..<10), ("0-4/*", "bytes=5-", 5..<Int64.max), ("5-9/10", "bytes=0-4", 0..<5),
    ])
    func `a request for the whole fetches only the rest, if nothing has changed`(
        range: String,
        missing: String,
        bytes: Range<Int64>
    ) throws {
        for seconds in [1.0, 99] {
            let completion = try #require(
                reuse(try part(range), "a: 1", "If-None-Match: \"z\"", after: seconds).completion
            )
            #expect(completion.missing == bytes)
            #expect(completion.request.headerFields[.range] == missing)
            #expect(completion.request.headerFields[.ifRange] == "\"a\"")
            #expect(completion.request.headerFields[.ifNoneMatch] == nil)
            #expect(completion.request.headerFields[.a] == "1")
        }
    }

    @Test func `without a strong validator, or with gaps on both sides, the whole is requested`() throws {
        #expect(reuse(try part("0-4/10", ["Cache-Control: max-age=60"])).outcome == .forward(.partial))
        #expect(
            reuse(try part("0-4/10", ["Cache-Control: max-age=60", "ETag: W/\"a\""])).outcome == .forward(.partial)
        )
        #expect(reuse(try part("4-6/10")).outcome == .forward(.partial))
        #expect(reuse(try part("0-4/10"), "Cache-Control: only-if-cached") == .gatewayTimeout)
    }

    @Test func `a stale part is validated before it is served`() throws {
        #expect(reuse(try part("0-4/10"), "Range: bytes=0-1", after: 60).outcome == .validate(.stale))
    }

    @Test func `the rest completes the part, with the newer fields`() throws {
        let completion = try #require(reuse(try part("0-4/10")).completion)
        let answer = Exchange.response(
            "ETag: \"a\"",
            "Date: @5",
            "x: new",
            "Content-Range: bytes 5-9/10",
            "Content-Length: 5",
            status: 206
        )
        guard case .completed(let stored, 5..<10) = completion.interpret(answer, at: Exchange.times(5), by: .private)
        else {
            Issue.record("It is \(completion.interpret(answer, at: Exchange.times(5), by: .private)).")
            return
        }
        let half = try #require(stored.joining(5..<7))
        #expect(half.content == .part(0..<7, of: 10))
        let whole = try #require(stored.joining(5..<10))
        #expect(whole.content == .whole(10))
        #expect(whole.response.status == .ok)
        #expect(whole.response.headerFields[values: .contentLength] == ["10"])
        #expect(whole.response.headerFields[.contentRange] == nil)
        #expect(whole.response.headerFields[HTTPField.Name("x") ?? .age] == "new")
        #expect(whole.times.received == Exchange.date(5))
    }

    @Test(
        arguments: [
            (206, ["ETag: \"b\"", "Content-Range: bytes 5-9/10"], "unusable"),
            (206, ["Content-Range: bytes 5-9/10"], "unusable"),
            (206, ["ETag: W/\"a\"", "Content-Range: bytes 5-9/10"], "unusable"),
            (206, ["ETag: \"a\"", "Content-Range: bytes 6-9/10"], "unusable"),
            (206, ["ETag: \"a\"", "Content-Range: bytes 5-9/11"], "unusable"), (206, ["ETag: \"a\""], "unusable"),
            (416, [], "unusable"), (304, [], "unusable"),
            (200, ["ETag: \"a\""], "replaced"), (404, [], "replaced"), (503, [], "failed"),
            (206, ["ETag: \"a\"", "Content-Range: bytes 5-9/10"], "join"),
        ] as [(Int, [String], String)]
    )
    func `only the same representation is joined`(status: Int, lines: [String], result: String) throws {
        let completion = try #require(reuse(try part("0-4/10")).completion)
        let answer = Exchange(status: status, lines).response
        let name =
            switch completion.interpret(answer, at: Exchange.times(5), by: .private) {
            case .completed: "join"
            case .replaced: "replaced"
            case .failed: "failed"
            case .unusable: "unusable"
            case .confirmed: "confirmed"
            }
        #expect(name == result)
    }

    @Test(
        arguments: [
            ("2-4/10", 5..<7, .part(2..<7, of: 10)), ("2-4/10", 0..<2, .part(0..<5, of: 10)),
            ("2-4/10", 3..<8, .part(2..<8, of: 10)),
            ("2-4/10", 3..<4, .part(2..<5, of: 10)), ("2-4/10", 0..<10, .whole(10)), ("2-4/10", 6..<8, nil),
            ("2-4/10", 0..<1, nil), ("2-4/10", 5..<5, nil),
            ("2-4/10", 5..<11, nil), ("2-4/*", 5..<7, .part(2..<7, of: nil)),
        ] as [(String, Range<Int64>, StoredContent?)]
    )
    func `parts join where they touch or overlap`(range: String, other: Range<Int64>, content: StoredContent?) throws {
        #expect(try part(range).joining(other)?.content == content)
    }
}
