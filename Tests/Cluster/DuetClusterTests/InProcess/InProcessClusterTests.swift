import DuetCluster
import DuetClusterEngine
import DuetTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct InProcessClusterTests {
    private let clock = ManualClock()

    private func event(_ number: Int) -> Envelope { Envelope(body: Data("\(number)".utf8)) }

    @Test func `a disconnected node can do nothing more, and its followers end`() async throws {
        let cluster = InProcessCluster()
        let (node, other) = (cluster.node(), cluster.node())
        let follower = try await node.backplane.follow()
        let reader = Task {
            var count = 0
            for await _ in follower.events { count += 1 }
            return count
        }
        node.disconnect()
        node.disconnect()
        #expect(await reader.value == 0)
        let command = LoggedCommand(id: "a", key: "key", message: "message", envelope: Envelope())
        let operations: [@Sendable () async throws -> Void] = [
            { _ = try await node.queries.ask("route", Envelope(), timeout: .seconds(1)) },
            { _ = try await node.queries.serve("route", limit: 1) { $0 } },
            { _ = try await node.commands.append(command) },
            { _ = try await node.commands.process(ProcessingOptions()) { _ in .done } },
            { _ = try await node.commands.handledPosition(in: 0) },
            { _ = try await node.commands.statistics() },
            { _ = try await node.commands.deadLetters.list(limit: 1) },
            { _ = try await node.commands.deadLetters.retry("a", body: nil) },
            { _ = try await node.commands.deadLetters.drop("a") },
            { _ = try await node.backplane.publish(Envelope()) },
            { _ = try await node.backplane.follow() },
        ]
        for operation in operations {
            await #expect(throws: TransportError.connectionLost(reason: "the node was disconnected")) {
                try await operation()
            }
        }
        #expect(try await other.commands.statistics() == LogStatistics())
    }

    @Test(arguments: [10, 11, 25])
    func `a follower with more events than the backlog gets a gap in their place`(count: Int) async throws {
        let cluster = InProcessCluster(backlog: 10)
        let follower = try await cluster.node().backplane.follow()
        for number in 1...count { _ = try await cluster.backplane.publish(event(number)) }
        var events = follower.events.makeAsyncIterator()
        var expected: [BackplaneEvent] = []
        switch count {
        case 10: expected = (1...10).map { .event(event($0), position: UInt64($0)) }
        case 11: expected = [.gap(position: 11)]
        // The gap and nine later events are ten again.
        default: expected = [.gap(position: 21)] + (22...25).map { .event(event($0), position: UInt64($0)) }
        }
        for expected in expected { #expect(await events.next() == expected) }
        let last = try await cluster.backplane.publish(event(0))
        #expect(await events.next() == .event(event(0), position: last))
    }

    @Test func `a follower ends when its task is canceled`() async throws {
        let cluster = InProcessCluster()
        let follower = try await cluster.backplane.follow()
        let gate = Gate()
        let reader = Task {
            gate.open()
            for await _ in follower.events {}
        }
        try await gate.pass()
        reader.cancel()
        await reader.value
    }
}
