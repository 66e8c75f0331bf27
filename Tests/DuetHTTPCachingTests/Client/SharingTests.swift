import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SharingTests {
    static let cacheable = ["Cache-Control: max-age=60"]

    @Test(arguments: Way.allCases)
    func `who asks for the same at the same time shares one fetch`(way: Way) async throws {
        let gate = Gate()
        let scene = Scene { sent in
            try await gate.pass()
            return .init(200, Self.cacheable, "\(sent.number)")
        }
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 1...50 { group.addTask { try await way.ask(scene, ask()) } }
            await gate.arrivals(1)
            gate.open()
            for try await answer in group { #expect(answer.body == "1") }
        }
        #expect(scene.origin.count == 1)
    }

    @Test(arguments: Way.allCases)
    func `an answer that is for one alone leaves the others to ask for themselves`(way: Way) async throws {
        let gate = Gate()
        let scene = Scene { sent in
            if sent.number == 1 { try await gate.pass() }
            return .init(200, ["Cache-Control: no-store"], "\(sent.number)")
        }
        let bodies = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 1...20 { group.addTask { try await way.ask(scene, ask()) } }
            await gate.arrivals(1)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1.body) }
        }
        #expect(Set(bodies) == Set((1...20).map { "\($0)" }))
    }

    @Test func `a fetch that fails leaves the others to ask for themselves`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            guard sent.number == 1 else { return .init(200, Self.cacheable, "\(sent.number)") }
            try await gate.pass()
            throw HTTPClientError.unplugged
        }
        let failures = await withTaskGroup(of: Bool.self) { group in
            for _ in 1...20 { group.addTask { (try? await scene.send()) == nil } }
            await gate.arrivals(1)
            gate.open()
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 1)
    }

    @Test func `who was first may go without the others losing anything`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            try await gate.pass()
            return .init(200, Self.cacheable, "one")
        }
        let first = Task { try await scene.send() }
        await gate.arrivals(1)
        async let second = scene.send()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(try await second.body == "one")
    }

    @Test func `with the last who waits the fetch is given up`() async throws {
        let gate = Gate()
        let given = Gate()
        let scene = Scene { sent in
            do {
                try await gate.pass()
            } catch {
                given.open()
                throw error
            }
            return .init(200, Self.cacheable, "one")
        }
        let alone = Task { try await scene.send() }
        await gate.arrivals(1)
        alone.cancel()
        try await given.pass()
        await #expect(throws: CancellationError.self) { try await alone.value }
    }

    @Test func `who comes while the body comes begins at its beginning`() async throws {
        let held = HeldBody(size: 6)
        let scene = Scene { _ in .init(200, Self.cacheable + ["Content-Length: 6"], held.body) }
        let (_, early) = try await scene.client.stream(ask(), body: nil)
        held.send("abc")
        var reader = early.makeAsyncIterator()
        #expect(try await reader.next() == "abc".data)
        let (response, late) = try await scene.client.stream(ask(), body: nil)
        #expect(response.cacheStatus == CacheStatus(forward: .uriMiss, ttl: 60, stored: true, collapsed: true))
        held.send("def")
        held.end()
        // The other one, who reads nothing meanwhile, does not hold it up.
        #expect(try await late.text() == "abcdef")
        #expect(try await reader.next() == "def".data)
        #expect(try await reader.next() == nil)
        #expect(scene.origin.count == 1)
    }

    @Test func `readers come and go, and with the last one the source is let go`() async throws {
        let held = HeldBody()
        let scene = Scene { _ in .init(200, Self.cacheable, held.body) }
        let (_, body) = try await scene.client.stream(ask(), body: nil)
        held.send("a")
        #expect(try await scene.first() == "a")
        #expect(try await scene.first() == "a")
        held.send("b")
        do {
            var reader = body.makeAsyncIterator()
            #expect(try await reader.next() == "a".data)
            #expect(try await reader.next() == "b".data)
        }
        try await held.released.pass()
        #expect(scene.origin.count == 1)
    }

    @Test func `who is cancelled while reading does not end it for the others`() async throws {
        let held = HeldBody()
        let scene = Scene { _ in .init(200, Self.cacheable, held.body) }
        let (_, body) = try await scene.client.stream(ask(), body: nil)
        let (_, other) = try await scene.client.stream(ask(), body: nil)
        let reading = Task { try await other.text() }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        held.send("abc")
        held.end()
        #expect(try await body.text() == "abc")
    }

    @Test(arguments: [(9, true), (10, true), (11, false)])
    func `what is longer than the limit is joined by nobody`(length: Int, isShared: Bool) async throws {
        var configuration = CachingHTTPClient.Configuration()
        configuration.sharedBodyLimit = 10
        let held = HeldBody()
        let scene = Scene(configuration: configuration) { sent in
            sent.number == 1 ? .init(200, Self.cacheable, held.body) : .init(200, Self.cacheable, "other")
        }
        let (_, body) = try await scene.client.stream(ask(), body: nil)
        held.send(String(repeating: "x", count: length))
        var reader = body.makeAsyncIterator()
        _ = try await reader.next()
        let (response, _) = try await scene.client.stream(ask(), body: nil)
        #expect(response.cacheStatus?.collapsed == isShared)
        #expect(scene.origin.count == (isShared ? 1 : 2))
    }

    @Test(arguments: [
        ["Cache-Control: no-cache"], ["Range: bytes=0-1"], ["If-None-Match: \"1\""],
        ["If-Modified-Since: Mon, 07 Aug 2023 07:00:00 GMT"],
    ])
    func `what one asks for itself is not shared`(lines: [String]) async throws {
        let held = HeldBody()
        let scene = Scene { sent in
            sent.number == 1 ? .init(200, Self.cacheable, held.body) : .init(200, Self.cacheable, "own")
        }
        let (_, body) = try await scene.client.stream(ask(), body: nil)
        #expect(try await scene.stream(ask("/a", lines)).body == "own")
        held.end()
        #expect(try await body.text() == "")
    }

    @Test func `what varies is shared by those for whom it was selected`() async throws {
        let held = HeldBody()
        let scene = Scene { sent in
            let lines = Self.cacheable + ["Vary: Accept-Language"]
            return sent.number == 1 ? .init(200, lines, held.body) : .init(200, lines, "english")
        }
        let german = ask("/a", ["Accept-Language: de"])
        let (_, body) = try await scene.client.stream(german, body: nil)
        #expect(try await scene.stream(ask("/a", ["Accept-Language: en"])).body == "english")
        let (response, other) = try await scene.client.stream(german, body: nil)
        #expect(scene.origin.count == 2 || response.cacheStatus?.forward == .varyMiss)
        held.send("deutsch")
        held.end()
        #expect(try await body.text() == "deutsch")
        _ = other
    }

    @Test func `a validation is shared too`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            guard sent.number > 1 else { return .init(200, ["Cache-Control: max-age=1", "ETag: \"1\""], "one") }
            try await gate.pass()
            return .init(304, ["Cache-Control: max-age=60"])
        }
        _ = try await scene.send()
        scene.time.pass(1)
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 1...20 { group.addTask { try await scene.send() } }
            await gate.arrivals(1)
            gate.open()
            for try await answer in group { #expect(answer.body == "one") }
        }
        #expect(scene.origin.count == 2)
    }
}
