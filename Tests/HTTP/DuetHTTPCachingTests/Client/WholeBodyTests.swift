import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

/// Stored responses arrive whole, and all others as they are sent.
@Suite(.timeLimit(.minutes(5)))
struct WholeBodyTests {
    static let cacheable = ["Cache-Control: max-age=60"]

    private func scene(_ lines: [String], _ body: HTTPBody, limit: Int = 10) -> Scene {
        Scene(configuration: .init(maximumBodySize: limit)) { _ in .init(200, lines, body) }
    }

    @Test(arguments: [
        ["Cache-Control: no-store"], [], cacheable + ["Content-Type: text/event-stream"],
        cacheable + ["Content-Type: Text/Event-Stream; charset=utf-8"], cacheable + ["Vary: *"],
    ])
    func `a response that may not be stored arrives as it is sent`(lines: [String]) async throws {
        let held = HeldBody()
        let (_, body) = try await scene(lines, held.body).client.send(ask())
        var reader = body.makeAsyncIterator()
        for piece in ["a", "b"] {
            held.send(piece)
            #expect(try await reader.next() == piece.data)
        }
        held.end()
        #expect(try await reader.next() == nil)
    }

    @Test func `a body that is announced as too large arrives as it is sent`() async throws {
        let held = HeldBody(size: 11)
        let (response, body) = try await scene(Self.cacheable, held.body).client.send(ask())
        #expect(response.cacheStatus?.notStored == .tooLarge)
        var reader = body.makeAsyncIterator()
        held.send("0")
        #expect(try await reader.next() == "0".data)
    }

    @Test func `a body that turns out to be too large is passed on with what was read`() async throws {
        let held = HeldBody()
        let scene = scene(Self.cacheable, held.body)
        held.send("01234567")
        held.send("89!")
        let (response, body) = try await scene.client.send(ask())
        #expect(response.cacheStatus?.notStored == .tooLarge)
        var reader = body.makeAsyncIterator()
        #expect(try await reader.next() == "0123456789!".data)
        held.send("more")
        #expect(try await reader.next() == "more".data)
        held.end()
        #expect(try await reader.next() == nil)
        #expect(scene.client.statistics.storedBytes == 0)
    }

    @Test(arguments: [true, false])
    func `a body of exactly the limit is stored`(isAnnounced: Bool) async throws {
        let held = HeldBody(size: isAnnounced ? 10 : nil)
        let scene = scene(Self.cacheable, held.body)
        held.send("01234")
        held.send("56789")
        held.end()
        #expect(try await scene.send().body == "0123456789")
        #expect(try await scene.send().isHit)
    }

    @Test func `a larger response replaces an older one that was stored`() async throws {
        let scene = Scene(configuration: .init(maximumBodySize: 10)) { sent in
            .init(200, Self.cacheable, sent.number == 1 ? "old" : "larger than the limit")
        }
        _ = try await scene.send()
        _ = try await scene.send(ask("/a", ["Cache-Control: no-cache"]))
        #expect(try await scene.send().body == "larger than the limit")
    }

    @Test(arguments: [(nil, false), (4, true), (6, true)] as [(Int64?, Bool)])
    func `a body that breaks, or has another length than announced, is not stored`(size: Int64?, isEnded: Bool)
        async throws
    {
        let scene = Scene { sent in
            guard sent.number == 1 else { return .init(200, Self.cacheable, "whole") }
            let held = HeldBody(size: size)
            held.send("01234")
            if isEnded { held.end() } else { held.fail() }
            return .init(200, Self.cacheable, held.body)
        }
        await #expect(throws: (any Error).self) { try await scene.send() }
        #expect(try await scene.send().body == "whole")
    }

    @Test func `a body that breaks is replaced by a stale response`() async throws {
        let scene = Scene { sent in
            guard sent.number == 2 else { return .init(200, ["Cache-Control: max-age=1", "ETag: \"1\""], "old") }
            let held = HeldBody()
            held.send("ne")
            held.fail(HTTPClientError.unplugged)
            return .init(200, Self.cacheable, held.body)
        }
        _ = try await scene.send()
        scene.time.pass(2)
        let answer = try await scene.send()
        #expect((answer.body, answer.status?.detail) == ("old", "origin-failed"))
    }

    @Test(arguments: [
        (["Content-Length: 4"], false), (["Content-Length: 5"], true), (["Content-Length: 6"], false), ([], true),
        (["Content-Length: x"], false),
    ])
    func `a stored body of another length than its head says is fetched again`(lines: [String], isHit: Bool)
        async throws
    {
        let store = InMemoryHTTPCacheStore()
        let scene = Scene(in: store) { _ in .init(200, ["Content-Length: 5"], "fresh") }
        let response = StoredResponse(
            selection: SelectingFields([:], of: ask()),
            response: HTTPResponse(status: .ok, headerFields: fields(lines + Self.cacheable)),
            body: "saved".data,
            times: ExchangeTimes(requested: scene.time.now, received: scene.time.now)
        )
        let uri = try #require(TargetURI(ask())).uri
        #expect(store.insert(response, for: HTTPCacheKey(uri: uri), replacing: []))
        let answer = try await scene.send()
        #expect((answer.isHit, answer.body) == (isHit, isHit ? "saved" : "fresh"))
    }
}
