import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import Testing

/// Ranges of bytes (RFC 9110, section 14).
@Suite
struct RangeTests {
    private let client: RouterHTTPClient<RouterResponder<BasicRequestContext>>

    init() throws {
        // The picture is GIF89a.
        client = RouterHTTPClient(try Router.notes(Notebook()))
    }

    @Test(arguments: [
        ("bytes=0-2", "GIF", "0-2"), ("bytes=3-3", "8", "3-3"), ("bytes=3-", "89a", "3-5"), ("bytes=-2", "9a", "4-5"),
        ("bytes=-9", "GIF89a", "0-5"), ("bytes=4-99999999999999999999", "9a", "4-5"), ("BYTES=0-0", "G", "0-0"),
    ])
    func `a range of bytes is sent alone`(field: String, content: String, range: String) async throws {
        let answer = try await client.ask(.get, "/v1/picture", [.range: field])
        #expect(answer.status == 206)
        #expect(answer.text == content)
        #expect(answer[.contentRange] == "bytes \(range)/6")
        #expect(answer[.contentLength] == "\(content.utf8.count)")
        #expect(answer[.contentType] == "image/gif")
        #expect(answer[.acceptRanges] == "bytes")
        #expect(answer[.eTag] != nil)
    }

    @Test(arguments: [
        "bytes=0-0,2-3", "bytes=", "bytes=-", "bytes=2-1", "bytes=a-b", "bytes=+1-2", "lines=0-1", "0-1", "bytes=0-1-2",
        "bytes= 0-1",
    ])
    func `everything but one range of bytes gets the whole content`(field: String) async throws {
        let answer = try await client.ask(.get, "/v1/picture", [.range: field])
        #expect(answer.status == 200)
        #expect(answer.text == "GIF89a")
        #expect(answer[.contentRange] == nil)
        #expect(answer[.acceptRanges] == "bytes")
    }

    @Test(arguments: ["bytes=6-", "bytes=99999999999999999999-", "bytes=-0"])
    func `a range that begins behind the content is a problem with its size`(field: String) async throws {
        let answer = try await client.ask(.get, "/v1/picture", [.range: field])
        #expect(answer.status == 416)
        #expect(answer[.contentRange] == "bytes */6")
        #expect(answer.problem?.detail == "The content has 6 bytes, and the range begins behind them.")
    }

    @Test
    func `a range of another version gets the whole content`() async throws {
        let tag = try #require(try await client.ask(.get, "/v1/picture")[.eTag])
        func status(_ condition: String) async throws -> Int {
            try await client.ask(.get, "/v1/picture", [.range: "bytes=0-2", .ifRange: condition]).status
        }
        #expect(try await status(tag) == 206)
        for other in ["W/\(tag)", "\"other\"", "Fri, 27 Nov 2026 10:00:00 GMT", ""] {
            #expect(try await status(other) == 200, "\(other)")
        }
    }

    @Test
    func `a condition is checked before the range, and HEAD and JSON have none`() async throws {
        let tag = try #require(try await client.ask(.get, "/v1/picture")[.eTag])
        let known = try await client.ask(.get, "/v1/picture", [.range: "bytes=0-2", .ifNoneMatch: tag])
        #expect(known.status == 304)
        let head = try await client.ask(.head, "/v1/picture", [.range: "bytes=0-2"])
        #expect(head.status == 200)
        #expect(head[.contentLength] == "6")
        let notes = try await client.ask(.get, "/v1/notes", [.range: "bytes=0-0"])
        #expect(notes.status == 200)
        #expect(notes[.acceptRanges] == nil)
    }
}
