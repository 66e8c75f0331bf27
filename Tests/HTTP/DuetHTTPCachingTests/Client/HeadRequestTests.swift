import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 4.3.5, HEAD", .timeLimit(.minutes(5)))
struct HeadRequestTests {
    static let strong = ["Cache-Control: max-age=60", "ETag: \"1\""]

    @Test func `a part with a known complete length serves HEAD like the whole`() async throws {
        let scene = Scene { _ in .init(206, Self.strong + ["Content-Range: bytes 0-1/10", "Content-Length: 2"], "01") }
        _ = try await scene.send(ask("/a", ["Range: bytes=0-1"]))
        let head = try await scene.send(ask("/a", [], .head))
        #expect((head.code, head.isHit, head.body) == (200, true, ""))
        #expect(head.response.headerFields[.contentLength] == "10")
        #expect(head.response.headerFields[.contentRange] == nil)
    }

    @Test func `a part of an unknown whole does not`() async throws {
        let scene = Scene { sent in
            sent.request.method == .head
                ? .init(200, Self.strong + ["Content-Length: 10"])
                : .init(206, Self.strong + ["Content-Range: bytes 0-1/*"], "01")
        }
        _ = try await scene.send(ask("/a", ["Range: bytes=0-1"]))
        let head = try await scene.send(ask("/a", [], .head))
        #expect((head.code, head.isHit) == (200, false))
        #expect(head.response.headerFields[.contentLength] == "10")
        #expect(head.response.headerFields[.contentRange] == nil)
        #expect(try await scene.send(ask("/a", ["Range: bytes=0-1"])).isHit)
    }

    @Test func `a HEAD with no-store removes nothing`() async throws {
        let scene = Scene { sent in
            .init(200, Self.strong, sent.request.method == .head ? "" : "one")
        }
        _ = try await scene.send()
        _ = try await scene.send(ask("/a", ["Cache-Control: no-store"], .head))
        #expect(try await scene.send().isHit)
    }
}
