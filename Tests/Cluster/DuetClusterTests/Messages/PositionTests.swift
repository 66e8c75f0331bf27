import Duet
import DuetCaching
import DuetCluster
import DuetClusterEngine
import DuetContext
import DuetTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct PositionTests {
    private let shop = Shop()
    private let cluster = InProcessCluster()
    private let asked = Monitor<[Int]>([])

    /// Runs a worker on a node whose log is `log`, while `body` runs.
    private func withWorker(
        _ log: CustomLog,
        clock: any Clock<Duration> = ContinuousClock(),
        _ body: (ClusterDispatcher) async throws -> Void
    ) async throws {
        var engine = CustomEngine(cluster.node())
        engine.commands = log
        try await withThrowingTaskGroup(of: Void.self) { group in
            let dispatcher = try shop.dispatcher()
            let worker = try ClusterWorker(Shop.messages, dispatcher, on: engine, options: .test, clock: clock)
            group.addTask { try await worker.run() }
            try await body(try ClusterDispatcher(Shop.messages, on: cluster, options: .test))
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// Returns a node that receives no event until it publishes one.
    private func nodeWithHeldEvents() -> CustomEngine {
        let held = Gate()
        var engine = CustomEngine(cluster.node())
        engine.backplane = CustomBackplane(
            base: engine.backplane,
            onPublish: { _ in held.open() },
            onEvent: { _ in try? await held.pass() }
        )
        return engine
    }

    private func loadTea(_ token: String, from remote: ClusterDispatcher) async throws -> Int {
        let token: WriteToken = try #require(WriteToken(text: token))
        return try await withWriteToken(token) {
            try await remote.dispatch(LoadStock(item: "tea"))
        }
    }

    /// Handles commands of three partitions on another node, and returns a token with their positions.
    private func handledToken() async throws -> String {
        let token = WriteToken()
        try await withWorker(CustomLog(base: cluster.node().commands)) { remote in
            try await withWriteToken(token) {
                for number in 0..<100 where token.text.split(separator: ".").count < 4 {
                    try await remote.dispatch(AddStock(item: "item \(number)", count: 1))
                }
            }
        }
        return token.text
    }

    @Test func `a node asks for all positions of a token at the same time`() async throws {
        let gate = Gate()
        let log = CustomLog(base: cluster.node().commands, onHandledPosition: { _ in try await gate.pass() })
        let token = try await handledToken()
        try await withWorker(log) { remote in
            let stock = Task { try await loadTea(token, from: remote) }
            await gate.arrivals(3)
            gate.open()
            _ = try await stock.value
        }
    }

    @Test func `a node asks only for positions that it has not reached`() async throws {
        let log = CustomLog(
            base: cluster.node().commands,
            onHandledPosition: { [asked] position in asked.update { $0.append(position.partition) } }
        )
        let token = try await handledToken()
        try await withWorker(log) { remote in
            _ = try await loadTea("0-0.1-0", from: remote)
            #expect(asked.read { $0 } == [])
            for _ in 1...2 { _ = try await loadTea(token, from: remote) }
            #expect(asked.read { $0.count } == 3)
        }
    }

    @Test func `a node answers after it has followed the event of a handled command`() async throws {
        let engine = nodeWithHeldEvents()
        let cached = try shop.dispatcher().caching(in: .memory(limit: .entries(10))) {
            Cache(LoadStock.self, .untilInvalidated)
        }
        let (queries, commands) = (MessageAPI.open { LoadStock.self }, MessageAPI.open { AddStock.self })
        let reader = try ClusterWorker(queries, cached, on: engine, caches: [cached.cache], options: .test)
        let writer = try ClusterWorker(commands, try shop.dispatcher(), on: cluster.node(), options: .test)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await reader.run() }
            group.addTask { try await writer.run() }
            let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
            #expect(try await remote.dispatch(LoadStock(item: "tea")) == 0)
            let token = WriteToken()
            try await withWriteToken(token) { try await remote.dispatch(AddStock(item: "tea", count: 1)) }
            while try await cluster.commands.statistics() != LogStatistics() { await Task.yield() }
            #expect(try await loadTea(token.text, from: remote) == 1)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a cache of the asking node follows the event of a handled command before it answers`() async throws {
        let engine = nodeWithHeldEvents()
        let node = try ClusterDispatcher(Shop.messages, on: engine, options: .test)
        let cached = try node.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadStock.self, .untilInvalidated)
            Invalidate(LoadStock.self, after: AddStock.self)
        }
        let invalidation = try ClusterInvalidation(Shop.messages, of: cached.cache, on: engine)
        let worker = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: cluster.node(), options: .test)
        let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await invalidation.run() }
            group.addTask { try await worker.run() }
            var number = 0
            var stock = 0
            // Repeated, because the cache may not be connected yet.
            while stock == 0 {
                number += 1
                let query = LoadStock(item: "tea \(number)")
                #expect(try await cached.dispatch(query) == 0)
                let token = WriteToken()
                try await withWriteToken(token) { try await remote.dispatch(AddStock(item: query.item, count: 1)) }
                while try await cluster.commands.statistics() != LogStatistics() { await Task.yield() }
                stock = try await withWriteToken(token) { try await cached.dispatch(query) }
                await Task.yield()
            }
            #expect(try await cached.read(LoadStock(item: "tea \(number)")).value == 1)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a node reaches a command whose event came before its first token`() async throws {
        let reply = Gate()
        var engine = CustomEngine(cluster.node())
        engine.queries = CustomQueries(base: engine.queries, onAsk: { try? await reply.pass() })
        let worker = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: engine, options: .test)
        let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
        let token = WriteToken()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            let command = Task {
                try await withWriteToken(token) { try await remote.dispatch(AddStock(item: "tea", count: 1)) }
            }
            // Its event is on the way, and the log waits for the reply.
            await reply.arrivals(1)
            for _ in 1...100 { await Task.yield() }
            let stock = Task { try await loadTea(token.text, from: remote) }
            for _ in 1...100 { await Task.yield() }
            reply.open()
            try await command.value
            #expect(try await stock.value == 1)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a log that does not respond leaves the node behind`() async throws {
        let clock = ManualClock()
        let log = CustomLog(base: cluster.node().commands, onHandledPosition: { _ in try await Gate().pass() })
        try await withWorker(log, clock: clock) { remote in
            let stock = Task { try await loadTea("0-1", from: remote) }
            await clock.nextSleeper()
            clock.advance(by: ClusterOptions.test.attemptTimeout)
            await #expect(throws: ClusterError.behind(message: LoadStock.messageName)) { try await stock.value }
        }
    }

    @Test func `a position of a partition that the log does not have is refused`() async throws {
        try await withWorker(CustomLog(base: cluster.node().commands)) { remote in
            let error = await #expect(throws: ClusterError.self) { try await loadTea("0-1.8-1", from: remote) }
            #expect(error?.description.contains("its write token has a partition that the log does not have") == true)
        }
    }

    @Test func `a token of a log that is gone has no effect`() async throws {
        let log = CustomLog(
            base: cluster.node().commands,
            onHandledPosition: { [asked] position in asked.update { $0.append(position.partition) } }
        )
        let epoch = try await log.epoch()
        try await withWorker(log) { remote in
            // It would wait for good, and be refused because of its last partition.
            _ = try await loadTea("\(epoch ^ 1).0-1000.8-1", from: remote)
            #expect(asked.read { $0 } == [])
        }
    }

    /// A log that another cluster replaces as soon as it is lost.
    private func losingLog() -> (log: CustomLog, next: InProcessCluster, lose: @Sendable () -> Void) {
        let (next, isLost) = (InProcessCluster(), Monitor(false))
        let log = CustomLog(
            base: cluster.node().commands,
            replacement: { isLost.read(\.self) ? next.node().commands : nil }
        )
        return (log, next, { isLost.update { $0 = true } })
    }

    @Test func `a token of a log that was lost has no effect on a node that knew it`() async throws {
        let (log, _, lose) = losingLog()
        let token = WriteToken()
        try await withWorker(log) { remote in
            try await withWriteToken(token) { try await remote.dispatch(AddStock(item: "tea", count: 1)) }
            #expect(try await loadTea(token.text, from: remote) == 1)
            lose()
            let later = token.text.split(separator: "-")[0] + "-2"
            #expect(try await loadTea(String(later), from: remote) == 1)
        }
    }

    /// With positions whose log the node does not know, or knows.
    @Test(arguments: [false, true])
    func `positions of a log that is gone are not those of the next one`(isKnown: Bool) async throws {
        let (log, next, lose) = losingLog()
        let token = WriteToken()
        try await withWorker(log) { remote in
            try await withWriteToken(token) { try await remote.dispatch(AddStock(item: "tea", count: 1)) }
            let positions = token.text.split(separator: ".").dropFirst().joined(separator: ".")
            #expect(try await loadTea(isKnown ? token.text : positions, from: remote) == 1)
            let lost = token.text
            lose()
            try await withWriteToken(token) {
                let remote = try ClusterDispatcher(Shop.messages, on: next, options: .test).accepting
                try await remote.dispatch(AddStock(item: "tea", count: 1))
            }
            #expect(token.text.split(separator: ".").dropFirst() == lost.split(separator: ".").dropFirst())
            #expect(token.text != lost)
            var options = ClusterOptions.test
            options.attemptTimeout = .seconds(1)
            let waiting = try ClusterDispatcher(Shop.messages, on: cluster, options: options)
            await #expect(throws: ClusterError.behind(message: LoadStock.messageName)) {
                try await loadTea(token.text, from: waiting)
            }
        }
    }
}
