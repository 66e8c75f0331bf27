#if Cluster

    import Duet
    import DuetCaching
    import DuetCluster
    import DuetClusterEngine
    import DuetContext
    import DuetContracts
    import DuetTesting
    import Synchronization

    /// Dispatchers and workers under test, on the nodes of a cluster.
    struct ClusterDispatchSubject: Sendable {
        let engines: ClusterEngineSubject
        let shop = Shop()
        /// The times are long, because nothing here depends on them.
        let options = ClusterOptions(
            timeout: .seconds(3_600),
            attemptTimeout: .seconds(3_600),
            attempts: 4,
            redelivery: .seconds(3_600),
            handlingDelays: RetryPolicy(backoff: .constant(.milliseconds(5)), jitter: false)
        )

        func engine() async throws -> any ClusterEngine { try await engines.node().engine }

        /// Runs workers, each on its node, while `body` runs.
        func withWorkers<Value>(
            _ count: Int = 1,
            clock: any Clock<Duration> = ContinuousClock(),
            _ body: (_ remote: ClusterDispatcher, _ engine: any ClusterEngine) async throws -> Value
        ) async throws -> Value {
            let engine = try await engine()
            var services: [Service] = []
            for _ in 1...count {
                let worker = try ClusterWorker(
                    Shop.messages,
                    try shop.dispatcher(),
                    on: await self.engine(),
                    options: options,
                    clock: clock
                )
                services.append { try await worker.run() }
            }
            return try await running(services) {
                let messages = MessageAPI("open", authorized: .open) {
                    Shop.messages
                    CloseShop.self
                }
                return try await body(try ClusterDispatcher(messages, on: engine, options: options), engine)
            }
        }

        typealias Service = @Sendable () async throws -> Void

        /// Runs services while `body` runs.
        func running<Value>(_ services: [Service], _ body: () async throws -> Value) async throws -> Value {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for service in services { group.addTask { try await service() } }
                let value = try await body()
                group.cancelAll()
                try await group.waitForAll()
                return value
            }
        }

        func deadLetters(_ engine: any ClusterEngine) async throws -> [DeadLetter] {
            try await engine.commands.deadLetters.list(limit: 10)
        }
    }

    // MARK: Queries

    extension ClusterDispatchSubject {
        func answers() async throws {
            let stock = try await withWorkers { remote, _ in
                try await remote.dispatch(AddStock(item: "tea", count: 3))
                return try await remote.dispatch(LoadStock(item: "tea"))
            }
            try require(stock, toBe: 3, "the value of the query")
        }

        func waitsForNodes() async throws {
            let engine = try await engine()
            let remote = try ClusterDispatcher(Shop.messages, on: engine, options: options)
            let query = Task { try await remote.dispatch(LoadStock(item: "tea")) }
            let stock = try await withWorkers { _, _ in try await query.value }
            try require(stock, toBe: 0, "the value of the query")
        }

        func carriesErrors() async throws {
            try await withWorkers { remote, _ in
                try await expect(NegativeStock(item: "tea"), from: "a command") {
                    try await remote.dispatch(AddStock(item: "tea", count: -1))
                }
                let reason = "its handler threw \(qualifiedName(of: NegativeStock.self))"
                let error = ClusterError.failed(message: LoadStock.messageName, reason: reason)
                try await expect(error, from: "a query") { _ = try await remote.dispatch(LoadStock(item: "missing")) }
            }
        }

        func carriesContext() async throws {
            try await withWorkers { remote, _ in
                let caller = try await withPrincipal(Principal(id: "Zoë\n\"1\"", scopes: ["read", "a b"])) {
                    try await remote.dispatch(LoadCaller())
                }
                try require(caller, toBe: ["Zoë\n\"1\"", "a b", "read", "in time"], "what travelled")
                let nobody = try await remote.dispatch(LoadCaller())
                try require(nobody, toBe: ["nobody", "in time"], "what travelled without a principal")
            }
        }

        func cancelsHandlers() async throws {
            try await withWorkers { remote, _ in
                let query = Task { try await remote.dispatch(LoadStock(item: "slow")) }
                await shop.gate.arrivals(1)
                query.cancel()
                guard case .failure(let error) = await query.result, error is CancellationError else {
                    throw ContractViolation("the sender: expected CancellationError")
                }
                try await shop.canceled.pass()
            }
        }

        func refusesLargeMessages() async throws {
            try await withWorkers { remote, _ in
                let item = String(repeating: "x", count: 2 << 20)
                for message in ["a query", "a command"] {
                    do {
                        if message == "a query" {
                            _ = try await remote.dispatch(LoadStock(item: item))
                        } else {
                            try await remote.dispatch(AddStock(item: item, count: 1))
                        }
                        throw ContractViolation("\(message) of 2 MiB: expected TransportError.tooLarge, found none")
                    } catch TransportError.tooLarge {}
                }
            }
        }
    }

    // MARK: Caches

    extension ClusterDispatchSubject {
        private struct Node {
            let engine: any ClusterEngine
            let dispatcher: CachingDispatcher

            func stock(_ item: String) async throws -> Int {
                let stock = try await dispatcher.dispatch(LoadStock(item: item))
                try await dispatcher.cache.flush()
                return stock
            }
        }

        /// A node with a cache, which sends what it does not have to a worker.
        private func cachingNode() async throws -> Node {
            let engine = try await engine()
            let remote = try ClusterDispatcher(Shop.messages, on: engine, options: options)
            let dispatcher = try remote.caching(in: .memory(limit: .entries(100))) {
                Cache(LoadStock.self, .untilInvalidated, tags: { [$0.item] })
                Invalidate(LoadStock.self, after: AddStock.self) { $0.item == $1.item }
            }
            return Node(engine: engine, dispatcher: dispatcher)
        }

        /// Runs a worker and two nodes with caches.
        private func withNodes(_ body: (Node, Node) async throws -> Void) async throws {
            let nodes = [try await cachingNode(), try await cachingNode()]
            try await withWorkers { _, _ in
                let services = try nodes.map { node -> Service in
                    let service = try ClusterInvalidation(Shop.messages, of: node.dispatcher.cache, on: node.engine)
                    return { try await service.run() }
                }
                try await running(services) { try await body(nodes[0], nodes[1]) }
            }
        }

        private func expectStock(_ expected: Int, of item: String, on node: Node) async throws {
            try await eventually("the stock of \(item) is \(expected)") {
                let stock = try await node.stock(item)
                return stock == expected ? nil : "is \(stock)"
            }
        }

        func invalidates() async throws {
            try await withNodes { first, second in
                for item in ["tea", "water"] { try await expectStock(0, of: item, on: second) }
                try await first.dispatcher.dispatch(AddStock(item: "tea", count: 3))
                try require(try await first.stock("tea"), toBe: 3, "the stock on the node of the sender")
                try await expectStock(3, of: "tea", on: second)
                try await expectStock(0, of: "water", on: second)
                // Both nodes follow the events now.
                let loads = shop.loads
                try await second.dispatcher.dispatch(AddStock(item: "tea", count: 1))
                try await expectStock(4, of: "tea", on: second)
                try await expectStock(0, of: "water", on: second)
                try require(shop.loads, toBe: loads + 1, "the number of loads")
            }
        }
    }

#endif
