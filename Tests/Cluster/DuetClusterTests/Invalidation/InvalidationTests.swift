import Duet
import DuetCaching
import DuetCluster
import DuetClusterEngine
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct InvalidationTests {
    private let shop = Shop()
    private let cluster = InProcessCluster()

    /// A node with a cache, which sends what it does not have to a worker.
    private struct Node {
        let dispatcher: CachingDispatcher

        init(_ engine: any ClusterEngine) throws {
            let remote = try ClusterDispatcher(Shop.messages, on: engine, options: .test)
            dispatcher = try remote.caching(in: .memory(limit: .entries(100))) {
                Cache(LoadStock.self, .untilInvalidated, tags: { [$0.item] })
                Invalidate(LoadStock.self, after: AddStock.self) { $0.item == $1.item }
                Invalidate(LoadStock.self, after: BreakShelf.self) { $0.item == $1.item }
            }
        }

        func stock(_ item: String) async throws -> Int { try await dispatcher.dispatch(LoadStock(item: item)) }
    }

    /// Runs a worker and two nodes with caches.
    private func withNodes(_ body: (Node, Node) async throws -> Void) async throws {
        let nodes = [cluster.node(), cluster.node()]
        let (first, second) = (try Node(nodes[0]), try Node(nodes[1]))
        try await withThrowingTaskGroup(of: Void.self) { group in
            let worker = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: cluster, options: .test)
            group.addTask { try await worker.run() }
            for (engine, node) in zip(nodes, [first, second]) {
                let invalidation = try ClusterInvalidation(Shop.messages, of: node.dispatcher.cache, on: engine)
                group.addTask { try await invalidation.run() }
            }
            try await body(first, second)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a command whose handler failed for good makes values stale, because it may have changed something`()
        async throws
    {
        try await withNodes { first, second in
            try await eventually { try await second.stock("tea") == 0 }
            // Repeated, because the node may not be connected yet.
            try await eventually {
                let loads = shop.state.withLock(\.loads)
                _ = try await second.stock("tea")
                let isCached = shop.state.withLock(\.loads) == loads
                await #expect(throws: ClusterError.self) {
                    try await first.dispatcher.dispatch(BreakShelf(item: "tea"))
                }
                try await eventually {
                    _ = try await second.stock("tea")
                    return shop.state.withLock(\.loads) > loads
                }
                return isCached
            }
        }
    }

    @Test func `an event of a later version makes everything stale`() async throws {
        try await withNodes { first, second in
            try await eventually { try await first.stock("tea") == 0 }
            // Repeated, because the node may not be connected yet.
            try await eventually {
                let loads = shop.loads
                #expect(try await first.stock("tea") == 0)
                let isCached = shop.loads == loads
                try await cluster.backplane.publish(
                    Envelope(headers: ["Duet-Version": "2", "Duet-Event": "marker", "Duet-Node": "another"])
                )
                try await eventually {
                    _ = try await first.stock("tea")
                    return shop.loads > loads
                }
                return isCached
            }
        }
    }

    @Test(arguments: ["Duet-Command", "Duet-Query", "Duet-Message"], [255, 256])
    func `an event with a name that is too long makes everything stale`(header: String, bytes: Int) async throws {
        var event = Envelope(
            headers: ["Duet-Partition": "0", "Duet-Sequence": "1", header: String(repeating: "n", count: bytes)],
            body: Data("other".utf8)
        )
        event.headers["Duet-Event"] = header == "Duet-Message" ? "ended" : "invalidation"
        // A command that a node does not know may have changed anything.
        let isStale = bytes > 255 || header == "Duet-Command"
        try await withNodes { first, _ in
            let invalidate = { (tag: String) in
                let body = Data(tag.utf8)
                try await cluster.backplane.publish(Envelope(headers: ["Duet-Event": "invalidation"], body: body))
            }
            #expect(try await first.stock("water") == 0)
            shop.state.withLock { $0.stock["water"] = 7 }
            try await eventually {
                // Again, because the node may not be connected yet.
                try await invalidate("water")
                return try await first.stock("water") == 7
            }
            for item in ["tea", "milk"] { #expect(try await first.stock(item) == 0) }
            shop.state.withLock { $0.stock = ["tea": 7, "milk": 7] }
            try await cluster.backplane.publish(event)
            try await invalidate("milk")
            // Both events were followed then.
            try await eventually { try await first.stock("milk") == 7 }
            #expect(try await first.stock("tea") == (isStale ? 7 : 0))
        }
    }

    /// Runs a node with a cache, and a worker whose cached dispatcher handles commands without the log.
    private func withWorker(_ body: (Node, CachingDispatcher) async throws -> Void) async throws {
        let engine = cluster.node()
        let node = try Node(engine)
        let local = try shop.dispatcher().caching(in: .memory(limit: .entries(100))) {
            Cache(LoadStock.self, .maxAge(.zero), tags: { [$0.item] })
            Invalidate(LoadStock.self, after: AddStock.self) { $0.item == $1.item }
            Invalidate(tags: { [$0.item] }, after: CountStock.self)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            let invalidation = try ClusterInvalidation(Shop.messages, of: node.dispatcher.cache, on: engine)
            group.addTask { try await invalidation.run() }
            let worker = try ClusterWorker(Shop.messages, local, on: cluster, caches: [local.cache], options: .test)
            group.addTask { try await worker.run() }
            #expect(try await node.stock("milk") == 0)
            try await eventually {
                // Again, because the nodes may not be connected yet.
                try await local.dispatch(AddStock(item: "milk", count: 1))
                return try await node.stock("milk") > 0
            }
            for item in ["tea", "water"] { #expect(try await node.stock(item) == 0) }
            try await body(node, local)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a command that a worker handles without the log makes the values of all nodes stale`() async throws {
        try await withWorker { node, local in
            shop.state.withLock { $0.stock["water"] = 9 }
            try await local.dispatch(AddStock(item: "tea", count: 1))
            try await eventually { try await node.stock("tea") == 1 }
            // It is not loaded again.
            #expect(try await node.stock("water") == 0)
        }
    }

    @Test func `a command that other nodes do not know makes those values stale that its rules name`() async throws {
        try await withWorker { node, local in
            shop.state.withLock { state in (state.stock["tea"], state.stock["water"]) = (7, 9) }
            try await local.dispatch(CountStock(item: "tea"))
            try await eventually { try await node.stock("tea") == 7 }
            // It is not loaded again.
            #expect(try await node.stock("water") == 0)
        }
    }

    @Test func `an invalidation by tag reaches all nodes`() async throws {
        try await withNodes { first, second in
            #expect(try await second.stock("tea") == 0)
            shop.state.withLock { $0.stock["tea"] = 7 }
            try await eventually {
                // Again, because the nodes may not be connected yet.
                first.dispatcher.cache.invalidate(tag: "tea")
                return try await second.stock("tea") == 7
            }
        }
    }

    @Test func `an invalidation that the cluster refuses is published again until it is taken`() async throws {
        let events = Mutex((isRefusing: false, count: 0))
        var engine = CustomEngine(cluster.node())
        engine.backplane = CustomBackplane(base: engine.backplane) { _ in
            try events.withLock { events in
                events.count += 1
                if events.isRefusing { throw TransportError.refused(reason: "insufficient resources") }
            }
        }
        let third = try Node(engine)
        try await withNodes { first, _ in
            let invalidation = try ClusterInvalidation(Shop.messages, of: third.dispatcher.cache, on: engine)
            let running = Task { try await invalidation.run() }
            try await eventually {
                third.dispatcher.cache.invalidate(tag: "nothing")
                return events.withLock(\.count) > 0
            }
            #expect(try await first.stock("tea") == 0)
            shop.state.withLock { $0.stock["tea"] = 7 }
            events.withLock { $0 = (isRefusing: true, count: 0) }
            third.dispatcher.cache.invalidate(tag: "tea")
            try await eventually { events.withLock(\.count) > 0 }
            events.withLock { $0.isRefusing = false }
            try await eventually { try await first.stock("tea") == 7 }
            running.cancel()
            try await running.value
        }
    }

    @Test func `an invalidation of one cache reaches the other caches of its node`() async throws {
        let published = Mutex(0)
        var engine = CustomEngine(cluster.node())
        engine.backplane = CustomBackplane(base: engine.backplane) { _ in published.withLock { $0 += 1 } }
        let (first, second) = (try Node(engine), try Node(engine))
        let (one, other) = (first.dispatcher.cache, second.dispatcher.cache)
        let invalidation = try ClusterInvalidation(Shop.messages, of: one, other, on: engine)
        let worker = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: cluster, options: .test)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            group.addTask { try await invalidation.run() }
            try await eventually {
                first.dispatcher.cache.invalidate(tag: "nothing")
                return published.withLock { $0 } > 0
            }
            #expect(try await second.stock("tea") == 0)
            shop.state.withLock { $0.stock["tea"] = 7 }
            first.dispatcher.cache.invalidate(tag: "tea")
            try await eventually { try await second.stock("tea") == 7 }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a large command makes everything stale, because not every node receives it`() async throws {
        try await withNodes { first, second in
            let large = AddStock(item: String(repeating: "x", count: 70_000), count: 1)
            try await eventually {
                shop.state.withLock { $0.stock["tea"] = 0 }
                second.dispatcher.cache.invalidateAll()
                guard try await second.stock("tea") == 0 else { return false }
                shop.state.withLock { $0.stock["tea"] = 7 }
                try await first.dispatcher.dispatch(large)
                return try await second.stock("tea") == 7
            }
        }
    }

    /// Waits until a condition is true; the limit of the suite ends a test in which it never is.
    private func eventually(_ condition: () async throws -> Bool) async throws {
        while !(try await condition()) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
