import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

/// NIO writes U+FFFD in place of bytes that are no UTF-8, so that what differs in them looks the same.
@Suite("RFC 9110, section 5.5, bytes that were lost", .timeLimit(.minutes(5)))
struct LostBytesTests {
    @Test(arguments: ["Cookie", "Authorization", "X-Api-Key"], Way.allCases)
    func `nothing is stored for credentials that look like others'`(name: String, way: Way) async throws {
        let scene = Scene { sent in .init(200, ["Cache-Control: private, max-age=60"], "\(sent.number)") }
        for number in 1...2 {
            let answer = try await way.ask(scene, ask("/a", ["\(name): s=\u{FFFD}"]))
            #expect((answer.isHit, answer.body) == (false, "\(number)"))
        }
        for isHit in [false, true] {
            #expect(try await way.ask(scene, ask("/a", ["\(name): s=\u{E9}"])).isHit == isHit)
        }
    }

    @Test(arguments: Way.allCases)
    func `a tag that looks like another confirms nothing and completes nothing`(way: Way) async throws {
        let lines = ["Cache-Control: max-age=60", "ETag: \"\u{FFFD}\""]
        let scene = Scene { sent in
            sent.number == 1
                ? .init(200, lines + ["Content-Length: 6"], .broken(after: "abc"))
                : .init(200, lines, "ABCDEF")
        }
        await #expect(throws: Unplugged.self) { try await scene.stream() }
        #expect(try await way.ask(scene, ask()).body == "ABCDEF")
        #expect(scene.origin.sent.map { $0.field(.range) } == [nil, nil])
        let answer = try await way.ask(scene, ask("/a", ["If-None-Match: \"\u{FFFD}\""]))
        #expect((answer.isHit, answer.code, answer.body) == (true, 200, "ABCDEF"))
    }

    @Test(arguments: Way.allCases)
    func `what a value selects that looks like others is for one alone`(way: Way) async throws {
        let scene = Scene { sent in .init(200, ["Cache-Control: max-age=60", "Vary: X"], "\(sent.number)") }
        for number in 1...2 {
            #expect(try await way.ask(scene, ask("/a", ["X: \u{FFFD}"])).body == "\(number)")
        }
    }
}
