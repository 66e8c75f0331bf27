import DuetHTTP
import DuetHTTPCaching
import HTTPTypes
import Testing

@Suite("Section 5.2.2.4, fields that have to be validated", .timeLimit(.minutes(5)))
struct UnvalidatedFieldsTests {
    static let lines = ["Cache-Control: max-age=60, no-cache=\"Set-Cookie\"", "ETag: \"1\""]

    /// The exchange that follows a response with a cookie.
    enum Next: CaseIterable {
        case confirmed, headed, completed

        var first: HTTPRequest { self == .completed ? ask("/a", ["Range: bytes=0-2"]) : ask() }

        var second: HTTPRequest {
            switch self {
            case .confirmed: ask("/a", ["Cache-Control: no-cache"])
            case .headed: ask("/a", ["Cache-Control: no-cache"], .head)
            case .completed: ask()
            }
        }

        func answer(_ sent: ScriptedOrigin.Sent, _ cookie: [String]) -> ScriptedOrigin.Reply {
            let lines = UnvalidatedFieldsTests.lines + cookie
            switch self {
            case .completed:
                let range = sent.number == 1 ? "0-2/6" : "3-5/6"
                return .init(206, lines + ["Content-Range: bytes \(range)"], sent.number == 1 ? "one" : "two")
            case .headed where sent.number > 1: return .init(200, lines)
            case .confirmed where sent.number > 1: return .init(304, lines)
            default: return .init(200, lines, "one")
            }
        }
    }

    @Test(arguments: Next.allCases)
    func `one user's cookie is not served to another after a validation without it`(next: Next)
        async throws
    {
        let scene = Scene(policy: .shared) { sent in
            next.answer(sent, sent.number == 1 ? ["Set-Cookie: id=1"] : [])
        }
        #expect(try await scene.send(next.first).response.headerFields[.setCookie] == "id=1")
        let second = try await scene.send(next.second)
        #expect(second.response.headerFields[.setCookie] == nil)
        #expect(scene.origin.count == 2)
        let third = try await scene.send()
        #expect((third.isHit, third.response.headerFields[.setCookie]) == (true, nil))
    }

    @Test(arguments: Next.allCases)
    func `a cookie in a validation goes to the client that requested it`(next: Next) async throws {
        let scene = Scene(policy: .shared) { sent in next.answer(sent, ["Set-Cookie: id=\(sent.number)"]) }
        _ = try await scene.send(next.first)
        let second = try await scene.send(next.second)
        #expect(second.response.headerFields[values: .setCookie] == ["id=2"])
        let third = try await scene.send()
        #expect((third.isHit, third.response.headerFields[.setCookie]) == (true, nil))
    }
}
