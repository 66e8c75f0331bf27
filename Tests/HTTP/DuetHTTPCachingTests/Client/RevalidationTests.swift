import Duet
import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RevalidationTests {
    static let stale = ["Cache-Control: max-age=1, stale-while-revalidate=100", "ETag: \"1\""]

    /// Runs the client during an operation.
    private func running(_ scene: Scene, _ operation: @Sendable @concurrent @escaping () async throws -> Void)
        async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await scene.client.run() }
            group.addTask { try await operation() }
            // The operation ends first, because only cancellation ends the client.
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `while no task runs the client, it validates before it responds`() async throws {
        let scene = Scene { sent in
            sent.number == 1 ? .init(200, Self.stale, "one") : .init(200, Self.stale, "two")
        }
        _ = try await scene.send()
        scene.time.pass(10)
        let answer = try await scene.send()
        #expect(answer.body == "two")
        #expect(answer.status?.forward == .stale)
    }

    @Test func `while a task runs the client, a stale response is served and validated in the background`() async throws
    {
        let gate = Gate()
        let scene = Scene { sent in
            if sent.number == 1 { return .init(200, Self.stale, "one") }
            try await gate.pass()
            return .init(200, ["Cache-Control: max-age=60"], "two")
        }
        _ = try await scene.send()
        try await running(scene) {
            await scene.client.untilItRuns()
            scene.time.pass(10)
            let served = try await scene.send()
            #expect(served.body == "one")
            #expect(served.line == "Duet; hit; ttl=-9")
            await gate.arrivals(1)
            // One validation is enough for all requests meanwhile.
            let again = try await scene.send()
            #expect(again.body == "one")
            #expect(scene.origin.count == 2)
            #expect(scene.origin.sent.last?.field(.ifNoneMatch) == "\"1\"")
            gate.open()
            // A request for a fresh response waits for the validation under way.
            var body = "one"
            while body == "one" {
                // The cache responds without suspending, which would leave no time for the validation.
                await Task.yield()
                body = try await scene.send().body
            }
            #expect(body == "two")
            #expect(scene.origin.count == 2)
        }
    }

    @Test func `a background fetch continues for a request that waits for it`() async throws {
        let (held, gate) = (HeldBody(), Gate())
        let scene = Scene { sent in
            if sent.number == 1 { return .init(200, Self.stale, "one") }
            try await gate.pass()
            return .init(200, ["Cache-Control: max-age=1000"], held.body)
        }
        _ = try await scene.send()
        let running = Task { await scene.client.run() }
        await scene.client.untilItRuns()
        scene.time.pass(10)
        #expect(try await scene.send().body == "one")
        await gate.arrivals(1)
        gate.open()
        // Now the response is too old to be served before validation.
        scene.time.pass(200)
        let waiting = Task.startingHere { try await scene.send() }
        running.cancel()
        await running.value
        held.send("two")
        held.end()
        let answer = try await waiting.value
        #expect((answer.body, answer.status?.collapsed) == ("two", true))
        #expect(scene.origin.count == 2)
    }

    @Test func `background validations are not counted`() async throws {
        let scene = Scene { sent in
            sent.number == 1 ? .init(200, Self.stale, "one") : .init(200, ["Cache-Control: max-age=60"], "two")
        }
        _ = try await scene.send()
        try await running(scene) {
            await scene.client.untilItRuns()
            scene.time.pass(10)
            var count = 0
            var body = "one"
            while body == "one" {
                await Task.yield()
                body = try await scene.send().body
                count += 1
            }
            let statistics = scene.client.statistics
            #expect((statistics.hits, statistics.validated, statistics.misses) == (count, 0, 1))
        }
    }

    @Test(arguments: [(.head, nil), (.get, "bytes=0-1")] as [(HTTPRequest.Method, String?)])
    func `a request for the head or a part does not fetch the whole in the background`(
        method: HTTPRequest.Method,
        range: String?
    ) async throws {
        let scene = Scene { sent in
            sent.field(.ifNoneMatch) == nil ? .init(200, Self.stale, "0123") : .init(304, Self.stale)
        }
        _ = try await scene.send()
        try await running(scene) {
            await scene.client.untilItRuns()
            scene.time.pass(10)
            var request = ask()
            request.method = method
            request.headerFields[.range] = range
            let answer = try await scene.send(request)
            #expect(answer.status?.forwardStatus == 304)
            #expect(scene.origin.sent.last?.request.method == method)
        }
        #expect(scene.origin.count == 2)
    }

    @Test func `a part is validated before it is served, because the background fetch is for the whole`() async throws {
        let scene = Scene { sent in
            sent.number == 1
                ? .init(206, Self.stale + ["Content-Range: bytes 0-3/1000000"], "0123") : .init(304, Self.stale)
        }
        let request = ask("/a", ["Range: bytes=0-3"])
        _ = try await scene.send(request)
        try await running(scene) {
            await scene.client.untilItRuns()
            scene.time.pass(10)
            let answer = try await scene.send(request)
            #expect(answer.body == "0123")
            #expect(answer.status?.forwardStatus == 304)
            #expect(scene.origin.sent.last?.field(.range) == "bytes=0-3")
        }
        #expect(scene.origin.count == 2)
    }

    @Test func `a background response that must not be stored is not read`() async throws {
        var configuration = CachingHTTPClient.Configuration()
        configuration.revalidationLimit = 1
        let endless = HeldBody()
        let scene = Scene(configuration: configuration) { sent in
            sent.number > 2 && sent.request.path == "/a"
                ? .init(200, ["Cache-Control: no-store"], endless.body) : .init(200, Self.stale, "one")
        }
        _ = try await (scene.send(), scene.send(ask("/b")))
        try await running(scene) {
            await scene.client.untilItRuns()
            scene.time.pass(10)
            #expect(try await scene.send().body == "one")
            // Another response is validated in the background as soon as the first validation has ended.
            var isHit = false
            while !isHit {
                await Task.yield()
                scene.time.pass(10)
                isHit = try await scene.send(ask("/b")).isHit
            }
        }
    }

    @Test func `a background response that is too large is not read to its end`() async throws {
        let endless = HeldBody()
        let scene = Scene(in: InMemoryHTTPCacheStore(capacity: 40_000)) { sent in
            sent.number == 1 ? .init(200, Self.stale, "one") : .init(200, Self.stale, endless.body)
        }
        _ = try await scene.send()
        try await running(scene) {
            await scene.client.untilItRuns()
            scene.time.pass(10)
            #expect(try await scene.send().body == "one")
            for _ in 1...100 { endless.send(String(repeating: "x", count: 1_000)) }
            try await endless.released.pass()
        }
    }

    @Test func `a background validation has no Request-Timeout of the client`() async throws {
        let validated = Gate()
        let scene = Scene { sent in
            if sent.number == 2 { validated.open() }
            return .init(200, Self.stale, "one")
        }
        let timeout = try #require(HTTPField.Name("Request-Timeout"))
        _ = try await scene.send()
        try await running(scene) {
            await scene.client.untilItRuns()
            scene.time.pass(10)
            #expect(try await scene.send(ask("/a", ["Request-Timeout: 0.2"])).isHit)
            try await validated.pass()
            #expect(scene.origin.sent.last?.field(timeout) == nil)
        }
    }

    @Test func `validations beyond the limit happen before the response is served`() async throws {
        var configuration = CachingHTTPClient.Configuration()
        configuration.revalidationLimit = 2
        let gate = Gate()
        let scene = Scene(configuration: configuration) { sent in
            guard sent.field(.ifNoneMatch) != nil else { return .init(200, Self.stale, "one") }
            if sent.request.path != "/3" { try await gate.pass() }
            return .init(304)
        }
        for path in ["/1", "/2", "/3"] { _ = try await scene.send(ask(path)) }
        try await running(scene) {
            await scene.client.untilItRuns()
            scene.time.pass(10)
            for (path, isHit) in [("/1", true), ("/2", true), ("/3", false)] {
                let answer = try await scene.send(ask(path))
                #expect(answer.isHit == isHit, "\(path)")
            }
            gate.open()
        }
    }

    @Test func `validations in progress end with the task that runs the client`() async throws {
        let gate = Gate()
        let hasEnded = Mutex(false)
        let scene = Scene { sent in
            if sent.number == 1 { return .init(200, Self.stale, "one") }
            do {
                try await gate.pass()
            } catch {
                // Closing a connection takes a while.
                for _ in 1...1000 { await Task.yield() }
                hasEnded.withLock { $0 = true }
            }
            throw HTTPClientError.unplugged
        }
        _ = try await scene.send()
        try await running(scene) {
            await scene.client.untilItRuns()
            scene.time.pass(10)
            _ = try await scene.send()
            await gate.arrivals(1)
        }
        #expect(hasEnded.withLock { $0 })
        // The client is no longer running.
        scene.time.pass(1)
        gate.open()
        #expect(try await scene.send().status?.detail == "origin-failed")
    }

    @Test func `a background validation reports no informational responses`() async throws {
        let told = Mutex<[Bool]>([])
        let validated = Gate()
        let scene = Scene { sent in
            told.withLock { $0.append(HTTPRequestOptions.current.onInformationalResponse != nil) }
            if sent.number == 2 { validated.open() }
            return .init(200, Self.stale, "\(sent.number)")
        }
        var options = HTTPRequestOptions()
        options.onInformationalResponse = { _ in }
        _ = try await options.use { try await scene.send() }
        try await running(scene) { [options] in
            await scene.client.untilItRuns()
            scene.time.pass(10)
            _ = try await options.use { try await scene.send() }
            try await validated.pass()
        }
        #expect(told.withLock(\.self) == [true, false])
    }

    @Test func `a request with only-if-cached starts no validation`() async throws {
        let scene = Scene { _ in .init(200, Self.stale, "one") }
        _ = try await scene.send()
        scene.time.pass(10)
        #expect(try await scene.send(ask("/a", ["Cache-Control: only-if-cached"])).body == "one")
        #expect(scene.origin.count == 1)
    }
}

extension CachingHTTPClient {
    fileprivate func untilItRuns() async {
        while !isRunning { await Task.yield() }
    }
}
