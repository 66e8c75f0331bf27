import Duet
import DuetTesting
import FeedComposition
import FeedFeature
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@Suite struct PeriodicCommandTests {
    private let clock = ManualClock()
    private let handler = RemovalSpy()
    private let report = ReportSpy()

    @Test func `the command is dispatched immediately, at each interval, and once more at the end`() async throws {
        let group = try group()
        let run = Task { try await group.run() }
        #expect(await clock.nextSleeper() == .seconds(60))
        #expect(handler.count == 1)
        clock.advance(by: .seconds(59))
        #expect(handler.count == 1)
        clock.advance(by: .seconds(1))
        await clock.nextSleeper()
        #expect(handler.count == 2)
        await group.triggerGracefulShutdown()
        try await run.value
        #expect(handler.count == 3)
        #expect(report.reports == [])
    }

    @Test func `a failure is reported, and the next dispatch still happens`() async throws {
        handler.failNext()
        let group = try group()
        let run = Task { try await group.run() }
        await clock.nextSleeper()
        #expect(report.reports == ["FeedFeature.RemoveInvalidFeedCache failed: locked"])
        clock.advance(by: .seconds(60))
        await clock.nextSleeper()
        #expect(handler.count == 2)
        await group.triggerGracefulShutdown()
        try await run.value
    }

    private func group() throws -> ServiceGroup {
        let service = PeriodicCommand(
            command: RemoveInvalidFeedCache(),
            interval: .seconds(60),
            dispatcher: try StandardDispatcher { handler },
            clock: clock,
            report: report.report
        )
        return ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [service],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        )
    }
}

/// Counts the requests to remove the cache.
private final class RemovalSpy: CommandHandler, Sendable {
    private let state = Mutex((count: 0, failsNext: false))

    var count: Int { state.withLock { $0.count } }

    func failNext() {
        state.withLock { $0.failsNext = true }
    }

    func handle(_ command: RemoveInvalidFeedCache) async throws {
        let fails = state.withLock { state in
            state.count += 1
            defer { state.failsNext = false }
            return state.failsNext
        }
        if fails { throw Fault("locked") }
    }
}
