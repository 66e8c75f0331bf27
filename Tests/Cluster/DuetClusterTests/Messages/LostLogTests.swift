import Duet
import DuetCluster
import DuetClusterEngine
import DuetContext
import DuetTesting
import TestSupport
import Testing

/// A log that is lost, after which another one has the same positions.
@Suite(.timeLimit(.minutes(5))) struct LostLogTests {
    private let cluster = InProcessCluster()
    private let next = InProcessCluster()
    private let isLost = Monitor(false)
    private let clock = ManualClock()
    private let command = AddStock(item: "tea", count: 1)

    /// A dispatcher that receives no outcomes by itself.
    private func dispatcher(
        onAppend: @escaping @Sendable (Appended) async throws -> Void = { _ in }
    ) throws -> ClusterDispatcher {
        var engine = CustomEngine(cluster.node())
        engine.queries = InProcessCluster().queries
        engine.commands = CustomLog(
            base: engine.commands,
            onAppend: onAppend,
            replacement: { [isLost, next] in isLost.read { $0 } ? next.commands : nil }
        )
        return try ClusterDispatcher(Shop.messages, on: engine, options: .test, clock: clock)
    }

    /// Handles the commands of the next log, and then lets the sender ask about its own.
    private func handleNext(adding command: AddStock? = nil) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let worker = try ClusterWorker(Shop.messages, try Shop().dispatcher(), on: next.node(), options: .test)
            group.addTask { try await worker.run() }
            if let command { try await ClusterDispatcher(Shop.messages, on: next, options: .test).dispatch(command) }
            while try await next.commands.statistics() != LogStatistics() { await Task.yield() }
            group.cancelAll()
            try await group.waitForAll()
        }
        isLost.update { $0 = true }
        clock.advance(by: .seconds(1))
    }

    /// Waits until a sender has added its command: it waits for its deadline, and pauses before it asks.
    private func waitUntilAdded() async {
        for _ in 1...2 { await clock.nextSleeper() }
    }

    @Test(arguments: [true, false])
    func `a sender does not get the success of another command`(hasKey: Bool) async throws {
        let remote = try dispatcher()
        let sent = Task {
            guard hasKey else { return try await remote.dispatch(command) }
            try await withIdempotencyKey("order 7") { try await remote.dispatch(command) }
        }
        await waitUntilAdded()
        try await handleNext(adding: command)
        let error = try #require(await #expect(throws: ClusterError.self) { try await sent.value })
        #expect(error.isTemporary == hasKey)
        switch (error, hasKey) {
        case (.outcomeUnknown, true), (.lost, false): break
        default: Issue.record("\(error)")
        }
    }

    @Test func `a sender that has not noticed the loss gets the outcome of its command`() async throws {
        let remote = try dispatcher()
        try await remote.accepting.dispatch(command)
        isLost.update { $0 = true }
        let sent = Task { try await remote.dispatch(AddStock(item: "tea", count: -1)) }
        await waitUntilAdded()
        try await handleNext()
        await #expect(throws: NegativeStock(item: "tea")) { try await sent.value }
    }

    @Test(arguments: [false, true])
    func `a token names the log that has its command`(isLostMeanwhile: Bool) async throws {
        let remote = try dispatcher { [isLost] _ in isLost.update { $0 = true } }
        if !isLostMeanwhile { try await remote.accepting.dispatch(command) }
        let token = WriteToken()
        try await withWriteToken(token) { try await remote.accepting.dispatch(command) }
        let partition = LoggedCommand.partition(of: "tea", among: next.commands.partitionCount)
        #expect(token.text == "\(try await next.commands.epoch()).\(partition)-1")
        #expect(try await next.commands.lastPosition(in: partition).sequence == 1)
    }
}
