import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

/// NIO writes U+FFFD in place of bytes that are not UTF-8, so that different values look the same.
@Suite("RFC 9110, section 5.5, bytes that were lost", .timeLimit(.minutes(5)))
struct LostBytesTests {
    @Test(arguments: ["Cookie", "Authorization", "X-Api-Key"])
    func `responses to credentials with lost bytes are not stored`(name: String) async throws {
        let scene = Scene { sent in .init(200, ["Cache-Control: private, max-age=60"], "\(sent.number)") }
        for number in 1...2 {
            let answer = try await scene.send(ask("/a", ["\(name): s=\u{FFFD}"]))
            #expect((answer.isHit, answer.body) == (false, "\(number)"))
        }
        for isHit in [false, true] {
            #expect(try await scene.send(ask("/a", ["\(name): s=\u{E9}"])).isHit == isHit)
        }
    }

    @Test func `a tag that only looks the same confirms nothing`() async throws {
        let lines = ["Cache-Control: max-age=60", "ETag: \"\u{FFFD}\""]
        let scene = Scene { _ in
            .init(200, lines, "ABCDEF")
        }
        _ = try await scene.send()
        let answer = try await scene.send(ask("/a", ["If-None-Match: \"\u{FFFD}\""]))
        #expect((answer.isHit, answer.code, answer.body) == (true, 200, "ABCDEF"))
    }

    @Test func `a response selected by a value with lost bytes is for one request alone`() async throws {
        let scene = Scene { sent in .init(200, ["Cache-Control: max-age=60", "Vary: X"], "\(sent.number)") }
        for number in 1...2 {
            #expect(try await scene.send(ask("/a", ["X: \u{FFFD}"])).body == "\(number)")
        }
    }
}
