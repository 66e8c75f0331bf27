import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Sections 4.3.2 and 5.1, answers from what is stored")
struct AnswerTests {
    private func answer(_ lines: [String], status: Int = 200, to request: HTTPRequest, after seconds: Double = 7) throws
        -> HTTPResponse
    {
        let stored = try Exchange(status: status, ["Cache-Control: max-age=60", "Date: @0"] + lines).stored()
        let hit = HTTPCachePolicy().confirmedHit(of: stored, at: Exchange.date(seconds))
        return hit.head(for: request)
    }

    @Test(
        arguments: [
            ([], "7"), (["Age: 30"], "37"), (["Age: 30, 5"], "37"), (["Age: x"], "7"), (["Age: 1", "Age: 2"], "8"),
        ] as [([String], String)]
    )
    func `section 5.1: the response has its current Age once`(lines: [String], age: String) throws {
        #expect(try answer(lines, to: Exchange.request()).headerFields[values: .age] == [age])
    }

    @Test func `date and expiry stay as they are`() throws {
        let fields = try answer(["Expires: @99"], to: Exchange.request()).headerFields
        #expect(fields[.date] == "Tue, 14 Nov 2023 22:13:20 GMT")
        #expect(fields[.expires] == "Tue, 14 Nov 2023 22:14:59 GMT")
    }

    @Test(arguments: [
        ("\"a\"", "If-None-Match: \"a\"", true), ("\"a\"", "If-None-Match: \"b\"", false),
        ("\"a\"", "If-None-Match: W/\"a\"", true),
        ("W/\"a\"", "If-None-Match: W/\"a\"", true), ("W/\"a\"", "If-None-Match: \"a\"", true),
        ("\"a\"", "If-None-Match: *", true),
        ("\"a\"", "If-None-Match: \"a\", \"1\", \"2\"", true), ("\"a\"", "If-None-Match: \"1\",\"a\",\"2\"", true),
        ("\"a\"", "If-None-Match: \"1\", \"2\", W/\"a\"", true), ("\"a,b\"", "If-None-Match: \"1\", \"a,b\"", true),
        ("\"a\"", "If-None-Match:", false), ("\"a\"", "If-None-Match: \"A\"", false),
        ("\"ü\"", "If-None-Match: \"ü\"", true),
        ("a", "If-None-Match: a", true), ("\"a\"", "If-None-Match: a", true), ("a", "If-None-Match: \"a\"", true),
        ("w/\"a\"", "If-None-Match: w/\"a\"", true), ("W\\\"a\"", "If-None-Match: W\\\"a\"", true),
        ("W\"a\"", "If-None-Match: W\"a\"", true),
    ])
    func `If-None-Match is compared weakly`(tag: String, line: String, isNotModified: Bool) throws {
        let answer = try answer(["ETag: \(tag)"], to: Exchange.request(line))
        #expect((answer.status == .notModified) == isNotModified)
    }

    @Test(
        arguments: [
            (["Last-Modified: @-3000"], "@-3000", true), (["Last-Modified: @-3000"], "@-2000", true),
            (["Last-Modified: @-3000"], "@-3001", false),
            (["Last-Modified: @-3000"], "x", false), (["Last-Modified: @-3000"], "", false),
            (["Last-Modified: x"], "@0", true),
            ([], "@0", true), ([], "@-1", false),
        ] as [([String], String, Bool)]
    )
    func `If-Modified-Since is compared with Last-Modified, or with the date`(
        lines: [String],
        date: String,
        isNotModified: Bool
    ) throws {
        let answer = try answer(lines, to: Exchange.request("If-Modified-Since: \(date)"))
        #expect((answer.status == .notModified) == isNotModified)
    }

    @Test func `If-Modified-Since is ignored with If-None-Match, and if it occurs twice`() throws {
        let lines = ["ETag: \"a\"", "Last-Modified: @-5000"]
        #expect(
            try answer(lines, to: Exchange.request("If-None-Match: \"a\"", "If-Modified-Since: @-9000")).status
                == .notModified
        )
        #expect(
            try answer(lines, to: Exchange.request("If-None-Match: \"b\"", "If-Modified-Since: @0")).status == .ok
        )
        #expect(
            try answer(lines, to: Exchange.request("If-Modified-Since: @0", "If-Modified-Since: @0")).status == .ok
        )
        #expect(try answer([], to: Exchange.request("If-None-Match: \"a\"")).status == .ok)
    }

    @Test(arguments: [(200, true), (203, true), (301, false), (404, false), (500, false)])
    func `RFC 9110, section 13.2.1: conditions apply only to a success`(status: Int, isNotModified: Bool) throws {
        let answer = try answer(["ETag: \"a\""], status: status, to: Exchange.request("If-None-Match: \"a\""))
        #expect((answer.status == .notModified) == isNotModified)
    }

    @Test func `RFC 9110, section 15.4.5: a 304 has the fields that update a copy, and none about content`() throws {
        let lines = [
            "ETag: \"a\"", "Last-Modified: @-9", "Content-Type: a/b", "Content-Length: 10", "Content-Encoding: x",
            "Content-Location: /c",
            "Vary: d", "Expires: @99", "Set-Cookie: e", "Accept-Ranges: bytes",
        ]
        let answer = try answer(lines, to: Exchange.request("If-None-Match: \"a\""))
        #expect(answer.status == .notModified)
        let names = Set(answer.headerFields.map(\.name.canonicalName))
        #expect(names == ["age", "cache-control", "content-location", "date", "etag", "expires", "set-cookie", "vary"])
        let untagged = try self.answer(["Last-Modified: @-9"], to: Exchange.request("If-Modified-Since: @0"))
        #expect(untagged.headerFields.contains(.lastModified))
    }
}
