import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CancellationTests {
    @Test(arguments: Adapter.allCases)
    func `a canceled task sends nothing`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [.answer()] }) { server, client in
            let request = server.request()
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await client.data(for: request)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(server.log.entry.accepted == 0)
        }
    }

    @Test(
        arguments: Adapter.allCases,
        [
            [Step](),
            [.text("HTTP/1.1 200 OK\r\nConte")],
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")],
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")],
        ]
    )
    func `canceling a request closes its connection, however much of the response has arrived`(
        adapter: Adapter,
        steps: [Step]
    )
        async throws
    {
        try await adapter.withServer({ _ in steps }) { server, client in
            let request = server.request()
            let task = Task { try await client.data(for: request) }
            await server.log.until { $0.requests.count == 1 }
            task.cancel()

            await #expect(throws: CancellationError.self) { try await task.value }
            await server.log.until { $0.open == 0 }
        }
    }

    // libcurl keeps reading as long as there are bytes, see URLSessionHTTPClient.
    @Test(arguments: Adapter.allCases.filter { !$0.isURLSessionOnLinux })
    func `canceling a request closes its connection, although the response is arriving`(adapter: Adapter) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await adapter.withServer({ _ in [.text(head), .endless(Array("1\r\nx\r\n".utf8))] }) { server, client in
            let request = server.request()
            let task = Task { try await client.data(for: request) }
            await server.log.until { $0.requests.count == 1 }
            task.cancel()

            await #expect(throws: CancellationError.self) { try await task.value }
            await server.log.until { $0.open == 0 }
        }
    }

    @Test(arguments: Adapter.allCases)
    func `canceling one request does not affect another`(adapter: Adapter) async throws {
        try await adapter.withServer({ $0.target == "/silent" ? [] : [.answer(body: "end")] }) { server, client in
            let (silent, other) = (server.request(.get, "/silent"), server.request())
            let task = Task { try await client.data(for: silent) }
            await server.log.until { $0.requests.count == 1 }
            task.cancel()
            try await #expect(client.data(for: other).1 == Data("end".utf8))
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a thousand requests canceled at random moments neither hang nor leak`(adapter: Adapter) async throws {
        let seed = UInt64.random(in: .min ... .max)
        let arrivals = Arrivals()
        let server = try await RawServer.start { request in
            let number = Int(request.target.dropFirst()) ?? 0
            arrivals.record(number)
            if Self.isAnswered(number) { return [.answer(body: "end")] }
            return number % 4 == 0 ? [] : [.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")]
        }
        // The deadline must not matter: on a busy machine this takes long.
        try await adapter.withClient(deadline: .seconds(3_600)) { client in
            let outcomes = await Self.storm(client, server, arrivals, requests: 1_000, seed: seed)
            #expect(outcomes.unexpected == [], "seed \(seed)")
            #expect(outcomes.cancelled > 250, "seed \(seed)")
            #expect(outcomes.answered > 50, "seed \(seed)")
            try await #expect(client.data(for: server.request(.get, "/2")).1 == Data("end".utf8), "seed \(seed)")
        }
        // The client is shut down: connections that are open now would stay open.
        await server.log.until { $0.open == 0 }
        try await server.stop()
    }

    /// The event after which a request is canceled, with a random delay.
    private enum Moment: CaseIterable {
        case beforeItIsRead
        case afterItIsRead
        case afterItIsAnswered
    }

    /// Whether the server responds to the request with this number.
    private static func isAnswered(_ number: Int) -> Bool {
        number % 4 >= 2
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

    /// Sends requests, 50 at a time, and cancels each at a random time.
    private static func storm(
        _ client: ProbedClient,
        _ server: RawServer,
        _ arrivals: Arrivals,
        requests: Int,
        seed: UInt64
    ) async -> Outcomes {
        var generator = SeededGenerator(seed: seed)
        var outcomes = Outcomes()
        await withTaskGroup(of: Result<Data, any Error>.self) { group in
            for number in 0..<requests {
                if number >= 50, let outcome = await group.next() { outcomes.count(outcome) }
                let request = server.request(.get, "/\(number)")
                let moment = Moment.allCases.randomElement(using: &generator)
                let pause = Int.random(in: 0...20, using: &generator)
                group.addTask {
                    let task = Task { try await client.data(for: request).1 }
                    if moment != .beforeItIsRead { await arrivals.wait(for: number) }
                    if moment == .afterItIsAnswered, Self.isAnswered(number) { _ = await task.result }
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
