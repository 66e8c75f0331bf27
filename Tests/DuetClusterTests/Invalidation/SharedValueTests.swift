import Duet
import DuetCaching
import DuetCluster
import DuetTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct SharedValueTests {
    private let shop = Shop()
    private let cluster = InProcessCluster()

    /// A node with a cache that shares its values, and loads them without another node.
    private func dispatcher(
        _ engine: any ClusterEngine,
        slow: String = "",
        until gate: Gate = Gate()
    ) throws -> CachingDispatcher {
        let store = ClusterCacheStore(engine)
        let base = SlowDispatcher(base: try shop.dispatcher(), item: slow, gate: gate)
        return try base.caching(in: .memory(limit: .entries(1_000)).backed(by: store)) {
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

    @Test func `a node does not serve a value that another one began to load before an invalidation`() async throws {
        let (loading, published) = (Gate(), Gate())
        var engine = CustomEngine(cluster.node())
        // The other nodes learn of the invalidation late.
        engine.backplane = CustomBackplane(base: engine.backplane) { event in
            if event.headers["Duet-Event"] == "invalidation" { try await published.pass() }
        }
        let first = try dispatcher(engine)
        let second = try dispatcher(cluster.node(), slow: "tea", until: loading)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (engine, cache) in [(engine as any ClusterEngine, first.cache), (cluster.node(), second.cache)] {
                let invalidation = engine.invalidation(of: cache) { Shop.messages }
                group.addTask { try await invalidation.run() }
            }
            try await untilShared(from: second, to: first)
            let loads = shop.loads
            async let value = second.dispatch(LoadStock(item: "tea"))
            while shop.loads == loads { await Task.yield() }
            shop.state.withLock { $0.stock["tea"] = 7 }
            first.cache.invalidate(tag: "shelf")
            try await untilShared(from: second, to: first)
            loading.open()
            _ = try await value
            try await second.cache.flush()
            #expect(try await first.dispatch(LoadStock(item: "tea")) == 7)
            published.open()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a node that starts does not share a value that it began to load before an event`() async throws {
        let (loading, following, isConnected) = (Gate(), Gate(), Monitor(false))
        let (first, third) = (try dispatcher(cluster.node()), try dispatcher(cluster.node()))
        var engine = CustomEngine(cluster.node())
        let second = try dispatcher(engine, slow: "tea", until: loading)
        let value = Monitor<Task<Int, any Error>?>(nil)
        engine.backplane = CustomBackplane(base: engine.backplane) { [shop, cluster] event in
            guard event.headers["Duet-Event"] == "marker", value.read({ $0 == nil }) else { return }
            // The node follows the events now, and has not carried out any.
            let loads = shop.loads
            value.update { $0 = Task { try await second.dispatch(LoadStock(item: "tea")) } }
            while shop.loads == loads { await Task.yield() }
            shop.state.withLock { $0.stock["tea"] = 7 }
            let headers = ["Duet-Event": "invalidation", "Duet-Node": "another"]
            try await cluster.backplane.publish(Envelope(headers: headers, body: Data("tea".utf8)))
        } onEvent: { _ in
            try? await following.pass()
        }
        // Reads with a token ask the log as soon as the node is connected.
        engine.commands = CustomLog(
            base: engine.commands,
            onHandledPosition: { _ in
                isConnected.update { $0 = true }
                throw TransportError.refused(reason: "a test")
            }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for cache in [first.cache, third.cache] {
                let invalidation = cluster.node().invalidation(of: cache) { Shop.messages }
                group.addTask { try await invalidation.run() }
            }
            try await untilShared(from: third, to: first)
            let invalidation = engine.invalidation(of: second.cache) { Shop.messages }
            group.addTask { try await invalidation.run() }
            while !isConnected.read({ $0 }) {
                let token = WriteToken(text: "0-1")
                _ = try? await withWriteToken(token) { try await second.dispatch(LoadStock(item: "water")) }
                await Task.yield()
            }
            loading.open()
            _ = try await value.wait { $0 }.value
            try await second.cache.flush()
            #expect(try await first.dispatch(LoadStock(item: "tea")) == 7)
            following.open()
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

/// Returns the value of one item late.
private struct SlowDispatcher: Dispatcher {
    let base: StandardDispatcher
    let item: String
    let gate: Gate

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        let value = try await base.dispatch(message)
        if (message as? LoadStock)?.item == item { try await gate.pass() }
        return value
    }
}
