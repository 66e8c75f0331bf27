import Duet
import DuetCluster
import DuetClusterEngine
import Synchronization
import TestSupport
import Testing

/// Publishing the end of a command fails.
@Suite(.timeLimit(.minutes(5))) struct EndTests {
    private let shop = Shop()
    private let cluster = InProcessCluster()
    private static let lost = TransportError.connectionLost(reason: "test")

    /// Runs a worker whose next publications fail, while `body` runs.
    private func withWorker(failing errors: [TransportError], _ body: (ClusterDispatcher) async throws -> Void)
        async throws
    {
        let failures = Mutex(errors)
        var engine = CustomEngine(cluster.node())
        engine.backplane = CustomBackplane(
            base: engine.backplane,
            onPublish: { _ in
                if let error = failures.withLock({ $0.popLast() }) { throw error }
            }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            let worker = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: engine, options: .test)
            group.addTask { try await worker.run() }
            try await body(try ClusterDispatcher(Shop.messages, on: cluster, options: .test))
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test(arguments: [1, 40], [lost, .refused(reason: "insufficient storage resources available")])
    func `the end is published until that succeeds, and the handler does not run again`(
        failures: Int,
        error: TransportError
    ) async throws {
        let errors = Array(repeating: error, count: failures)
        try await withWorker(failing: errors) { try await $0.dispatch(AddStock(item: "tea", count: 1)) }
        #expect(shop.handled.count == 1)
        #expect(try await cluster.commands.deadLetters.list(limit: 10) == [])
    }

    @Test func `the handler runs again if its end can never be published`() async throws {
        try await withWorker(failing: [.tooLarge(bytes: 2, limit: 1)]) {
            try await $0.dispatch(AddStock(item: "tea", count: 1))
        }
        #expect(shop.handled.count == 2)
    }

    @Test func `a command that changed nothing does not run again`() async throws {
        let errors = Array(repeating: Self.lost, count: 1_000)
        try await withWorker(failing: errors) { remote in
            await #expect(throws: NegativeStock(item: "tea")) {
                try await remote.dispatch(AddStock(item: "tea", count: -1))
            }
            await #expect(throws: ClusterError.self) { try await remote.dispatch(BreakShelf(item: "tea")) }
        }
        let letters = try await cluster.commands.deadLetters.list(limit: 10)
        #expect(letters.map(\.reason) == ["ShelfFull()"])
    }
}
