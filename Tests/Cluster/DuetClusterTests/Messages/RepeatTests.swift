import Duet
import DuetCluster
import DuetClusterEngine
import DuetContext
import DuetTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RepeatTests {
    private let shop = Shop()
    private let cluster = InProcessCluster()

    /// Runs a worker while `body` runs.
    private func withWorker(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let worker = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: cluster.node(), options: .test)
            group.addTask { try await worker.run() }
            try await body()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func addTea(_ count: Int, to remote: ClusterDispatcher) async throws {
        try await withIdempotencyKey("order 7") { try await remote.dispatch(AddStock(item: "tea", count: count)) }
    }

    @Test func `a repeat of a command that was handled returns`() async throws {
        try await withWorker {
            let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
            for _ in 1...3 { try await addTea(1, to: remote) }
        }
        #expect(shop.handled == ["tea 1 order 7"])
    }

    @Test func `a repeat returns after the first command was handled`() async throws {
        let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
        let asked = Gate()
        var engine = CustomEngine(cluster.node())
        engine.commands = CustomLog(base: engine.commands, onHandledPosition: { _ in try? await asked.pass() })
        let other = try ClusterDispatcher(Shop.messages, on: engine, options: .test)
        try await withIdempotencyKey("order 7") {
            try await remote.accepting.dispatch(AddStock(item: "tea", count: 1))
        }
        let again = Task { try await addTea(1, to: other) }
        await asked.arrivals(1)
        asked.open()
        try await withWorker { try await again.value }
        #expect(shop.handled == ["tea 1 order 7"])
    }

    @Test func `a repeat of a command that was refused gets the refusal`() async throws {
        try await withWorker {
            for _ in 1...3 {
                let remote = try ClusterDispatcher(Shop.messages, on: cluster.node(), options: .test)
                await #expect(throws: NegativeStock(item: "tea")) { try await addTea(-1, to: remote) }
            }
            let statistics = try await cluster.commands.statistics()
            #expect(statistics == LogStatistics())
        }
    }

    @Test func `a repeat gets the refusal of a command that its first sender did not wait for`() async throws {
        let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
        try await withIdempotencyKey("order 7") {
            try await remote.accepting.dispatch(AddStock(item: "tea", count: -1))
        }
        try await withWorker { await #expect(throws: NegativeStock(item: "tea")) { try await addTea(-1, to: remote) } }
    }

    @Test func `a refused command whose node is lost before it is done is not handled again`() async throws {
        let (node, kept) = (cluster.node(), Gate())
        var engine = CustomEngine(node)
        engine.commands = CustomLog(
            base: engine.commands,
            onKeepOutcome: { [shop] in
                // Another attempt would succeed.
                shop.state.withLock { $0.stock["tea"] = 5 }
                node.disconnect()
                try? await kept.pass()
            }
        )
        let worker = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: engine, options: .test)
        let running = Task { try await worker.run() }
        let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
        let sent = Task { try await addTea(-1, to: remote) }
        await kept.arrivals(1)
        running.cancel()
        kept.open()
        try await withWorker {
            await #expect(throws: NegativeStock(item: "tea")) { try await sent.value }
            await #expect(throws: NegativeStock(item: "tea")) { try await addTea(-1, to: remote) }
        }
        #expect(shop.handled.isEmpty)
        #expect(try await cluster.commands.statistics() == LogStatistics())
    }

    @Test func `a refused command is done when its worker ends before the sender has the outcome`() async throws {
        let (asking, isOpen, clock) = (Gate(), Monitor(false), ManualClock())
        asking.open()
        var engine = CustomEngine(cluster.node())
        engine.queries = CustomQueries(
            base: engine.queries,
            onAsk: {
                try? await asking.pass()
                await isOpen.waitEvenIfCanceled { $0 }
            }
        )
        var options = ClusterOptions.test
        options.shutdownTimeout = .zero
        let worker = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: engine, options: options, clock: clock)
        let running = Task { try await worker.run() }
        let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
        let sent = Task { try await addTea(-1, to: remote) }
        await asking.arrivals(1)
        running.cancel()
        let advancing = Task {
            while !Task.isCancelled {
                await clock.nextSleeper()
                clock.advance(by: .seconds(1))
            }
        }
        defer { advancing.cancel() }
        try await running.value
        #expect(try await cluster.commands.statistics() == LogStatistics())
        isOpen.update { $0 = true }
        await #expect(throws: NegativeStock(item: "tea")) { try await sent.value }
    }

    @Test func `a sender whose outcome was lost with the connection asks the log`() async throws {
        let clock = ManualClock()
        var engine = CustomEngine(cluster.node())
        // Outcomes do not arrive.
        engine.queries = InProcessCluster().queries
        let remote = try ClusterDispatcher(Shop.messages, on: engine, options: .test, clock: clock)
        try await withWorker {
            for (count, isRefused) in [(1, false), (-2, true)] {
                let sent = Task { try await remote.dispatch(AddStock(item: "tea", count: count)) }
                await clock.nextSleeper()
                while try await cluster.commands.statistics() != LogStatistics() { await Task.yield() }
                let pause = Task {
                    while !Task.isCancelled {
                        clock.advance(by: .milliseconds(100))
                        await Task.yield()
                    }
                }
                defer { pause.cancel() }
                if isRefused {
                    await #expect(throws: NegativeStock(item: "tea")) { try await sent.value }
                } else {
                    try await sent.value
                }
            }
        }
    }

    @Test func `a sender may wait longer than the timeout of its dispatcher`() async throws {
        var options = ClusterOptions.test
        options.timeout = .milliseconds(1)
        let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: options)
        let sent = Task {
            try await withDeadline(in: .seconds(3_600)) { try await remote.dispatch(AddStock(item: "slow", count: 1)) }
        }
        try await withWorker {
            await shop.gate.arrivals(1)
            shop.gate.open()
            try await sent.value
        }
    }

    @Test func `a repeat of a command that became a dead letter fails`() async throws {
        try await withWorker {
            let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
            let reason = "its handler threw \(qualifiedName(of: ShelfFull.self))"
            let error = ClusterError.failed(message: BreakShelf.messageName, reason: reason)
            for _ in 1...2 {
                await #expect(throws: error) {
                    try await withIdempotencyKey("order 7") { try await remote.dispatch(BreakShelf(item: "tea")) }
                }
            }
        }
    }

    @Test func `nobody and a principal with an empty identifier do not share a key`() async throws {
        try await withWorker {
            let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
            try await addTea(1, to: remote)
            for _ in 1...2 { try await withPrincipal(Principal(id: "")) { try await addTea(1, to: remote) } }
        }
        #expect(shop.handled.count == 2)
    }

    @Test func `a repeat fails at its deadline if the first command is not handled`() async throws {
        let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
        try await withIdempotencyKey("order 7") {
            try await remote.accepting.dispatch(AddStock(item: "tea", count: 1))
        }
        let error = await #expect(throws: ClusterError.self) {
            try await withDeadline(in: .milliseconds(100)) { try await addTea(1, to: remote) }
        }
        guard case .outcomeUnknown = error, error?.isTemporary == true else {
            Issue.record("expected outcomeUnknown, found \(String(describing: error))")
            return
        }
    }

    @Test func `a lost acknowledgment does not lose a declared error`() async throws {
        let isLost = Mutex(true)
        var engine = CustomEngine(cluster.node())
        engine.commands = CustomLog(
            base: engine.commands,
            onAppend: { appended in
                guard isLost.withLock({ $0 }) else { return #expect(appended.isRepeat) }
                isLost.withLock { $0 = false }
                throw TransportError.connectionLost(reason: "test")
            }
        )
        let remote = try ClusterDispatcher(Shop.messages, on: engine, options: .test)
        try await withWorker {
            for _ in 1...100 {
                isLost.withLock { $0 = true }
                await #expect(throws: NegativeStock(item: "tea")) {
                    try await remote.dispatch(AddStock(item: "tea", count: -1))
                }
            }
        }
    }

    @Test func `the error of a log that does not know its positions ends the repeat`() async throws {
        var engine = CustomEngine(cluster.node())
        engine.commands = CustomLog(
            base: engine.commands,
            onHandledPosition: { _ in throw TransportError.refused(reason: "test") }
        )
        let remote = try ClusterDispatcher(Shop.messages, on: engine, options: .test)
        try await withIdempotencyKey("order 7") {
            try await remote.accepting.dispatch(AddStock(item: "tea", count: 1))
        }
        await #expect(throws: TransportError.refused(reason: "test")) { try await addTea(1, to: remote) }
    }
}
