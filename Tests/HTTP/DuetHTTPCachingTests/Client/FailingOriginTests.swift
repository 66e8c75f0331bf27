import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import HTTPTypes
import Testing

/// An origin that fails has no effect on stored responses.
@Suite(.timeLimit(.minutes(5)))
struct FailingOriginTests {
    static let strong = ["Cache-Control: max-age=3600", "ETag: \"1\""]

    @Test(arguments: ["If-Match: \"1\"", "If-Unmodified-Since: Tue, 14 Nov 2023 22:13:20 GMT"])
    func `a failure does not replace a stored response when only the origin can evaluate a condition`(line: String)
        async throws
    {
        let scene = Scene { sent in
            sent.number == 1 ? .init(200, Self.strong, "one") : .init(503, ["Cache-Control: max-age=5"])
        }
        _ = try await scene.send()
        #expect(try await scene.send(ask("/a", [line])).status?.notStored == .originError)
        #expect(try await scene.send().body == "one")
    }

    @Test func `a failure is stored only where nothing else is, and does not replace a later failure`() async throws {
        let scene = Scene { sent in
            sent.number == 1
                ? .init(500, ["Cache-Control: max-age=2"], "old") : .init(503, ["Retry-After: 5"], "new")
        }
        _ = try await scene.send()
        #expect(try await scene.send().isHit)
        scene.time.pass(3)
        let answer = try await scene.send()
        #expect((answer.code, answer.body) == (503, "new"))
        #expect(answer.response.headerFields[.retryAfter] == "5")
    }

    @Test(arguments: [ask("/a", ["If-None-Match: \"1\""]), ask()])
    func `a response that was removed during a request does not replace a failure`(request: HTTPRequest)
        async throws
    {
        let gate = Gate()
        let scene = Scene { sent in
            if sent.number == 1 { return .init(200, ["Cache-Control: max-age=1", "ETag: \"1\""], "one") }
            if sent.request.method == .delete { return .init(204) }
            try await gate.pass()
            return .init(503)
        }
        _ = try await scene.send()
        scene.time.pass(2)
        async let answer = scene.send(request)
        await gate.arrivals(1)
        _ = try await scene.send(ask("/a", [], .delete))
        gate.open()
        #expect(try await answer.code == 503)
    }
}
