import DuetContext
import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

/// The reported reasons why responses are not stored; no response is reported as stored that is not.
@Suite(.timeLimit(.minutes(5)))
struct NotStoredTests {
    static let cacheable = ["Cache-Control: max-age=60"]
    private static let large = String(repeating: "x", count: 100_000)

    @Test(arguments: [Int64.min, -1, 0, 1, 99_999, 399_999])
    func `a response larger than the store is not reported as stored`(capacity: Int64) async throws {
        let scene = Scene(in: InMemoryHTTPCacheStore(capacity: capacity)) { _ in
            .init(200, Self.cacheable, Self.large)
        }
        for _ in 1...2 {
            let answer = try await scene.send()
            #expect(answer.line == "Duet; fwd=uri-miss; ttl=60; detail=store")
            #expect(answer.status?.notStored == .store)
        }
        #expect(scene.client.statistics.storedBytes == 0)
    }

    @Test func `a response near the size limit is reported as stored only if it is`() async throws {
        var counts = [0, 0]
        for capacity in stride(from: Int64(4_000), to: 12_000, by: 4) {
            let scene = Scene(in: InMemoryHTTPCacheStore(capacity: capacity)) { _ in
                .init(200, Self.cacheable, String(repeating: "x", count: 1_000))
            }
            let isStored = try await scene.send().status?.stored == true
            #expect(try await scene.send().isHit == isStored, "\(capacity)")
            counts[isStored ? 1 : 0] += 1
        }
        #expect(counts.allSatisfy { $0 > 100 })
    }

    @Test func `a response that fits is reported as stored, and is stored`() async throws {
        // One response may take a quarter of the capacity.
        let scene = Scene(in: InMemoryHTTPCacheStore(capacity: 440_000)) { _ in .init(200, Self.cacheable, Self.large) }
        let answer = try await scene.send()
        #expect(answer.line == "Duet; fwd=uri-miss; ttl=60; stored")
        #expect(answer.status?.notStored == nil)
        #expect(try await scene.send().isHit)
    }

    @Test func `a response that the store fails to take is not reported as stored`() async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { _ in .init(200, Self.cacheable, "one") }
        store.fail(.insert)
        #expect(try await scene.collect().line == "Duet; fwd=uri-miss; ttl=60; detail=store")
    }

    @Test func `a head that the store fails to take is not reported as stored`() async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { sent in
            sent.number == 1 ? .init(200, Self.cacheable + ["ETag: \"1\""], "one") : .init(304, Self.cacheable)
        }
        _ = try await scene.send()
        scene.time.pass(100)
        store.fail(.insert)
        let answer = try await scene.send()
        #expect(answer.body == "one")
        #expect(answer.line == "Duet; fwd=stale; fwd-status=304; ttl=60; detail=store")
    }

    @Test(
        arguments: [
            ([], ["Cache-Control: no-store"], .noStore),
            (["Cache-Control: no-store"], cacheable, .noStore),
            ([], cacheable + ["Vary: *"], .vary),
            ([], [], .noFreshness),
            ([], ["Cache-Control: no-cache, max-age=60"], .noFreshness),
            ([], cacheable + ["Content-Length: 7"], .incomplete),
            ([], cacheable + ["Content-Type: text/event-stream; charset=utf-8"], .eventStream),
            (["Range: bytes=0-1"], cacheable, .range),
        ] as [([String], [String], NotStored)]
    )
    func `the reason for not storing is reported`(
        asked: [String],
        answered: [String],
        reason: NotStored
    ) async throws {
        let scene = Scene { _ in .init(200, answered, "one") }
        let answer = try await scene.send(ask("/a", asked))
        #expect(answer.status?.notStored == reason)
        #expect(answer.line.hasSuffix("; detail=\(reason.rawValue)"))
        #expect(answer.status?.stored == false)
    }

    @Test(arguments: [
        (206, NotStored.status), (299, .notCacheable), (304, .status), (412, .status), (500, .notCacheable),
    ])
    func `the status code can be the reason`(code: Int, reason: NotStored) async throws {
        let scene = Scene { _ in .init(code, []) }
        #expect(try await scene.send().status?.notStored == reason)
    }

    @Test func `the request can be the reason`() async throws {
        let scene = Scene { _ in .init(200, Self.cacheable) }
        #expect(try await scene.send(ask("/a#b")).line == "Duet; fwd=bypass; detail=target")
        #expect(try await scene.send(ask(), body: "x").status?.notStored == .requestBody)
        let put = try await scene.send(ask("/a", [], .put))
        #expect(put.line == "Duet; fwd=method")
        #expect(put.status?.notStored == .method)
    }

    @Test func `a confirmed response that must not be stored is not reported as stored`() async throws {
        let scene = Scene { sent in
            sent.number == 1
                ? .init(200, ["Cache-Control: max-age=1", "ETag: \"1\""], "one")
                : .init(304, ["Cache-Control: no-store"])
        }
        _ = try await scene.send()
        scene.time.pass(1)
        let answer = try await scene.send()
        #expect(answer.line == "Duet; fwd=stale; fwd-status=304; ttl=0; detail=no-store")
        #expect(answer.status?.notStored == .noStore)
        #expect(answer.body == "one")
    }

    @Test func `a failing origin removes no stored response, and that is reported`() async throws {
        let scene = Scene { sent in
            sent.number == 1
                ? .init(200, ["Cache-Control: max-age=1, must-revalidate", "ETag: \"1\""], "one") : .init(503)
        }
        _ = try await scene.send()
        scene.time.pass(1)
        #expect(try await scene.send().line == "Duet; fwd=stale; detail=origin-error")
    }

    @Test func `a response that a durable store does not receive reports the reason`() async throws {
        let scene = Scene(in: FaultyStore(isDurable: true)) { _ in
            .init(200, Self.cacheable + ["Vary: Cookie"], "one")
        }
        let answer = try await scene.send(ask("/a", ["Cookie: a"]))
        #expect(answer.line == "Duet; fwd=uri-miss; ttl=60; detail=secret-not-stored")
        #expect(try await scene.send().status?.stored == true)
    }

    @Test func `a response that is not stored still replaces older ones`() async throws {
        let scene = Scene(in: FaultyStore(isDurable: true)) { sent in
            sent.number == 1
                ? .init(200, Self.cacheable, "one") : .init(200, Self.cacheable + ["Vary: Cookie"], "\(sent.number)")
        }
        _ = try await scene.send(ask("/a", ["Cookie: a"]))
        let reload = ask("/a", ["Cookie: a", "Cache-Control: no-cache"])
        #expect(try await scene.send(reload).status?.notStored == .secret)
        #expect(try await scene.send(ask("/a", ["Cookie: a"])).body == "3")
    }

    @Test func `each of several responses that are not stored reports that`() async throws {
        let gate = Gate()
        let scene = Scene(in: InMemoryHTTPCacheStore(capacity: 0)) { _ in
            try await gate.pass()
            return .init(200, Self.cacheable, "one")
        }
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 1...5 { group.addTask { try await scene.send() } }
            await gate.arrivals(1)
            gate.open()
            for try await answer in group { #expect(answer.status?.notStored == .store) }
        }
    }

    @Test(arguments: NotStored.allCases)
    func `each reason is a token that can be read back`(reason: NotStored) throws {
        var status = CacheStatus(forward: .miss, detail: reason.rawValue)
        #expect(status.description == "Duet; fwd=miss; detail=\(reason.rawValue)")
        #expect(
            HTTPResponse(status: .ok, headerFields: [.cacheStatus: status.description]).cacheStatus?.notStored == reason
        )
        status.stored = true
        #expect(status.notStored == nil)
    }
}
