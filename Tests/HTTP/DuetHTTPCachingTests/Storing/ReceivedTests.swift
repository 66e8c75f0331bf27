import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 3.3, storing incomplete responses")
struct ReceivedTests {
    private func content(
        _ lines: [String],
        _ count: Int64,
        completely: Bool,
        status: Int = 200,
        method: HTTPRequest.Method = .get
    ) throws -> StoredContent? {
        let request = status == 206 ? ["Range: bytes=0-"] : []
        let exchange = Exchange(method, "/", request, status: status, ["Cache-Control: max-age=60"] + lines)
        return try #require(exchange.decision().stored).received(count, completely: completely)?.content
    }

    @Test(
        arguments: [
            ([], 10, .whole(10)), ([], 0, .whole(0)), (["Content-Length: 10"], 10, .whole(10)),
            (["Content-Length: 10"], 9, nil), (["Content-Length: 10"], 11, nil),
            (["Content-Length: x"], 11, .whole(11)),
            (["Content-Length: 10", "Content-Length: 11"], 11, nil),
            (["Content-Length: x", "Content-Length: 10"], 11, .whole(11)),
        ] as [([String], Int64, StoredContent?)]
    )
    func `a complete body is whole, unless it does not have the announced length`(
        lines: [String],
        count: Int64,
        content: StoredContent?
    ) throws {
        #expect(try self.content(lines, count, completely: true) == content)
    }

    @Test(
        arguments: [
            (["ETag: \"a\"", "Content-Length: 10"], 5, .part(0..<5, of: 10)),
            (["ETag: \"a\""], 5, .part(0..<5, of: nil)),
            (["ETag: \"a\"", "Content-Length: 10"], 0, nil), (["ETag: \"a\"", "Content-Length: 10"], 10, nil),
            (["ETag: \"a\"", "Content-Length: 10"], 11, nil), (["ETag: W/\"a\""], 5, nil),
            (["Last-Modified: @-99"], 5, nil),
            ([], 5, nil), (["ETag: \"a\"", "Accept-Ranges: none"], 5, nil),
            (["ETag: \"a\"", "Accept-Ranges: bytes"], 5, .part(0..<5, of: nil)),
        ] as [([String], Int64, StoredContent?)]
    )
    func `an incomplete body is kept only with a strong validator`(
        lines: [String],
        count: Int64,
        content: StoredContent?
    ) throws {
        #expect(try self.content(lines, count, completely: false) == content)
        #expect(try self.content(lines, count, completely: false, status: 404) == nil)
    }

    @Test(
        arguments: [
            ("bytes 0-4/10", 5, true, .part(0..<5, of: 10)), ("bytes 5-9/10", 5, true, .part(5..<10, of: 10)),
            ("bytes 5-9/*", 5, true, .part(5..<10, of: nil)), ("bytes 0-9/10", 10, true, .whole(10)),
            ("bytes 4-9/10", 5, true, .part(4..<9, of: 10)), ("bytes 4-9/10", 5, false, .part(4..<9, of: 10)),
            ("bytes 4-9/10", 0, false, nil), ("bytes 4-9/10", 7, true, nil),
        ] as [(String, Int64, Bool, StoredContent?)]
    )
    func `the received bytes of a range are kept`(
        range: String,
        count: Int64,
        completely: Bool,
        content: StoredContent?
    ) throws {
        #expect(try self.content(["Content-Range: \(range)"], count, completely: completely, status: 206) == content)
    }

    @Test func `a range of everything is the whole response`() throws {
        let exchange = Exchange(
            .get,
            "/",
            ["Range: bytes=0-"],
            status: 206,
            ["Cache-Control: max-age=60", "Content-Range: bytes 0-9/10"]
        )
        let stored = try exchange.stored()
        #expect(stored.response.status == .ok)
        #expect(stored.response.headerFields[.contentRange] == nil)
        #expect(stored.response.headerFields[.contentLength] == "10")
    }

    @Test func `a response to HEAD has no body`() throws {
        #expect(try content(["Content-Length: 10"], 0, completely: true, method: .head) == StoredContent.none)
        #expect(try content(["Content-Length: 10"], 0, completely: false, method: .head) == nil)
    }

    @Test func `stored responses are read back, and damage is reported`() throws {
        let exchange = Exchange(
            .get,
            "/",
            ["a: 1"],
            ["Cache-Control: max-age=60", "ETag: \"ü\"", "Vary: a, b", "Set-Cookie: x", "Set-Cookie: y"]
        )
        let stored = try exchange.stored()
        let data = try JSONEncoder().encode(stored)
        #expect(try JSONDecoder().decode(StoredResponse.self, from: data) == stored)
        let text = try #require(String(data: data, encoding: .utf8))
        for damage in ["\"_0\":-1", "\"_0\":\"x\""] {
            let damaged = text.replacing("\"_0\":10", with: damage)
            #expect(damaged != text)
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(StoredResponse.self, from: Data(damaged.utf8))
            }
        }
    }

    @Test func `the newer of two responses to the same requests replaces the other`() throws {
        let lines = ["Cache-Control: max-age=60", "Vary: a"]
        let first = try Exchange(.get, "/", ["a: 1"], lines).stored()
        #expect(try Exchange(.get, "/", ["a: 1", "b: 2"], lines).stored(at: 5).replaces(first))
        #expect(try !Exchange(.get, "/", ["a: 2"], lines).stored().replaces(first))
        #expect(try !Exchange(.get, "/", ["a: 1"], ["Cache-Control: max-age=60"]).stored().replaces(first))
        #expect(try !Exchange(.head, "/", ["a: 1"], lines).stored().replaces(first))
    }
}
