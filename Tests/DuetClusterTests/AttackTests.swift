import Duet
import DuetCluster
import DuetContext
import DuetTesting
import Foundation
import Synchronization
import Testing

/// A log which does something after a refusal was kept.
struct KillingLog: CommandLog {
    let base: any CommandLog
    var onKeep: @Sendable () async throws -> Void = {}
    var replacement: @Sendable () -> (any CommandLog)? = { nil }
    private var asked: any CommandLog { replacement() ?? base }
    var partitionCount: Int { base.partitionCount }
    var deadLetters: any DeadLetters { asked.deadLetters }
    func epoch(isFresh: Bool) async throws -> UInt64 { try await asked.epoch(isFresh: isFresh) }
    func append(_ command: LoggedCommand) async throws -> Appended { try await base.append(command) }
    func process(
        _ options: ProcessingOptions,
        abandoned: @escaping @Sendable @concurrent (Delivery) async -> Void,
        _ handler: @escaping @Sendable @concurrent (Delivery) async -> Disposition
    ) async throws -> any Registration { try await base.process(options, abandoned: abandoned, handler) }
    func handledPosition(in partition: Int) async throws -> LogPosition { try await asked.handledPosition(in: partition) }
    func lastPosition(in partition: Int) async throws -> LogPosition { try await asked.lastPosition(in: partition) }
    func keepOutcome(_ outcome: Envelope, of id: String, at position: LogPosition) async throws {
        try await base.keepOutcome(outcome, of: id, at: position)
        try await onKeep()
    }
    func outcome(of id: String, at position: LogPosition) async throws -> Envelope? {
        try await asked.outcome(of: id, at: position)
    }
    func statistics() async throws -> LogStatistics { try await base.statistics() }
}

@Suite(.timeLimit(.minutes(2)), .serialized) struct AttackTests {
    private let shop = Shop()
    private let cluster = InProcessCluster()

    private func withWorker(_ engine: any ClusterEngine, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let worker = engine.worker(try shop.dispatcher(), options: .test) { Shop.messages }
            group.addTask { try await worker.run() }
            do { try await body() } catch { Issue.record(error) }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func add(_ count: Int, to remote: ClusterDispatcher) async -> String {
        do {
            try await withIdempotencyKey("order 7") { try await remote.dispatch(AddStock(item: "tea", count: count)) }
            return "success"
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [false, true]) func `K1 a refused command whose node dies before it is done`(keyed: Bool) async throws {
        let first = cluster.node()
        let killed = Mutex(false)
        var engine = CustomEngine(first)
        engine.commands = KillingLog(base: first.commands, onKeep: { [shop] in
            guard killed.withLock({ let old = $0; $0 = true; return !old }) else { return }
            shop.state.withLock { $0.stock["tea"] = 5 }
            first.disconnect()
        })
        let remote = cluster.dispatcher(.test) { Shop.messages }
        let worker = engine.worker(try shop.dispatcher(), options: .test) { Shop.messages }
        let running = Task { try await worker.run() }
        let sent = Task {
            do {
                if keyed { return await add(-1, to: remote) }
                try await remote.dispatch(AddStock(item: "tea", count: -1))
                return "success"
            } catch { return "\(error)" }
        }
        while !killed.withLock(\.self) { try await Task.sleep(for: .milliseconds(5)) }
        running.cancel()
        try await withWorker(cluster.node()) {
            let outcome = await sent.value
            let again = keyed ? await add(-1, to: remote) : "-"
            try await Task.sleep(for: .seconds(1))
            print("K1", keyed, "sender:", outcome, "repeat:", again, "stock:", shop.state.withLock { $0.stock["tea"] } as Any, "handled:", shop.handled)
            #expect((outcome == "success") == (shop.state.withLock { $0.stock["tea"] } == 4))
        }
    }

    @Test(arguments: ["drop", "retry", "retry, refused"]) func `K2 a repeat after an operator treated the dead letter`(what: String) async throws {
        try await withWorker(cluster.node()) {
            let remote = cluster.dispatcher(.test) { Shop.messages }
            let failures: [any Error] = Array(repeating: ShelfFull(), count: 4)
            shop.state.withLock { $0.failures = failures }
            let count = what == "retry, refused" ? -1 : 1
            let first = await add(count, to: remote)
            let letters = try await cluster.commands.deadLetters.list(limit: 10)
            let before = await add(count, to: remote)
            if what == "drop" {
                try await cluster.commands.deadLetters.drop(letters[0].id)
            } else {
                if what == "retry" { shop.state.withLock { $0.failures = failures } }
                try await cluster.commands.deadLetters.retry(letters[0].id, body: nil)
                try await Task.sleep(for: .milliseconds(300))
            }
            let again = await add(count, to: remote)
            print("K2", what, "| first:", first, "| before:", before, "| after:", again, "| handled:", shop.handled)
            #expect(again != "success")
        }
    }

    @Test func `K3 a sender waits while its log is lost`() async throws {
        let lost = Mutex(false)
        let next = InProcessCluster()
        // Another log, in which other commands were handled.
        let otherShop = Shop()
        let worker = next.node().worker(try otherShop.dispatcher(), options: .test) { Shop.messages }
        let running = Task { try await worker.run() }
        for _ in 1...3 { try await next.dispatcher(.test) { Shop.messages }.dispatch(AddStock(item: "tea", count: 1)) }
        running.cancel()
        var engine = CustomEngine(cluster.node())
        engine.commands = KillingLog(base: engine.commands, replacement: { lost.withLock(\.self) ? next.node().commands : nil })
        let remote = engine.dispatcher(.test) { Shop.messages }
        let sent = Task { await add(1, to: remote) }
        while try await cluster.commands.statistics().waiting == 0 { await Task.yield() }
        lost.withLock { $0 = true }
        let outcome = await sent.value
        print("K3 sender:", outcome, "handled:", shop.handled)
        #expect(outcome != "success")
    }

    @Test func `K4 an anonymous sender and one with an empty identifier`() async throws {
        try await withWorker(cluster.node()) {
            let remote = cluster.dispatcher(.test) { Shop.messages }
            let one = await add(1, to: remote)
            let two = await withPrincipal(Principal(id: "")) { await add(1, to: remote) }
            print("K4", one, two, shop.handled)
            #expect(shop.handled.count == 2)
        }
    }

    /// The end of a worker while it replies to a sender that hangs.
    @Test func `K5 a refused command whose worker stops while it replies`() async throws {
        var sender = CustomEngine(cluster.node())
        let gate = Gate()
        sender.queries = HangingReplies(base: sender.queries, gate: gate)
        let remote = sender.dispatcher(.test) { Shop.messages }
        var options = ClusterOptions.test
        options.shutdownTimeout = .zero
        let worker = cluster.node().worker(try shop.dispatcher(), options: options) { Shop.messages }
        let running = Task { try await worker.run() }
        let sent = Task { await add(-1, to: remote) }
        await gate.arrivals(1)
        running.cancel()
        _ = await running.result
        shop.state.withLock { $0.stock["tea"] = 5 }
        gate.open()
        try await withWorker(cluster.node()) {
            let outcome = await sent.value
            try await Task.sleep(for: .seconds(1))
            print("K5 sender:", outcome, "stock:", shop.state.withLock { $0.stock["tea"] } as Any, "handled:", shop.handled)
            #expect((outcome == "success") == (shop.state.withLock { $0.stock["tea"] } == 4))
        }
    }
}

struct HangingReplies: QueryTransport {
    let base: any QueryTransport
    let gate: Gate
    func ask(_ route: String, _ request: Envelope, timeout: Duration) async throws -> Envelope {
        try await base.ask(route, request, timeout: timeout)
    }
    func serve(
        _ route: String,
        limit: Int,
        _ handler: @escaping @Sendable @concurrent (Envelope) async -> Envelope
    ) async throws -> any Registration {
        try await base.serve(route, limit: limit) { [gate] request in
            try? await gate.pass()
            return await handler(request)
        }
    }
}
