import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 4.3.3, a 304 that confirms nothing", .timeLimit(.minutes(5)))
struct UnmatchedConditionTests {
    @Test func `a 304 to the cache's condition does not respond to the client's`() async throws {
        let scene = Scene { sent in
            if sent.number == 1 {
                let lines = ["Cache-Control: max-age=0", "ETag: \"a\"", "Last-Modified: Sun, 13 Sep 2020 12:26:40 GMT"]
                return .init(200, lines, "one")
            }
            guard sent.field(.ifNoneMatch) == "\"a\"" else { return .init(200, ["ETag: \"a\""], "one") }
            return .init(304, ["Last-Modified: Sun, 13 Sep 2020 12:35:00 GMT"])
        }
        _ = try await scene.send()
        let answer = try await scene.send(ask("/a", ["If-None-Match: \"b\""]))
        #expect((answer.code, answer.body) == (200, "one"))
        #expect(scene.origin.sent.map { $0.field(.ifNoneMatch) } == [nil, "\"a\"", "\"b\""])
    }
}
