import Duet
import DuetCluster
import DuetClusterEngine
import DuetTesting
import Foundation
import TestSupport
import Testing

/// Handlers that do not end by themselves.
@Suite(.timeLimit(.minutes(5))) struct HandlerTests {
    private let cluster = InProcessCluster()
    private let clock = ManualClock()
    private let handlers = StuckHandlers()
    private func options(handlingTimeout: Duration? = .seconds(60), attempts: Int = 2) -> ClusterOptions {
        ClusterOptions(
            handlingTimeout: handlingTimeout,
            attempts: attempts,
            redelivery: .seconds(3_600),
            handlingDelays: RetryPolicy(backoff: .constant(.zero), jitter: false)
        )
    }

    private static let messages = MessageAPI.open {
        StuckCommand.ordered(by: { _ in "key" })
        StuckQuery.self
    }

    /// A duration that does not end in these tests by itself.
    private static let never: Duration = .seconds(1_000_000)

    /// Runs a worker while `body` runs, and advances its clock until both have ended.
    ///
    /// - Parameter attempts: The number of attempts whose time passes, but not the time to end after that; nil to let
    ///   all times pass.
    private func withWorker(
        _ options: ClusterOptions,
        attempts: Int? = nil,
        _ body: @escaping @Sendable (ClusterDispatcher) async throws -> Void
    ) async throws {
        let advancing = Task { [clock, handlers] in
            var attempt = 0
            while !Task.isCancelled, attempt != attempts {
                attempt += 1
                // The handler has begun, and the timers of the attempt before are gone.
                await handlers.arrivals(attempts == nil ? 1 : attempt)
                let remaining = await clock.nextSleeper()
                if remaining < Self.never { clock.advance(by: remaining) }
            }
        }
        defer { advancing.cancel() }
        let worker = try ClusterWorker(
            Self.messages,
            try handlers.dispatcher(),
            on: cluster.node(),
            options: options,
            clock: clock
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            group.addTask { [cluster] in
                let options = ClusterOptions(timeout: Self.never)
                try await body(try ClusterDispatcher(Self.messages, on: cluster, options: options))
            }
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
        handlers.release()
    }

    @Test func `a handler that does not end is canceled, gets another attempt, and its partition goes on`() async throws
    {
        try await withWorker(options(), attempts: 2) { remote in
            await #expect(throws: ClusterError.self) { try await remote.dispatch(StuckCommand()) }
            try await remote.dispatch(StuckCommand(isStuck: false))
        }
        #expect(handlers.begun == 3)
        let letters = try await cluster.commands.deadLetters.list(limit: 10)
        #expect(letters.map(\.reason) == ["its handler did not end in time"])
    }

    @Test func `no other command begins before a handler that was canceled has returned`() async throws {
        try await withWorker(options(handlingTimeout: Self.never), attempts: 0) { remote in
            Task { try? await remote.accepting.dispatch(StuckCommand(ignores: true)) }
            await handlers.arrivals(1)
            try await remote.accepting.dispatch(StuckCommand(isStuck: false))
            clock.advance(by: Self.never)
            for _ in 1...1_000 { await Task.yield() }
            #expect(handlers.begun == 1)
            handlers.release()
            // It has succeeded, although late.
            await handlers.arrivals(2)
        }
        #expect(handlers.begun == 2)
        #expect(try await cluster.commands.statistics() == LogStatistics())
    }

    @Test func `a worker whose handler ignores its cancellation ends, and leaves the command to others`()
        async throws
    {
        await #expect(throws: ClusterError.handlerDoesNotEnd(message: StuckCommand.messageName)) {
            try await withWorker(options()) { remote in
                try await remote.accepting.dispatch(StuckCommand(ignores: true))
                try await remote.accepting.dispatch(StuckCommand(isStuck: false))
                // The worker ends, which cancels this.
                try await Gate().pass()
            }
        }
        #expect(handlers.begun == 1)
        handlers.release()
        let statistics = try await cluster.commands.statistics()
        #expect(statistics.waiting + statistics.running == 2)
        #expect(try await cluster.commands.deadLetters.list(limit: 10) == [])
    }

    @Test(arguments: [false, true])
    func `a worker ends although its handlers do not`(ignores: Bool) async throws {
        try await withWorker(options(handlingTimeout: Self.never)) { remote in
            Task { try? await remote.dispatch(StuckQuery(ignores: ignores)) }
            Task { try? await remote.accepting.dispatch(StuckCommand(ignores: ignores)) }
            await handlers.arrivals(2)
        }
        // The command was not handled, and another worker would get it.
        #expect(try await cluster.commands.deadLetters.list(limit: 10) == [])
        #expect(try await cluster.commands.statistics().waiting + cluster.commands.statistics().running == 1)
    }

    @Test(arguments: [1, 2], [StuckCommand(), StuckCommand(ignores: true), StuckCommand(declares: true)])
    func `a command whose worker ends is handled by the next one, also after its last attempt`(
        attempts: Int,
        command: StuckCommand
    ) async throws {
        let options = options(handlingTimeout: Self.never, attempts: attempts)
        try await withWorker(options) { remote in
            try await remote.accepting.dispatch(command)
            await handlers.arrivals(1)
        }
        #expect(try await cluster.commands.deadLetters.list(limit: 10) == [])
        // All handlers that begin after the end of the first worker end by themselves.
        try await withWorker(options, attempts: 0) { remote in
            try await remote.dispatch(StuckCommand(isStuck: false))
        }
        #expect(handlers.begun == 3)
        #expect(try await cluster.commands.deadLetters.list(limit: 10) == [])
        #expect(try await cluster.commands.statistics() == LogStatistics())
    }

    @Test func `a sender cannot give a handler more time than the worker has`() async throws {
        try await withWorker(options()) { _ in
            let request = Envelope(
                headers: ["Duet-Deadline": "86400000"],
                body: try JSONEncoder().encode(StuckQuery(ignores: false))
            )
            let response = try await cluster.queries.askWhenServed(StuckQuery.messageName, request)
            #expect(response.headers["Duet-Outcome"] == "failure")
            #expect(String(decoding: response.body, as: UTF8.self).contains("did not end in 5000 ms"))
            #expect(handlers.begun == 1)
        }
    }
}
