import Duet
import DuetCaching
import DuetCluster
import DuetTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct SharedValueTests {
    private let shop = Shop()
    private let cluster = InProcessCluster()

    /// A node with a cache that shares its values, and loads them without another node.
    private func dispatcher(_ engine: any ClusterEngine) throws -> CachingDispatcher {
        let store = ClusterCacheStore(engine)
        return try shop.dispatcher().caching(in: .memory(limit: .entries(1_000)).backed(by: store)) {
            Cache(LoadStock.self, .untilInvalidated, tags: { [$0.item, "shelf"] }).stored(version: 1)
        }
    }

    @Test func `a node shares values again after its invalidations could not be published for a time`() async throws {
        let failures = Mutex((isFailing: false, count: 0))
        var engine = CustomEngine(cluster.node())
        engine.backplane = CustomBackplane(base: engine.backplane) { _ in
            try failures.withLock { failures in
                guard failures.isFailing else { return }
                failures.count += 1
                throw TransportError.connectionLost(reason: "a test")
            }
        }
        let (first, second) = (try dispatcher(engine), try dispatcher(cluster.node()))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (engine, cache) in [(engine as any ClusterEngine, first.cache), (cluster.node(), second.cache)] {
                let invalidation = engine.invalidation(of: cache) { Shop.messages }
                group.addTask { try await invalidation.run() }
            }
            try await untilShared(from: second, to: first)
            failures.withLock { $0.isFailing = true }
            first.cache.invalidate(tag: "shelf")
            while failures.withLock(\.count) < 3 { await Task.yield() }
            _ = try await second.dispatch(LoadStock(item: "tea"))
            try await second.cache.flush()
            let loads = shop.loads
            _ = try await first.dispatch(LoadStock(item: "tea"))
            #expect(shop.loads == loads + 1, "the value is of an unknown time")
            failures.withLock { $0.isFailing = false }
            try await untilShared(from: second, to: first)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// Waits until a node serves what another one has loaded; the limit of the suite ends a test in which it never is.
    private func untilShared(from first: CachingDispatcher, to second: CachingDispatcher) async throws {
        while true {
            try Task.checkCancellation()
            let (loads, item) = (shop.loads, "probe \(shop.loads)")
            for node in [first, second] {
                _ = try await node.dispatch(LoadStock(item: item))
                try await node.cache.flush()
            }
            if shop.loads == loads + 1 { return }
            await Task.yield()
        }
    }
}
