import DuetAsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(2)))
struct CancellationTests {
    @Test func `a task that is cancelled beforehand sends nothing`() async throws {
        try await withServer({ _ in [.answer()] }) { server, client in
            let request = server.request()
            let task = Task {
                withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await client.send(request)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(server.log.entry.accepted == 0)
        }
    }

    @Test(arguments: [
        [Step](),
        [.text("HTTP/1.1 200 OK\r\nConte")],
        [.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")],
        [.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")],
        [.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .endless(Array("1\r\nx\r\n".utf8))],
    ])
    func `cancelling a request closes its connection, whatever has come of the answer`(steps: [Step]) async throws {
        try await withServer({ _ in steps }) { server, client in
            let request = server.request()
            let task = Task { try await client.send(request) }
            await server.log.until { $0.requests.count == 1 }
            task.cancel()

            await #expect(throws: CancellationError.self) { try await task.value }
            await server.log.until { $0.open == 0 }
        }
    }

    @Test func `cancelling one request leaves another alone`() async throws {
        try await withServer({ $0.target == "/silent" ? [] : [.answer(body: "end")] }) { server, client in
            let (silent, other) = (server.request(.get, "/silent"), server.request())
            let task = Task { try await client.send(silent) }
            await server.log.until { $0.requests.count == 1 }
            task.cancel()
            #expect(try await client.send(other).1 == Data("end".utf8))
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `thousands of requests cancelled at random moments neither hang nor leak`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        let script: @Sendable (ReceivedRequest) -> [Step] = { request in
            switch (Int(request.target.dropFirst()) ?? 0) % 4 {
            case 0: []
            case 1: [.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")]
            default: [.answer(body: "end")]
            }
        }
        let server = try await RawServer.start(script)
        try await withClient { client in
            let outcomes = await Self.storm(client, server, requests: 2_000, seed: seed)
            #expect(outcomes.unexpected == [], "seed \(seed)")
            #expect(outcomes.cancelled > 500, "seed \(seed)")
            #expect(outcomes.answered > 0, "seed \(seed)")
            #expect(try await client.send(server.request(.get, "/2")).1 == Data("end".utf8), "seed \(seed)")
        }
        // The client is shut down: what is open now would stay open.
        await server.log.until { $0.open == 0 }
        try await server.stop()
    }

    private struct Outcomes {
        var answered = 0
        var cancelled = 0
        var unexpected: [String] = []

        mutating func count(_ outcome: Result<Data, any Error>) {
            switch outcome {
            case .success(Data("end".utf8)): answered += 1
            case .success(let data): unexpected.append("\(data)")
            case .failure(is CancellationError): cancelled += 1
            case .failure(let error): unexpected.append("\(error)")
            }
        }
    }

    /// Sends requests, 50 at a time, and cancels each at a moment of its own.
    private static func storm(
        _ client: NIOHTTPClient,
        _ server: RawServer,
        requests: Int,
        seed: UInt64
    ) async -> Outcomes {
        var generator = SeededGenerator(seed: seed)
        var outcomes = Outcomes()
        await withTaskGroup(of: Result<Data, any Error>.self) { group in
            for number in 0..<requests {
                if number >= 50, let outcome = await group.next() { outcomes.count(outcome) }
                let request = server.request(.get, "/\(number)")
                let pause = Int.random(in: 0...2_000, using: &generator)
                group.addTask {
                    let task = Task { try await client.send(request).1 }
                    for _ in 0..<pause { await Task.yield() }
                    task.cancel()
                    return await task.result
                }
            }
            for await outcome in group { outcomes.count(outcome) }
        }
        return outcomes
    }
}

/// SplitMix64: the same numbers for the same seed.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
