import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

/// A body whose length is not that of its head would end within the next response on its connection.
@Suite("Sections 3.3 and 4.3.4, a body is as long as its head says", .timeLimit(.minutes(5)))
struct FramingTests {
    static let older = "Sun, 13 Sep 2020 12:26:40 GMT"
    static let newer = "Sun, 13 Sep 2020 12:35:00 GMT"
    static let tag = "ETag: \"a\""

    /// A scene whose origin fails after five of ten bytes, and follows the script from then on.
    private func scene(_ lines: [String], _ script: @escaping ScriptedOrigin.Script) async -> Scene {
        let scene = Scene { sent in
            guard sent.number == 1 else { return try await script(sent) }
            return .init(
                200,
                lines + [Self.tag, "Last-Modified: \(Self.older)", "Content-Length: 10"],
                .broken(after: "aaaaa")
            )
        }
        await #expect(throws: Unplugged.self) { try await scene.send() }
        scene.time.pass(2)
        return scene
    }

    @Test(
        arguments: [
            (older, [tag, "Last-Modified: \(newer)"]), ("\"a\"", ["ETag: W/\"a\"", "Last-Modified: \(older)"]),
        ]
    )
    func `a 304 with other validators does not make a part the whole`(
        of confirmation: (condition: String, lines: [String])
    ) async throws {
        let scene = await scene(["Cache-Control: max-age=1"]) { sent in
            sent.number == 2
                ? .init(304, confirmation.lines + ["Cache-Control: max-age=100"])
                : .init(200, [Self.tag, "Content-Length: 10"], "aaaaaAAAAA")
        }
        let range = ask("/a", ["Range: bytes=0-2", "If-Range: \(confirmation.condition)"])
        let answer = try await scene.send(range)
        #expect((answer.code, answer.body) == (200, "aaaaaAAAAA"))
        #expect(scene.origin.sent.last?.field(.range) == "bytes=0-2")
        #expect(scene.origin.sent.last?.field(.ifNoneMatch) == nil)
    }

    @Test func `a part is requested if the newer fields fulfill If-Range`() async throws {
        let scene = await scene(["Cache-Control: max-age=100"]) { sent in
            let lines = [Self.tag, "Last-Modified: \(Self.newer)", "Cache-Control: max-age=100"]
            return sent.number == 2
                ? .init(206, lines + ["Content-Range: bytes 5-9/10", "Content-Length: 5"], "AAAAA")
                : .init(206, lines + ["Content-Range: bytes 0-2/10", "Content-Length: 3"], "aaa")
        }
        let answer = try await scene.send(ask("/a", ["Range: bytes=0-2", "If-Range: \(Self.newer)"]))
        #expect((answer.code, answer.body) == (206, "aaa"))
        #expect(answer.response.headerFields[values: .contentLength] == ["3"])
        #expect(answer.response.headerFields[values: .contentRange] == ["bytes 0-2/10"])
        #expect(scene.origin.sent.last?.field(.range) == "bytes=0-2")
    }

    @Test(
        arguments: [
            (["Content-Length: 4"], StoredContent.whole(5), false), (["Content-Length: 5"], .whole(5), true),
            (["Content-Length: 6"], .whole(5), false), ([], .whole(5), true), (["Content-Length: x"], .whole(5), false),
            (["Content-Length: 5"], .none, false), ([], .none, false),
            (["Content-Length: 10"], .part(0..<5, of: 10), false),
        ] as [([String], StoredContent, Bool)]
    )
    func `the size that a store reports is checked against the head`(
        stored: (lines: [String], content: StoredContent, isHit: Bool)
    ) async throws {
        let store = InMemoryHTTPCacheStore()
        let scene = Scene(in: store) { _ in .init(200, ["Content-Length: 5"], "fresh") }
        let response = StoredResponse(
            method: .get,
            selection: SelectingFields([:], of: ask()),
            response: HTTPResponse(status: .ok, headerFields: fields(stored.lines + ["Cache-Control: max-age=60"])),
            times: ExchangeTimes(requested: scene.time.now, received: scene.time.now),
            content: stored.content
        )
        let uri = try #require(CacheKey(ask())).uri
        let writer = store.writer(for: HTTPCacheKey(partition: "", uri: uri))
        try await writer.append("saved".data)
        _ = try await writer.commit(response, replacing: [])
        let answer = try await scene.send()
        #expect((answer.isHit, answer.body) == (stored.isHit, stored.isHit ? "saved" : "fresh"))
    }
}
