import Duet
import DuetCaching
import DuetCluster
import DuetTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ClusterCacheStoreTests {
    private let shop = Shop()
    private let cluster = InProcessCluster()

    /// A node whose cache is backed by the shared cache.
    private struct Node {
        let engine: any ClusterEngine
        let dispatcher: CachingDispatcher

        init(_ cluster: InProcessCluster) throws {
            engine = cluster.node()
            let memory = CacheMemory.memory(limit: .entries(100)).backed(by: ClusterCacheStore(engine))
            dispatcher = try engine.dispatcher(.test) { Shop.messages }.caching(in: memory) {
                Cache(LoadStock.self, .untilInvalidated, tags: { [$0.item] }).stored(version: 1)
                Invalidate(LoadStock.self, after: AddStock.self) { $0.item == $1.item }
            }
        }

        func stock(_ item: String) async throws -> Int {
            let stock = try await dispatcher.dispatch(LoadStock(item: item))
            try await dispatcher.cache.flush()
            return stock
        }
    }

    private var loads: Int { shop.state.withLock(\.loads) }

    private func withNodes(_ body: (Node, Node) async throws -> Void) async throws {
        let (first, second) = (try Node(cluster), try Node(cluster))
        try await withThrowingTaskGroup(of: Void.self) { group in
            let worker = cluster.worker(try shop.dispatcher(), options: .test) { Shop.messages }
            group.addTask { try await worker.run() }
            for node in [first, second] {
                let invalidation = node.engine.invalidation(of: node.dispatcher.cache) { Shop.messages }
                group.addTask { try await invalidation.run() }
            }
            try await body(first, second)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a value that one node has loaded serves the others, until a command makes it stale`() async throws {
        shop.state.withLock { $0.stock = ["tea": 3, "water": 1] }
        try await withNodes { first, second in
            // The nodes follow the events once one is served by the other.
            try await eventually {
                let (before, item) = (loads, "probe \(loads)")
                _ = try await first.stock(item)
                return try await second.stock(item) == 0 && loads == before + 1
            }
            #expect(try await first.stock("tea") == 3)
            #expect(try await first.stock("water") == 1)
            let before = loads
            #expect(try await second.stock("tea") == 3)
            #expect(loads == before)

            try await first.dispatcher.dispatch(AddStock(item: "tea", count: 2))
            #expect(try await first.stock("tea") == 5)
            try await eventually { try await second.stock("tea") == 5 }
            // Others are still served.
            let after = loads
            #expect(try await second.stock("water") == 1)
            #expect(loads == after)
        }
    }

    private func eventually(_ condition: () async throws -> Bool) async throws {
        while !(try await condition()) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
