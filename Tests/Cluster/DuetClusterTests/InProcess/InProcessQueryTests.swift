import Duet
import DuetCluster
import DuetClusterEngine
import DuetTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct InProcessQueryTests {
    private enum Local {
        @TaskLocal static var value = 0
    }

    private let clock = ManualClock()
    private let cluster: InProcessCluster
    private let worker: InProcessCluster

    init() {
        cluster = InProcessCluster(clock: clock)
        worker = cluster.node()
    }

    private func ask(_ text: String = "", timeout: Duration = .seconds(5)) async throws -> String {
        let response = try await cluster.queries.ask("route", Envelope(body: Data(text.utf8)), timeout: timeout)
        return String(decoding: response.body, as: UTF8.self)
    }

    /// Serves the route with a handler that waits for its cancellation, which opens the gate.
    private func serveUntilCanceled() async throws -> Gate {
        let canceled = Gate()
        _ = try await worker.queries.serve("route", limit: 1) { request in
            try? await Gate().pass()
            canceled.open()
            return request
        }
        return canceled
    }

    @Test func `a query times out exactly at its timeout, and its handler is canceled`() async throws {
        let canceled = try await serveUntilCanceled()
        let response = Task { try await ask() }
        #expect(await clock.nextSleeper() == .seconds(5))
        clock.advance(by: .milliseconds(4_999))
        #expect(!canceled.isOpen)
        clock.advance(by: .milliseconds(1))
        await #expect(throws: TransportError.timedOut(route: "route", after: .seconds(5))) { try await response.value }
        try await canceled.pass()
    }

    @Test func `a canceled task sends no query`() async throws {
        let count = Monitor(0)
        _ = try await worker.queries.serve("route", limit: 1) { request in
            count.update { $0 += 1 }
            return request
        }
        let query = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await ask()
        }
        query.cancel()
        await #expect(throws: CancellationError.self) { try await query.value }
        #expect(try await ask("a") == "a")
        #expect(count.read { $0 } == 1)
    }

    @Test func `a query that is canceled while it waits is never handled`() async throws {
        let (gate, handled) = (Gate(), Monitor<[String]>([]))
        let route = try await worker.queries.serve("route", limit: 1) { request in
            handled.update { $0.append(String(decoding: request.body, as: UTF8.self)) }
            try? await gate.pass()
            return request
        }
        let first = Task { try await ask("first") }
        await clock.nextSleeper()
        // An earlier timeout is a further sleep.
        let second = Task { try await ask("second", timeout: .seconds(4)) }
        await clock.nextSleeper()
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.open()
        #expect(try await first.value == "first")
        await route.stop()
        #expect(handled.read { $0 } == ["first"])
    }

    @Test func `stopping a route handles the queries that wait`() async throws {
        let gate = Gate()
        let route = try await worker.queries.serve("route", limit: 1) { request in
            try? await gate.pass()
            return request
        }
        var queries: [Task<String, any Error>] = []
        for number in 1...5 {
            // An earlier timeout is a further sleep.
            queries.append(Task { try await ask("\(number)", timeout: .seconds(10 - number)) })
            await clock.nextSleeper()
        }
        async let stopped: Void = route.stop()
        gate.open()
        await stopped
        var responses: [String] = []
        for query in queries { responses.append(try await query.value) }
        #expect(responses == ["1", "2", "3", "4", "5"])
        await #expect(throws: TransportError.noNode(route: "route")) { try await ask() }
    }

    @Test func `a lost node cancels its handlers, and their callers time out`() async throws {
        let canceled = try await serveUntilCanceled()
        let response = Task { try await ask() }
        await clock.nextSleeper()
        worker.disconnect()
        try await canceled.pass()
        await #expect(throws: TransportError.noNode(route: "route")) { try await ask() }
        clock.advance(by: .seconds(5))
        await #expect(throws: TransportError.timedOut(route: "route", after: .seconds(5))) { try await response.value }
    }

    @Test func `the queries of a disconnected node end, and their handlers are canceled`() async throws {
        let canceled = try await serveUntilCanceled()
        let first = Task { try await ask() }
        await clock.nextSleeper()
        let second = Task { try await ask(timeout: .seconds(4)) }
        await clock.nextSleeper()
        cluster.disconnect()
        let lost = TransportError.connectionLost(reason: "the node was disconnected")
        await #expect(throws: lost) { try await first.value }
        await #expect(throws: lost) { try await second.value }
        try await canceled.pass()
    }

    @Test func `a handler does not inherit the task of its caller`() async throws {
        _ = try await worker.queries.serve("route", limit: 1) { _ in Envelope(body: Data("\(Local.value)".utf8)) }
        let value = try await Local.$value.withValue(1) { try await ask() }
        #expect(value == "0")
    }

    @MainActor @Test func `a handler does not run on the main actor of its caller`() async throws {
        _ = try await worker.queries.serve("route", limit: 1) { _ in
            Envelope(body: Data("\(isMainThread())".utf8))
        }
        #expect(try await ask() == "false")
    }

    @Test func `timeouts, cancellations and lost nodes at the same time leave no query without a result`() async throws
    {
        let cluster = InProcessCluster()
        let gate = Gate()
        let results = Monitor<[String: Int]>([:])
        try await withThrowingTaskGroup { group in
            group.addTask {
                while !gate.isOpen {
                    let node = cluster.node()
                    _ = try await node.queries.serve("route", limit: 4) { request in
                        if request.body.first == 1 { try? await ContinuousClock().sleep(for: .milliseconds(1)) }
                        return request
                    }
                    try await ContinuousClock().sleep(for: .milliseconds(2))
                    node.disconnect()
                }
            }
            for number in 1...2_000 {
                let envelope = Envelope(body: Data([UInt8(number % 2)]))
                let query = Task {
                    try await cluster.queries.ask("route", envelope, timeout: .milliseconds(number % 5))
                }
                if number % 3 == 0 { query.cancel() }
                let result = await query.result
                results.update { results in
                    switch result {
                    case .success(envelope): results["response", default: 0] += 1
                    case .failure(is TransportError): results["transport", default: 0] += 1
                    case .failure(is CancellationError): results["canceled", default: 0] += 1
                    default: results["other", default: 0] += 1
                    }
                }
            }
            gate.open()
            try await group.waitForAll()
        }
        #expect(results.read { $0["other"] } == nil)
        #expect(results.read { $0.values.reduce(0, +) } == 2_000)
    }
}

private func isMainThread() -> Bool { Thread.isMainThread }
