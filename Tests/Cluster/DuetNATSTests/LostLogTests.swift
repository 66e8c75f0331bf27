#if NATS
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetContext
    import DuetNATS
    import DuetTesting
    import TestSupport
    import Testing

    /// A stream of commands that is deleted, and created again by another node.
    @Suite(.timeLimit(.minutes(5))) struct LostLogTests {
        private let shop = Shop()

        private func delete(_ stream: String, of server: NATSServer) throws {
            let client = try RawClient(server)
            try client.publish("$JS.API.STREAM.DELETE.\(stream)", reply: "reply")
            _ = try client.received()
        }

        /// Runs a worker on one of two nodes while `body` runs.
        private func withNodes(
            _ body: (_ sender: NATSCluster, _ worker: NATSCluster, _ server: NATSServer) async throws -> Void
        ) async throws {
            try await NATSServer.run { server in
                let (sender, node) = (try await server.node(), try await server.node())
                try await body(sender, node, server)
                await sender.close()
                await node.close()
            }
        }

        private func withWorker(_ node: NATSCluster, _ body: () async throws -> Void) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                let worker = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: node)
                group.addTask { try await worker.run() }
                try await body()
                group.cancelAll()
                try await group.waitForAll()
            }
        }

        private static let command = AddStock(item: "tea", count: 1)

        /// Dispatches a command that no worker handles, until its sender pauses before it asks the log.
        private func waitingCommand(
            hasKey: Bool,
            from sender: NATSCluster,
            _ clock: ManualClock
        ) async throws -> Task<Void, any Error> {
            let remote = try ClusterDispatcher(Shop.messages, on: sender, clock: clock)
            let sent = Task {
                guard hasKey else { return try await remote.dispatch(Self.command) }
                try await withIdempotencyKey("order 7") { try await remote.dispatch(Self.command) }
            }
            // The first one is the deadline of the sender.
            for _ in 1...2 { await clock.nextSleeper() }
            return sent
        }

        private func expectLoss(of sent: Task<Void, any Error>, hasKey: Bool) async throws {
            let error = try #require(await #expect(throws: ClusterError.self) { try await sent.value })
            switch (error, hasKey) {
            case (.outcomeUnknown, true), (.lost, false): break
            default: Issue.record("\(error)")
            }
        }

        @Test(arguments: [true, false])
        func `a sender does not get the success of another command`(hasKey: Bool) async throws {
            try await withNodes { sender, node, server in
                let clock = ManualClock()
                let sent = try await waitingCommand(hasKey: hasKey, from: sender, clock)
                try delete("test_COMMANDS", of: server)
                try await withWorker(node) {
                    let other = try ClusterDispatcher(Shop.messages, on: node, options: .patient)
                    for _ in 1...3 { try await other.dispatch(AddStock(item: "tea", count: 5)) }
                    clock.advance(by: .seconds(1))
                    try await expectLoss(of: sent, hasKey: hasKey)
                    #expect(shop.handled.count == 3)
                    guard hasKey else { return }
                    let again = try ClusterDispatcher(Shop.messages, on: sender, options: .patient)
                    try await withIdempotencyKey("order 7") { try await again.dispatch(Self.command) }
                    #expect(shop.handled.last == "tea 1 order 7")
                }
            }
        }

        @Test(arguments: [true, false], [true, false])
        func `a command that somebody removes from the log is not reported as handled`(
            hasKey: Bool,
            hasOthers: Bool
        ) async throws {
            try await withNodes { sender, node, server in
                let clock = ManualClock()
                let sent = try await waitingCommand(hasKey: hasKey, from: sender, clock)
                let client = try RawClient(server)
                try client.publish("$JS.API.STREAM.MSG.DELETE.test_COMMANDS", reply: "reply", #"{"seq":1}"#)
                _ = try client.received()
                try await withWorker(node) {
                    let other = try ClusterDispatcher(Shop.messages, on: node, options: .patient)
                    if hasOthers { try await other.dispatch(AddStock(item: "tea", count: 5)) }
                    clock.advance(by: .seconds(1))
                    try await expectLoss(of: sent, hasKey: hasKey)
                }
                #expect(shop.handled.count == (hasOthers ? 1 : 0))
            }
        }

        @Test func `a token names the log that has its command, and a query with it waits`() async throws {
            try await withNodes { sender, node, server in
                let remote = try ClusterDispatcher(Shop.messages, on: sender, options: .patient)
                try await withWorker(node) {
                    try await remote.dispatch(AddStock(item: "tea", count: 1))
                    let first = try await sender.commands.epoch()
                    try delete("test_COMMANDS", of: server)
                    // The worker creates the stream again.
                    let last = try await eventually("there is another log") {
                        let epoch = try await node.commands.epoch()
                        return epoch == first ? nil : epoch
                    }
                    let token = WriteToken()
                    let stock = Task {
                        try await withWriteToken(token) {
                            try await remote.accepting.dispatch(AddStock(item: "slow", count: 2))
                            return try await remote.dispatch(LoadStock(item: "tea"))
                        }
                    }
                    await shop.gate.arrivals(1)
                    #expect(token.text.hasPrefix("\(last)."))
                    #expect(try await sender.commands.epoch() == last)
                    stock.cancel()
                    shop.gate.open()
                    _ = await stock.result
                    let query = LoadStock(item: "tea")
                    #expect(try await withWriteToken(token) { try await remote.dispatch(query) } == 1)
                    #expect(shop.handled.count == 2)
                }
            }
        }
    }
#endif
