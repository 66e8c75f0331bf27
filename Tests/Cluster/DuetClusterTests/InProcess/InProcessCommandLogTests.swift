import Duet
import DuetCluster
import DuetClusterEngine
import DuetTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct InProcessCommandLogTests {
    private let clock = ManualClock()
    private let cluster: InProcessCluster
    private let worker: InProcessCluster
    private let attempts = Monitor<[String]>([])

    init() {
        cluster = InProcessCluster(clock: clock, now: { Date(timeIntervalSinceReferenceDate: 800_000_000) })
        worker = cluster.node()
    }

    @discardableResult
    private func append(_ id: String, key: String = "key") async throws -> LogPosition {
        try await cluster.commands.append(LoggedCommand(id: id, key: key, message: "message", envelope: Envelope()))
            .position
    }

    /// Handles commands on a node, and records each attempt.
    @discardableResult
    private func process(
        _ node: InProcessCluster,
        attempts limit: Int = 3,
        _ handler: @escaping @Sendable (Delivery) async -> Disposition = { _ in .done }
    ) async throws -> any Registration {
        try await node.commands.process(ProcessingOptions(attempts: limit)) { [attempts] delivery in
            attempts.update { $0.append("\(delivery.command.id) \(delivery.attempt)") }
            return await handler(delivery)
        }
    }

    private func expectAttempts(_ expected: [String]) async throws {
        #expect(try await attempts.wait { $0.count >= expected.count ? $0 : nil } == expected)
    }

    @Test func `a retry waits exactly for its delay`() async throws {
        try await process(worker) { $0.attempt == 1 ? .retry(after: .seconds(2), reason: "again") : .done }
        try await append("a")
        try await append("b")
        #expect(await clock.nextSleeper() == .seconds(2))
        clock.advance(by: .milliseconds(1_999))
        try await expectAttempts(["a 1"])
        clock.advance(by: .milliseconds(1))
        try await expectAttempts(["a 1", "a 2", "b 1"])
    }

    @Test func `a command of a lost node waits exactly for the time of redelivery`() async throws {
        let canceled = Gate()
        try await process(worker) { _ in
            try? await Gate().pass()
            canceled.open()
            return .done
        }
        try await append("a")
        try await expectAttempts(["a 1"])
        worker.disconnect()
        try await canceled.pass()
        try await process(cluster)
        #expect(await clock.nextSleeper() == .seconds(5))
        clock.advance(by: .milliseconds(4_999))
        try await append("b")
        #expect(try await cluster.commands.statistics() == LogStatistics(waiting: 1, running: 1))
        try await expectAttempts(["a 1"])
        clock.advance(by: .milliseconds(1))
        try await expectAttempts(["a 1", "a 2", "b 1"])
    }

    @Test func `a retry that was agreed before its node was lost keeps its delay`() async throws {
        try await process(worker) { _ in .retry(after: .seconds(2), reason: "again") }
        try await append("a")
        await clock.nextSleeper()
        worker.disconnect()
        try await process(cluster)
        clock.advance(by: .seconds(2))
        try await expectAttempts(["a 1", "a 2"])
    }

    @Test func `a dead letter has the date of the injected clock, and of the last attempt`() async throws {
        try await process(worker) { delivery in
            .retry(after: .zero, reason: "failure \(delivery.attempt)")
        }
        let position = try await append("a")
        try await expectAttempts(["a 1", "a 2", "a 3"])
        var letters: [DeadLetter] = []
        while letters.isEmpty {
            await Task.yield()
            letters = try await cluster.commands.deadLetters.list(limit: 2)
        }
        let command = LoggedCommand(id: "a", key: "key", message: "message", envelope: Envelope())
        let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
        let id = "\(position.partition)-1"
        #expect(
            letters == [
                DeadLetter(id: id, command: command, position: position, attempts: 3, reason: "failure 3", date: date)
            ]
        )
    }

    @Test func `an identifier is remembered for ten minutes`() async throws {
        let first = try await append("a")
        clock.advance(by: .seconds(600))
        #expect(try await append("a") == first)
        clock.advance(by: .milliseconds(1))
        #expect(try await append("a") == LogPosition(partition: first.partition, sequence: first.sequence + 1))
    }

    @Test func `an unknown partition is refused`() async throws {
        #expect(cluster.commands.partitionCount == 8)
        for partition in [-1, 8] {
            await #expect(throws: TransportError.self) {
                try await cluster.commands.handledPosition(in: partition)
            }
            await #expect(throws: TransportError.self) {
                try await cluster.commands.lastPosition(in: partition)
            }
        }
    }

    @Test func `idle nodes share the partitions`() async throws {
        let gate = Gate()
        let nodes = Monitor<[Int]>([])
        for (number, node) in [cluster, worker].enumerated() {
            try await process(node) { _ in
                nodes.update { $0.append(number) }
                try? await gate.pass()
                return .done
            }
        }
        for number in 0..<100 { try await append("\(number)", key: "\(number)") }
        await gate.arrivals(8)
        #expect(nodes.read { $0.count { $0 == 0 } } == 4)
        gate.open()
    }

    @Test func `nothing is lost or out of order while nodes are lost`() async throws {
        let cluster = InProcessCluster()
        let handled = Monitor<[String: [UInt64]]>([:])
        // On a busy machine, a node may be lost any number of times before its handlers begin.
        let options = ProcessingOptions(attempts: .max, redelivery: .milliseconds(2))
        let gate = Gate()
        try await withThrowingTaskGroup { group in
            for _ in 1...2 {
                group.addTask {
                    while !gate.isOpen {
                        let node = cluster.node()
                        _ = try await node.commands.process(options) { delivery in
                            await Task.yield()
                            if Task.isCancelled { return .done }
                            if delivery.position.sequence % 10 == 3, delivery.attempt == 1 {
                                return .retry(after: .milliseconds(1), reason: "again")
                            }
                            handled.update { $0[delivery.command.key, default: []].append(delivery.position.sequence) }
                            return .done
                        }
                        try await ContinuousClock().sleep(for: .milliseconds(5))
                        node.disconnect()
                    }
                }
            }
            var last: [Int: LogPosition] = [:]
            for number in 0..<5_000 {
                let command = LoggedCommand(id: "\(number)", key: "\(number % 40)", message: "m", envelope: Envelope())
                let position = try await cluster.commands.append(command).position
                last[position.partition] = position
            }
            for position in last.values {
                while try await cluster.commands.handledPosition(in: position.partition) != position {
                    try await ContinuousClock().sleep(for: .milliseconds(1))
                }
            }
            gate.open()
            try await group.waitForAll()
        }
        for (_, sequences) in handled.read({ $0 }) {
            // A command may be handled twice, when its node was lost before the result counted.
            var first: [UInt64] = []
            for sequence in sequences where !first.contains(sequence) { first.append(sequence) }
            #expect(first == first.sorted())
            #expect(first.count == 125)
        }
        #expect(handled.read { $0.count } == 40)
        #expect(try await cluster.commands.statistics() == LogStatistics())
    }
}
