#if NATS
    import Duet
    import DuetCaching
    import DuetCluster
    import DuetNATS
    import DuetTesting
    import TestSupport
    import Testing

    /// Cached values of a node whose servers are gone.
    @Suite(.timeLimit(.minutes(5))) struct CachedValuesTests {
        @Test func `cached values are read at once while the servers are gone`() async throws {
            try await NATSServer.run { server in
                let shop = Shop()
                let node = try await server.node()
                let remote = try ClusterDispatcher(Shop.messages, on: node, options: .patient)
                let still = try ClusterDispatcher(Shop.messages, on: node, clock: ManualClock())
                let cached = try still.caching(in: .memory(limit: .entries(10))) {
                    Cache(LoadStock.self, .untilInvalidated)
                    Invalidate(LoadStock.self, after: AddStock.self)
                }
                let worker = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: node)
                let invalidation = try ClusterInvalidation(Shop.messages, of: cached.cache, on: node)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await worker.run() }
                    group.addTask { try await invalidation.run() }
                    _ = try await remote.dispatch(LoadStock(item: "tea"))
                    // The cache is emptied once when it begins to follow events, which it does after this.
                    for count in 1...3 {
                        _ = try await cached.dispatch(LoadStock(item: "tea"))
                        try await remote.dispatch(AddStock(item: "tea", count: 1))
                        try await eventually("the cache has the new value") {
                            try await cached.dispatch(LoadStock(item: "tea")) == count ? () : nil
                        }
                    }
                    await server.kill()
                    try await eventually("the node notices") { node.isConnected ? nil : () }
                    // A query that is sent would wait for its timeout, on a clock that stands still.
                    for _ in 1...100 { #expect(try await cached.dispatch(LoadStock(item: "tea")) == 3) }
                    group.cancelAll()
                    try? await group.waitForAll()
                }
                await node.close()
            }
        }
    }
#endif
