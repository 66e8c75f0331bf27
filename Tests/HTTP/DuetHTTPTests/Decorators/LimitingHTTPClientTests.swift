import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LimitingHTTPClientTests {
    @Test(arguments: [(9, true), (10, true), (11, false)])
    func `a body up to the limit is accepted`(size: Int, isTaken: Bool) async throws {
        let server = StubClient { _ in answer(body: String(repeating: "x", count: size)) }
        let client = server.limiting(bodySize: 10)
        if isTaken {
            #expect(try await client.data(for: request()).1.count == size)
        } else {
            let error = await #expect(throws: HTTPClientError.self) { try await client.data(for: request()) }
            guard case .bodyTooLarge("https://api.example/a", 10)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        #expect(server.sent.first?.options.maximumBodySize == 10)
    }

    @Test(arguments: [(5, 9 as Int?, 5), (9, 5, 5), (-1, 5, 0), (5, nil, 5)])
    func `the smaller of two limits applies`(own: Int, given: Int?, effective: Int) async throws {
        let server = StubClient { _ in answer(body: String(repeating: "x", count: max(0, effective) + 1)) }
        var options = HTTPRequestOptions()
        options.maximumBodySize = given
        options.messageName = "M"
        let error = await #expect(throws: HTTPClientError.self) {
            try await options.use { try await server.limiting(bodySize: own).data(for: request()) }
        }
        #expect(error?.name == "bodyTooLarge")
        #expect(server.sent.first?.options.maximumBodySize == effective)
        #expect(server.sent.first?.options.messageName == "M")
    }

    @Test(arguments: [(1, 1), (3, 3), (0, 1), (-1, 1)])
    func `at most the limit is sent at a time, and all in the end`(limit: Int, most: Int) async throws {
        let busy = Mutex((now: 0, most: 0))
        let gate = Gate()
        let server = StubClient { _ in
            busy.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            try await gate.pass()
            busy.withLock { $0.now -= 1 }
            return answer()
        }
        let client = server.limiting(concurrency: limit)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...50 { group.addTask { _ = try await client.data(for: request()) } }
            await gate.arrivals(most)
            gate.open()
            try await group.waitForAll()
        }
        #expect(busy.withLock { $0.most } == most)
        #expect(server.sent.count == 50)
    }

    @Test(arguments: [(2, 0), (3, 0), (4, 1), (5, 2)])
    func `a full queue fails the next request at once`(coming: Int, refused: Int) async throws {
        let gate = Gate()
        let server = StubClient { _ in
            try await gate.pass()
            return answer()
        }
        let client = server.limiting(concurrency: 1, waiting: 3)
        let first = Task { try await client.data(for: request()).0.status }
        await gate.arrivals(1)
        // One after the other: each waits before the next one is sent.
        let failures = await withTaskExecutorPreference(SerialTaskExecutor()) {
            await withTaskGroup(of: String?.self) { group in
                for _ in 1...coming {
                    group.addTask {
                        do {
                            _ = try await client.data(for: request(.get, "https://api.example/a?secret=1"))
                            return nil
                        } catch { return "\(error)" }
                    }
                }
                // It continues behind them.
                await Task.yield()
                gate.open()
                return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
            }
        }
        let told =
            "Not sent to https://api.example/a: 3 requests already wait. Send fewer at a time, or let more of them wait."
        #expect(failures == Array(repeating: told, count: refused))
        #expect(try await first.value == .ok)
        #expect(server.sent.count == 1 + coming - refused)
    }

    @Test func `without a queue, a request is sent at once or fails`() async throws {
        let gate = Gate()
        let server = StubClient { _ in
            try await gate.pass()
            return answer()
        }
        let client = server.limiting(concurrency: 1, waiting: -1)
        let first = Task { try await client.data(for: request()).0.status }
        await gate.arrivals(1)
        let error = await #expect(throws: HTTPClientError.self) { try await client.data(for: request()) }
        #expect(error?.name == "tooManyWaiting")
        gate.open()
        #expect(try await first.value == .ok)
        #expect(try await client.data(for: request()).0.status == .ok)
    }

    @Test func `a request that is canceled while it waits leaves the queue and takes no permit`() async throws {
        let gate = Gate()
        let (server, client) = one(behind: gate)
        let first = Task { try await client.data(for: request(.get, "https://api.example/1")).0.status }
        await gate.arrivals(1)
        let second = Task { try await client.data(for: request(.get, "https://api.example/2")).0.status }
        try await until { client.waiting == 1 }
        let third = Task { try await client.data(for: request(.get, "https://api.example/3")).0.status }
        try await until { client.waiting == 2 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(client.waiting == 1)
        #expect(server.sent.count == 1)
        gate.open()
        #expect(try await first.value == .ok)
        #expect(try await third.value == .ok)
        #expect(server.sent.map(\.request.path) == ["/1", "/3"])
        #expect(client.free == 1)
    }

    @Test func `waiting requests are sent in the order of arrival`() async throws {
        let gate = Gate()
        let (server, client) = one(behind: gate)
        var tasks: [Task<HTTPResponse.Status, any Error>] = []
        for number in 0...20 {
            tasks.append(Task { try await client.data(for: request(.get, "https://api.example/\(number)")).0.status })
            // The first has the permit; each of the others waits before the next one is sent.
            if number == 0 { await gate.arrivals(1) } else { try await until { client.waiting == number } }
        }
        gate.open()
        for task in tasks { #expect(try await task.value == .ok) }
        #expect(server.sent.map(\.request.path) == (0...20).map { "/\($0)" })
    }

    @Test(arguments: 1...4)
    func `a request that fails or is canceled releases its permit`(failing: Int) async throws {
        let server = StubClient { sent in
            guard sent.number != failing else { throw sent.number == 2 ? CancellationError() : Unplugged() }
            return answer()
        }
        let client = ConcurrencyLimitingHTTPClient(server, concurrency: 1)
        for number in 1...5 {
            let isDone = (try? await client.data(for: request())) != nil
            #expect(isDone == (number != failing))
        }
    }

    @Test func `many cancellations lose no permit`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let busy = Mutex((now: 0, most: 0))
        // Each round has a gate, which keeps its first request under way while the others join the queue.
        let rounds = (0..<10).map { _ in Gate() }
        let server = StubClient { sent in
            busy.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            defer { busy.withLock { $0.now -= 1 } }
            let round = sent.request.path?.split(separator: "/").first.flatMap { Int($0) } ?? 0
            try await rounds[round].pass()
            return answer()
        }
        let client = ConcurrencyLimitingHTTPClient(server, concurrency: 1)
        var (letIn, left) = (0, 0)
        for (round, gate) in rounds.enumerated() {
            func begin(_ number: Int) -> Task<HTTPResponse.Status, any Error> {
                Task { try await client.data(for: request(.get, "https://api.example/\(round)/\(number)")).0.status }
            }
            let holder = begin(0)
            await gate.arrivals(1)
            let waiting = (1...20).map { begin($0) }
            try await until { client.waiting == 20 }
            // Half of them are canceled while the others get the permit, one after the other.
            let leaving = waiting.indices.shuffled(using: &generator).prefix(10)
            let moment = Int.random(in: 0...leaving.count, using: &generator)
            for (number, index) in leaving.enumerated() {
                if number == moment { gate.open() }
                for _ in 0..<Int.random(in: 0...3, using: &generator) { await Task.yield() }
                waiting[index].cancel()
            }
            gate.open()
            // If a permit was lost, a request waits forever, and this ends at the time limit.
            try await until { client.waiting == 0 }
            let held = try await holder.value
            #expect(held == .ok, "seed \(seed)")
            for (index, task) in waiting.enumerated() {
                switch await task.result {
                case .success(let status):
                    #expect(status == .ok, "seed \(seed)")
                    letIn += 1
                case .failure(let error):
                    #expect(error is CancellationError && leaving.contains(index), "\(error), seed \(seed)")
                    left += 1
                }
            }
            try #require(client.free == 1 && client.waiting == 0, "round \(round), seed \(seed)")
        }
        #expect(busy.withLock { $0.most } == 1, "seed \(seed)")
        #expect(letIn >= 100 && left > 0, "\(letIn) let in, \(left) left, seed \(seed)")
    }

    /// A client that sends one request at a time to a server that responds when the gate is open.
    private func one(behind gate: Gate) -> (StubClient, ConcurrencyLimitingHTTPClient) {
        let server = StubClient { _ in
            try await gate.pass()
            return answer()
        }
        return (server, ConcurrencyLimitingHTTPClient(server, concurrency: 1))
    }
}
