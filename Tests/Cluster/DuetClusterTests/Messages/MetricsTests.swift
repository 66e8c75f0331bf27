import CoreMetrics
import Duet
import DuetCluster
import DuetTesting
import MetricsTestKit
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct MetricsTests {
    private let shop = Shop()
    private let cluster = InProcessCluster()
    private let metrics = TestMetrics()

    private func total(_ label: String, _ message: any Message.Type) throws -> Int64 {
        try metrics.expectCounter(label, [("duet.message", message.messageName)]).totalValue
    }

    @Test func `a worker counts retries, redeliveries and dead letters`() async throws {
        shop.state.withLock { $0.failures = [ShelfFull(), ShelfFull()] }
        try await withThrowingTaskGroup(of: Void.self) { group in
            let worker = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: cluster, options: .test)
            group.addTask { [metrics] in try await withMetricsFactory(metrics) { try await worker.run() } }
            let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
            for _ in 1...2 { try await remote.dispatch(AddStock(item: "tea", count: 1)) }
            await #expect(throws: ClusterError.self) { try await remote.dispatch(BreakShelf(item: "tea")) }
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(try total("duet.cluster.retries", AddStock.self) == 2)
        #expect(try total("duet.cluster.redeliveries", AddStock.self) == 2)
        #expect(try total("duet.cluster.retries", BreakShelf.self) == 3)
        #expect(try total("duet.cluster.redeliveries", BreakShelf.self) == 3)
        #expect(try total("duet.cluster.dead_letters", BreakShelf.self) == 1)
        #expect(metrics.counters.count == 5)
    }

    @Test func `the state of the log is reported as gauges`() async throws {
        let clock = ManualClock()
        let node = cluster.node()
        let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
        try await remote.accepting.dispatch(AddStock(item: "tea", count: 1))
        let report = Task { [metrics] in await node.commands.reportMetrics(to: metrics, clock: clock) }
        await clock.nextSleeper()
        let waiting = try metrics.expectGauge("duet.cluster.commands", [("duet.cluster.state", "waiting")])
        let reachable = try metrics.expectGauge("duet.cluster.reachable", [])
        #expect(waiting.lastValue == 1)
        #expect(reachable.lastValue == 1)
        node.disconnect()
        clock.advance(by: .seconds(5))
        await clock.nextSleeper()
        #expect(reachable.lastValue == 0)
        report.cancel()
        await report.value
    }
}
