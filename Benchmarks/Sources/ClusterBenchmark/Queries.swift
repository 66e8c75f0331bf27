import Duet
import DuetCluster
import DuetClusterEngine
import DuetNATS
import Foundation
import Rounds
import Synchronization

/// Queries, compared with requests of libnats that carry the same bytes.
struct Queries {
    let server: String

    func measure() async throws {
        print("A query on NATS, 3,000 times in turns; medians.")
        let name = "queries"
        let node = try await ClusterBenchmark.connect(server, name)
        let caller = try await ClusterBenchmark.connect(server, name)
        let dispatcher = try StandardDispatcher { LoadStockHandler() }
        let serving = try ClusterWorker(.queries, dispatcher, on: node)
        let worker = Task { try await serving.run() }
        let remote = try ClusterDispatcher(.queries, on: caller)
        _ = try await remote.dispatch(Bytes.query)

        let answering = try LibNATSConnection(server)
        let value = try Bytes.encoded(Bytes.value)
        let query = try Bytes.encoded(Bytes.query)
        let subscription = try answering.answer("raw", with: value)
        defer { withExtendedLifetime(subscription) {} }
        let raw = try LibNATSConnection(server)
        _ = try await node.queries.serve("echo", limit: 1_024) { _ in Envelope(body: value) }

        var (duet, alone, engine): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<30 {
            duet += try await durations(100) { _ = try await remote.dispatch(Bytes.query) }
            engine += try await durations(100) {
                _ = try await caller.queries.ask("echo", Envelope(body: query), timeout: .seconds(5))
            }
            alone += try await onThread {
                try (0..<100).map { _ in
                    let start = ContinuousClock.now
                    _ = try raw.request("raw", query)
                    return start.duration(to: .now) / .microseconds(1)
                }
            }
        }
        let medians = (duet.sorted().median, engine.sorted().median, alone.sorted().median)
        print("query \(medians.0.text(0)) us, engine alone \(medians.1.text(0)) us, libnats \(medians.2.text(0)) us")
        printFigure("latency of a query on NATS / natsConnection_Request", medians.0 / medians.2, atMost: 1.5)

        let callers = 64
        let rate = try await self.rate(callers) { _ = try await remote.dispatch(Bytes.query) }
        let engineRate = try await self.rate(callers) {
            _ = try await caller.queries.ask("echo", Envelope(body: query), timeout: .seconds(5))
        }
        let rawRate = try await onThread { try raw.rate("raw", query, threads: callers, seconds: 2) }
        print("64 outstanding: \(rate.text(0))/s, engine alone \(engineRate.text(0))/s, libnats \(rawRate.text(0))/s")
        printFigure("queries/s with 64 outstanding / the same bytes without Duet", rate / rawRate, atLeast: 0.5)
        worker.cancel()
        try await worker.value
        await caller.close()
        await node.close()
    }

    /// The operations per second of several tasks.
    private func rate(_ tasks: Int, _ body: @escaping @Sendable () async throws -> Void) async throws -> Double {
        let seconds = 2.0
        let count = Atomic(0)
        let end = ContinuousClock.now + .seconds(seconds)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    var done = 0
                    while ContinuousClock.now < end {
                        try await body()
                        done += 1
                    }
                    return done
                }
            }
            for try await done in group { count.add(done, ordering: .relaxed) }
        }
        return Double(count.load(ordering: .relaxed)) / seconds
    }
}

/// Runs a function that blocks, on a new thread.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result { try body() }) }.start()
    }
}
