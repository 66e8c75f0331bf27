import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CachingHTTPClientTests {
    @Test func `a fresh response is served without the origin, and reports that`() async throws {
        let scene = Scene { _ in .init(200, ["Cache-Control: max-age=60", "Content-Type: text/plain"], "one") }
        let first = try await scene.send()
        #expect(first.line == "Duet; fwd=uri-miss; ttl=60; stored")
        scene.time.pass(20)
        let second = try await scene.send()
        #expect(second.code == 200)
        #expect(second.body == "one")
        #expect(second.line == "Duet; hit; ttl=40")
        #expect(second.response.headerFields[.age] == "20")
        #expect(second.response.headerFields[.contentType] == "text/plain")
        #expect(scene.origin.count == 1)
    }

    @Test func `how the cache handled a request is a value`() async throws {
        let scene = Scene { _ in .init(200, ["Cache-Control: max-age=60", "Cache-Status: Edge; hit; ttl=9"], "one") }
        #expect(try await scene.send().status == CacheStatus(forward: .uriMiss, ttl: 60, stored: true))
        let hit = try await scene.send()
        #expect(hit.status == CacheStatus(hit: true, ttl: 60))
        #expect(hit.response.headerFields[values: .cacheStatus] == ["Edge; hit; ttl=9", "Duet; hit; ttl=60"])
        #expect(HTTPResponse(status: .ok).cacheStatus == nil)
    }

    @Test func `a stale response is validated, and reused if the origin confirms it`() async throws {
        let scene = Scene { sent in
            sent.field(.ifNoneMatch) == "\"1\""
                ? .init(304, ["ETag: \"1\"", "Cache-Control: max-age=30"])
                : .init(200, ["ETag: \"1\"", "Cache-Control: max-age=10"], "one")
        }
        _ = try await scene.send()
        scene.time.pass(10)
        let validated = try await scene.send()
        #expect(validated.code == 200)
        #expect(validated.body == "one")
        #expect(validated.line == "Duet; fwd=stale; fwd-status=304; ttl=30; stored")
        scene.time.pass(29)
        #expect(try await scene.send().isHit)
        #expect(scene.origin.count == 2)
    }

    @Test func `a changed response replaces the stored one`() async throws {
        let scene = Scene { .init(200, ["ETag: \"\($0.number)\"", "Cache-Control: max-age=10"], "\($0.number)") }
        _ = try await scene.send()
        scene.time.pass(10)
        #expect(try await scene.send().body == "2")
        let hit = try await scene.send()
        #expect(hit.body == "2")
        #expect(hit.isHit)
    }

    @Test func `a response that must not be stored removes the stored one`() async throws {
        let scene = Scene { sent in
            .init(200, ["ETag: \"1\"", sent.number == 2 ? "Cache-Control: no-store" : "Cache-Control: max-age=1"], "x")
        }
        _ = try await scene.send()
        scene.time.pass(1)
        _ = try await scene.send()
        #expect(try await scene.send().status?.forward == .uriMiss)
        #expect(scene.origin.sent.map { $0.field(.ifNoneMatch) } == [nil, "\"1\"", nil])
    }

    /// A response about the resource replaces the stored one; one about this request or the server's state does not.
    @Test(arguments: [
        (200, 503), (302, 503), (401, 503), (403, 503), (404, 503), (410, 503), (451, 503), (400, 200), (408, 200),
        (412, 200), (416, 200), (429, 200), (505, 200),
    ])
    func `a refused response does not return when the origin fails`(status: Int, last: Int) async throws {
        let scene = try await refusing(with: status)
        #expect(try await scene.send().code == status)
        #expect(try await scene.send().code == last)
    }

    /// A scene with a stale response: the next response has this status, and then the origin fails.
    private func refusing(with status: Int) async throws -> Scene {
        let scene = Scene { sent in
            switch sent.number {
            case 1: .init(200, ["Cache-Control: max-age=1", "ETag: \"1\""], "x")
            case 2: .init(status, ["Cache-Control: no-store"])
            default: .init(503)
            }
        }
        _ = try await scene.send()
        scene.time.pass(2)
        return scene
    }

    @Test(arguments: [206, 428, 429, 431, 511])
    func `a status about one request or one client is not stored`(status: Int) async throws {
        let scene = Scene { _ in .init(status, ["Cache-Control: public, max-age=60"]) }
        for _ in 1...2 {
            let answer = try await scene.send()
            #expect((answer.isHit, answer.status?.notStored) == (false, .status))
        }
    }

    @Test(arguments: ["Cache-Control: no-store", "Vary: *", "Cache-Control: max-age=0"])
    func `a response that must not be stored comes from the origin each time`(line: String) async throws {
        let scene = Scene { .init(200, [line], "\($0.number)") }
        #expect(try await scene.send().body == "1")
        #expect(try await scene.send().body == "2")
    }

    @Test func `a request with no-store stores nothing`() async throws {
        let scene = Scene { .init(200, ["Cache-Control: max-age=60"], "\($0.number)") }
        let refused = try await scene.send(ask("/a", ["Cache-Control: no-store"]))
        #expect(refused.line == "Duet; fwd=uri-miss; detail=no-store")
        #expect(try await scene.send().body == "2")
        // It does not remove a stored response either.
        _ = try await scene.send(ask("/a", ["Cache-Control: no-store"]))
        #expect(try await scene.send().isHit)
    }

    @Test func `a request with only-if-cached does not reach the origin`() async throws {
        let scene = Scene { _ in .init(200, ["Cache-Control: max-age=60"], "one") }
        let only = ask("/a", ["Cache-Control: only-if-cached"])
        let refused = try await scene.send(only)
        #expect(refused.code == 504)
        #expect(refused.line == "Duet; detail=only-if-cached")
        #expect(scene.origin.count == 0)
        _ = try await scene.send()
        #expect(try await scene.send(only).body == "one")
    }

    @Test func `a request can require validation by the origin`() async throws {
        let scene = Scene { sent in
            sent.field(.ifNoneMatch) == nil
                ? .init(200, ["Cache-Control: max-age=60", "ETag: \"1\""], "one") : .init(304)
        }
        _ = try await scene.send()
        let answer = try await scene.send(ask("/a", ["Cache-Control: no-cache"]))
        #expect(answer.line == "Duet; fwd=request; fwd-status=304; ttl=60; stored")
        #expect(answer.body == "one")
    }

    @Test(arguments: [true, false])
    func `a HEAD, and a request for a range, passes by and changes nothing that is stored`(isRange: Bool) async throws {
        let scene = Scene { sent in
            let lines = ["Cache-Control: max-age=60", "ETag: \"\(sent.number)\""]
            if sent.field(.range) != nil { return .init(206, lines + ["Content-Range: bytes 0-1/3"], "on") }
            return .init(200, lines, sent.request.method == .head ? "" : "one")
        }
        let passing = isRange ? ask("/a", ["Range: bytes=0-1"]) : ask("/a", [], .head)
        for isStored in [false, true] {
            if isStored { _ = try await scene.send() }
            let answer = try await scene.send(passing)
            #expect((answer.code, answer.body) == (isRange ? (206, "on") : (200, "")))
            #expect(answer.line == "Duet; fwd=\(isRange ? "bypass; detail=range" : "method")")
        }
        #expect(try await scene.send().isHit)
        #expect(scene.origin.count == 3)
    }

    @Test func `the client's conditions are evaluated by the cache`() async throws {
        let scene = Scene { _ in .init(200, ["Cache-Control: max-age=60", "ETag: \"1\""], "0123456789") }
        _ = try await scene.send()
        let unchanged = try await scene.send(ask("/a", ["If-None-Match: \"1\""]))
        #expect((unchanged.code, unchanged.body) == (304, ""))
        #expect(scene.origin.count == 1)
    }

    @Test func `the client's condition reaches the origin, and the 304 reaches the client`() async throws {
        let scene = Scene { _ in .init(304, ["ETag: \"1\""]) }
        let answer = try await scene.send(ask("/a", ["If-None-Match: \"1\""]))
        #expect(answer.code == 304)
        #expect(scene.origin.sent.first?.field(.ifNoneMatch) == "\"1\"")
    }

    @Test func `variants are stored side by side`() async throws {
        let scene = Scene { sent in
            .init(200, ["Cache-Control: max-age=60", "Vary: Accept-Language"], sent.field(.acceptLanguage) ?? "none")
        }
        for language in ["de", "en", "de", "en"] {
            #expect(try await scene.send(ask("/a", ["Accept-Language: \(language)"])).body == language)
        }
        #expect(scene.origin.count == 2)
    }

    @Test(arguments: [true, false])
    func `a stale response replaces a failure of the origin`(isUnreachable: Bool) async throws {
        let scene = Scene { sent in
            if sent.number == 1 { return .init(200, ["Cache-Control: max-age=1", "ETag: \"1\""], "one") }
            if isUnreachable { throw HTTPClientError.unplugged }
            return .init(503)
        }
        _ = try await scene.send()
        scene.time.pass(100)
        let stale = try await scene.send()
        #expect(stale.body == "one")
        // It is not a hit, because the request went to the origin (RFC 9211, section 2.1).
        #expect(
            stale.line == "Duet; fwd=stale;\(isUnreachable ? "" : " fwd-status=503;") ttl=-99; detail=origin-failed"
        )
        scene.time.pass(90_000)
        if isUnreachable {
            await #expect(throws: HTTPClientError.self) { try await scene.send() }
        } else {
            #expect(try await scene.send().code == 503)
        }
    }

    @Test func `a request that the cache cannot handle bypasses it`() async throws {
        let scene = Scene { .init(200, ["Cache-Control: max-age=60"], "\($0.number)") }
        #expect(try await scene.send(ask(), body: "x").line == "Duet; fwd=bypass; detail=request-body")
        #expect(try await scene.send().body == "2")
        var options = HTTPRequestOptions()
        options.bypassedDecorators = [CachingHTTPClient.self]
        let past = try await options.use { try await (scene.send(), scene.send()) }
        #expect(past.0.body == "3")
        #expect(past.1.body == "4")
        #expect(past.1.status == nil)
    }

    @Test(arguments: [(9, false), (10, true), (11, true)])
    func `a message's limit also applies to a stored body`(limit: (Int, Bool)) async throws {
        let scene = Scene { _ in .init(200, ["Cache-Control: max-age=60"], "0123456789") }
        var options = HTTPRequestOptions()
        options.maximumBodySize = limit.0
        for isStored in [false, true] {
            if isStored { _ = try await scene.send() }
            do {
                let answer = try await options.use { try await scene.send() }
                #expect((answer.body, limit.1) == ("0123456789", true))
            } catch HTTPClientError.bodyTooLarge(_, limit.0) {
                #expect(!limit.1)
            }
        }
    }

    @Test func `its summary appears among the layers`() {
        #expect(ScriptedOrigin { _ in .init() }.caching().layers == ["cache", "ScriptedOrigin"])
    }
}
