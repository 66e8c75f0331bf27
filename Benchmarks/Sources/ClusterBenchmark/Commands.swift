import Duet
import DuetCluster
import DuetContext
import DuetNATS
import DuetSQLite
import Foundation
import GRDB
import Rounds

/// Commands, compared with acknowledged publishes of libnats that carry the same bytes.
struct Commands {
    let server: String

    func measure() async throws {
        try await accepting()
        try await ordered("without inbox", limit: 2_000) { counter in
            try StandardDispatcher { AddStockHandler(counter: counter) }
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "inbox-\(UUID().uuidString).sqlite")
        let database = try DatabasePool(path: file.path)
        try await database.write { try SQLiteCommandInbox.createTable(in: $0) }
        try await ordered("with the inbox in SQLite", limit: nil) { counter in
            try StandardDispatcher { ClaimingHandler(database: database, counter: counter) }
        }
    }

    private func accepting() async throws {
        print("An accepted command, 2,000 times in turns; medians.")
        let cluster = try await ClusterBenchmark.connect(server, "accepted")
        let remote = try ClusterDispatcher(.commands, on: cluster).accepting
        try await remote.dispatch(Bytes.command)
        let bytes = try Bytes.encoded(Bytes.command)
        let raw = try LibNATSConnection(server)
        // Any subject of the stream takes the same way.
        let subject = "accepted-\(ProcessInfo.processInfo.processIdentifier).command.0"
        var (duet, publish, stream): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<20 {
            duet += try await durations(100) { try await remote.dispatch(Bytes.command) }
            publish += try await onThread {
                try (0..<100).map { _ in
                    let start = ContinuousClock.now
                    _ = try raw.request(subject, bytes)
                    return start.duration(to: .now) / .microseconds(1)
                }
            }
            stream += try await onThread {
                try (0..<100).map { _ in
                    let start = ContinuousClock.now
                    try raw.publishToStream(subject, bytes)
                    return start.duration(to: .now) / .microseconds(1)
                }
            }
        }
        let medians = (duet.sorted().median, publish.sorted().median, stream.sorted().median)
        print("accepted \(medians.0.text(0)) us, publish \(medians.1.text(0)) us, js_Publish \(medians.2.text(0)) us")
        printFigure("latency of an accepted command / an acknowledged publish", medians.0 / medians.1, atMost: 1.5)
        await cluster.close()
    }

    private func ordered(
        _ kind: String,
        limit: Double?,
        _ makeDispatcher: (Counter) throws -> StandardDispatcher
    ) async throws {
        let name = "ordered-\(UUID().uuidString.prefix(8))"
        let node = try await ClusterBenchmark.connect(server, name)
        let caller = try await ClusterBenchmark.connect(server, name)
        let counter = Counter()
        let dispatcher = try makeDispatcher(counter)
        let serving = try ClusterWorker(.commands, dispatcher, on: node)
        let worker = Task { try await serving.run() }
        let remote = try ClusterDispatcher(.commands, on: caller).accepting
        let count = 10_000
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in 0..<64 {
                group.addTask {
                    for number in 0..<(count / 64) {
                        try await remote.dispatch(AddStock(item: "\(sender * 7 + number % 7)", count: 1))
                    }
                }
            }
            try await group.waitForAll()
        }
        await counter.wait(for: count / 64 * 64)
        let rate = Double(count / 64 * 64) / (start.duration(to: .now) / .seconds(1))
        print("\(kind): \(rate.text(0)) commands/s")
        if let limit { printFigure("ordered commands/s \(kind)", rate, atLeast: limit) }
        worker.cancel()
        try await worker.value
        await caller.close()
        await node.close()
    }
}

private struct ClaimingHandler: CommandHandler {
    let database: DatabasePool
    let inbox = SQLiteCommandInbox()
    let counter: Counter

    func handle(_ command: AddStock) async throws {
        let id = IdempotencyKey.current(for: AddStock.self)
        let isNew = try await database.write { [inbox] db in try inbox.claim(id, in: db) }
        if isNew { counter.add() }
    }
}
