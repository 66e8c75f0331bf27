import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("RFC 9110, section 14, ranges of what is stored")
struct RangeTests {
    /// The response to a request for a representation of eleven bytes.
    private func answer(
        _ request: String...,
        lines: [String] = [],
        status: Int = 200,
        method: HTTPRequest.Method = .get,
        bytes: Int64 = 11
    ) throws -> HitResponse {
        let stored = try Exchange(status: status, ["Cache-Control: max-age=60", "Date: @0"] + lines).stored(
            bytes: bytes
        )
        let hit = HTTPCachePolicy.private.confirmedHit(of: stored, at: Exchange.start)
        return try #require(hit.response(to: Exchange(method, "/", request).request))
    }

    @Test(
        arguments: [
            ("bytes=0-1", 0..<2, "bytes 0-1/11"), ("bytes=1-", 1..<11, "bytes 1-10/11"),
            ("bytes=-1", 10..<11, "bytes 10-10/11"),
            ("bytes=-100", 0..<11, "bytes 0-10/11"), ("bytes=0-0", 0..<1, "bytes 0-0/11"),
            ("bytes=10-10", 10..<11, "bytes 10-10/11"),
            ("bytes=5-100", 5..<11, "bytes 5-10/11"), ("BYTES=0-1", 0..<2, "bytes 0-1/11"),
            ("bytes= 0 - 1 ", 0..<2, "bytes 0-1/11"),
            ("bytes=,0-1", 0..<2, "bytes 0-1/11"), ("bytes=0-9223372036854775807", 0..<11, "bytes 0-10/11"),
            ("bytes=0-99999999999999999999", 0..<11, "bytes 0-10/11"),
            ("bytes=-99999999999999999999", 0..<11, "bytes 0-10/11"),
        ] as [(String, Range<Int64>, String)]
    )
    func `section 15.3.7: one range gets 206`(value: String, range: Range<Int64>, contentRange: String)
        throws
    {
        guard case .part(let head, range) = try answer("Range: \(value)", lines: ["a: 1", "Content-Length: 11"]) else {
            Issue.record("It is \(try answer("Range: \(value)")).")
            return
        }
        #expect(head.status == .partialContent)
        #expect(head.headerFields[.contentRange] == contentRange)
        #expect(head.headerFields[values: .contentLength] == ["\(range.count)"])
        #expect(head.headerFields[.a] == "1")
    }

    @Test(arguments: ["bytes=11-", "bytes=11-12", "bytes=-0", "bytes=99999999999999999999-"])
    func `section 15.5.17: a range beyond the end gets 416`(value: String) throws {
        guard case .notSatisfiable(let head) = try answer("Range: \(value)", lines: ["Content-Type: a/b"]) else {
            Issue.record("It is \(try answer("Range: \(value)")).")
            return
        }
        #expect(head.status == .rangeNotSatisfiable)
        #expect(head.headerFields[.contentRange] == "bytes */11")
        #expect(!head.headerFields.contains(.contentType))
    }

    @Test(arguments: [("bytes=-1", 200), ("bytes=-0", 416), ("bytes=0-", 416)])
    func `section 14.1.2: the last bytes of an empty representation are all of it`(value: String, status: Int) throws {
        #expect(try answer("Range: \(value)", bytes: 0).head.status.code == status)
    }

    @Test(arguments: [
        "bytes=0-1,3-4", "bytes=1-0", "items=0-1", "bytes=", "bytes=-", "bytes=a-b", "bytes=0", "bytes 0-1", "",
        "bytes=0-1-2", "bytes=+0-1",
        "bytes=--1", "bytes=0x1-2",
    ])
    func `section 14.2: several ranges, other units, and invalid ranges get the whole`(value: String) throws {
        guard case .whole(let head) = try answer("Range: \(value)") else { Issue.record("It is no whole."); return }
        #expect(head.status == .ok)
    }

    @Test func `section 14.2: a range applies only to GET and to a response with content`() throws {
        #expect(try answer("Range: bytes=0-1", method: .head).head.status == .ok)
        #expect(try answer("Range: bytes=0-1", status: 404).head.status.code == 404)
        #expect(try answer("Range: bytes=0-1", "Range: bytes=2-3").head.status == .ok)
        #expect(
            try answer("Range: bytes=0-1", "If-None-Match: \"a\"", lines: ["ETag: \"a\""]).head.status == .notModified
        )
    }

    @Test(
        arguments: [
            ("\"a\"", ["ETag: \"a\""], 206), ("\"b\"", ["ETag: \"a\""], 200), ("W/\"a\"", ["ETag: W/\"a\""], 200),
            ("\"a\"", [], 200),
            ("Tue, 14 Nov 2023 22:13:19 GMT", ["Last-Modified: @-1"], 206),
            ("Tue, 14 Nov 2023 22:13:20 GMT", ["Last-Modified: @0"], 200),
            ("Tue, 14 Nov 2023 22:13:20 GMT", ["Last-Modified: @-1"], 200), ("x", ["Last-Modified: @-9"], 200),
            ("a", ["ETag: a"], 200),
        ] as [(String, [String], Int)]
    )
    func `section 13.1.5: If-Range requires the same strong validator`(value: String, lines: [String], status: Int)
        throws
    {
        #expect(try answer("Range: bytes=0-1", "If-Range: \(value)", lines: lines).head.status.code == status)
    }

    @Test(
        arguments: [
            ("bytes 0-4/10", 0..<5, 10), ("bytes 9-9/10", 9..<10, 10), ("BYTES 0-4/*", 0..<5, nil),
            (" bytes 0-0/1 ", 0..<1, 1),
            ("bytes 0-9223372036854775805/9223372036854775806", 0..<Int64.max - 1, Int64.max - 1),
        ] as [(String, Range<Int64>, Int64?)]
    )
    func `section 14.4: Content-Range contains the position of a part`(
        value: String,
        range: Range<Int64>,
        length: Int64?
    )
        throws
    {
        let parsed = try #require(ContentRange(value))
        #expect(parsed.range == range)
        #expect(parsed.completeLength == length)
    }

    @Test(arguments: [
        "", "bytes", "bytes */10", "bytes 4-0/10", "bytes 0-10/10", "bytes 0-4", "bytes 0-4/", "bytes -4/10",
        "items 0-4/10", "bytes=0-4/10",
        "bytes 0-4/10/11", "bytes 0-4/-10", "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*",
        "bytes a-b/c",
        // The largest number means that the number was too large.
        "bytes 0-4/9223372036854775807", "bytes 0-4/99999999999999999999",
    ])
    func `section 14.4: a contradictory Content-Range is ignored`(value: String) {
        #expect(ContentRange(value) == nil)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `random ranges stay within the representation`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 1...3000 {
            let value = "bytes=" + generator.fieldValue(pieces: 4)
            let length = ([0, 1, 10, .max] as [Int64]).randomElement(using: &generator) ?? 0
            if let range = RangeRequest(value)?.resolved(in: length) {
                #expect(
                    range.isEmpty || (0..<length).contains(range.lowerBound) && range.upperBound <= length,
                    "seed \(seed): \(value)"
                )
            }
            _ = ContentRange("bytes " + generator.fieldValue(pieces: 6))
        }
    }
}
