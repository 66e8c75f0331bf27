import Duet
import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ChangingTests {
    static let cacheable = ["Cache-Control: max-age=60", "ETag: \"1\""]

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete, .init("BREW")!])
    func `a change of a resource invalidates its stored responses`(method: HTTPRequest.Method) async throws {
        let scene = Scene { .init(200, Self.cacheable, "\($0.number)") }
        _ = try await scene.send()
        _ = try await scene.send(ask("/a", [], method))
        let answer = try await scene.send()
        #expect(answer.body == "3")
        #expect(answer.status?.forward == .uriMiss)
    }

    @Test(arguments: [HTTPRequest.Method.options, .trace, .init("PROPFIND")!])
    func `safe methods invalidate nothing`(method: HTTPRequest.Method) async throws {
        let scene = Scene { .init(200, Self.cacheable, "\($0.number)") }
        _ = try await scene.send()
        _ = try await scene.send(ask("/a", [], method))
        #expect(try await scene.send().isHit)
    }

    @Test func `a refused change invalidates nothing, and a change without a response does`() async throws {
        let scene = Scene { sent in
            switch sent.number {
            case 2: return .init(403)
            case 3: throw HTTPClientError.unplugged
            default: return .init(200, Self.cacheable, "\(sent.number)")
            }
        }
        _ = try await scene.send()
        _ = try await scene.send(ask("/a", [], .post))
        #expect(try await scene.send().isHit)
        await #expect(throws: HTTPClientError.self) { try await scene.send(ask("/a", [], .post)) }
        #expect(try await scene.send().body == "4")
    }

    @Test func `a change that was not sent invalidates nothing`() async throws {
        let scene = Scene { sent in
            guard sent.number > 1 else { return .init(200, Self.cacheable, "one") }
            throw HTTPClientError.connectionFailed(url: "", underlying: NotConnected(Unplugged()))
        }
        _ = try await scene.send()
        await #expect(throws: HTTPClientError.self) { try await scene.send(ask("/a", [], .post)) }
        #expect(scene.origin.count == 2)
        #expect(try await scene.send().isHit)
    }

    @Test func `other resources that the response names are invalidated, on the same origin only`() async throws {
        let scene = Scene { sent in
            guard sent.request.method == .post else { return .init(200, Self.cacheable, "\(sent.number)") }
            return .init(201, ["Location: /b", "Content-Location: https://origin.example/c"])
        }
        for path in ["/a", "/b", "/c", "/d"] { _ = try await scene.send(ask(path)) }
        _ = try await scene.send(ask("/a", [], .post))
        for (path, isHit) in [("/a", false), ("/b", false), ("/c", false), ("/d", true)] {
            #expect(try await scene.send(ask(path)).isHit == isHit, "\(path)")
        }
    }

    @Test func `a response to POST serves later GETs if it declares that`() async throws {
        let scene = Scene { sent in
            sent.request.method == .post
                ? .init(200, ["Cache-Control: max-age=60", "Content-Location: /a"], "posted") : .init(200, [], "got")
        }
        _ = try await scene.send(ask("/a", [], .post))
        let answer = try await scene.send()
        #expect(answer.body == "posted")
        #expect(answer.isHit)
    }

    @Test func `a response that was requested before is not stored afterward`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            if sent.number == 1 { try await gate.pass() }
            return .init(200, Self.cacheable, "\(sent.number)")
        }
        async let early = scene.send()
        await gate.arrivals(1)
        _ = try await scene.send(ask("/a", [], .delete))
        // A later request does not wait for the earlier fetch either.
        #expect(try await scene.send(ask("/a")).body == "3")
        gate.open()
        #expect(try await early.body == "1")
        #expect(try await scene.send().body == "3")
    }

    @Test func `a validated response that was removed is fetched again`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            guard sent.number == 2 else { return .init(200, Self.cacheable, "\(sent.number)") }
            try await gate.pass()
            return .init(304)
        }
        _ = try await scene.send()
        scene.time.pass(60)
        async let validated = scene.send()
        await gate.arrivals(1)
        _ = try await scene.send(ask("/a", [], .delete))
        gate.open()
        #expect(try await validated.body == "4")
    }

    @Test func `a removal waits for a response that is being stored`() async throws {
        let gate = Gate()
        let store = GatedStore(insert: gate)
        let scene = Scene(in: store) { .init(200, Self.cacheable, "\($0.number)") }
        async let early = scene.send()
        await gate.arrivals(1)
        async let deleted = scene.send(ask("/a", [], .delete))
        gate.open()
        _ = try await (early, deleted)
        #expect(try await scene.send().isHit == false)
        #expect(store.log == ["insert", "remove https://origin.example/a", "insert"])
    }

    @Test func `a caller that has left leaves no invalid response`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            if sent.request.method == .put { try await gate.pass() }
            return .init(200, Self.cacheable, "\(sent.number)")
        }
        _ = try await scene.send()
        let put = Task { try await scene.send(ask("/a", [], .put)) }
        await gate.arrivals(1)
        put.cancel()
        await #expect(throws: CancellationError.self) { try await put.value }
        #expect(try await scene.send().isHit == false)
    }

    @Test func `a command makes the query beside it stale`() async throws {
        let scene = Scene { sent in
            guard sent.request.method == .get else { return .init(204) }
            return .init(200, ["Cache-Control: max-age=60", "Content-Type: application/json"], "\(sent.number)")
        }
        let url = try #require(URL(string: "https://origin.example"))
        let dispatcher = HTTPDispatcher(baseURL: url, client: scene.client)
        #expect(try await dispatcher.dispatch(LoadLikes()) == 1)
        #expect(try await dispatcher.dispatch(LoadLikes()) == 1)
        try await dispatcher.dispatch(Like())
        #expect(try await dispatcher.dispatch(LoadLikes()) == 3)
    }
}

private struct LoadLikes: HTTPQuery {
    typealias Value = Int
    static let route: QueryRoute<Self> = .get("likes")
}

private struct Like: HTTPCommand {
    static let route: CommandRoute<Self> = .post("likes")
}
