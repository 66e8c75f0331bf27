import Duet
import DuetCaching
import DuetTelemetry
import DuetTesting
import MetricsTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct QueryCacheMetricsTests {
    private let metrics = TestMetrics()
    private let clock = ManualClock()

    @Test func `each event is reported once`() async throws {
        let spy = SpyDispatcher()
        spy.stub(LoadNumber.self) { _ in 7 }
        spy.stub(ChangeNumber.self)
        let dispatcher = try spy.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadNumber.self, .untilInvalidated)
            Invalidate(LoadNumber.self, after: ChangeNumber.self)
        }
        let reporting = Task { [metrics, clock] in
            await dispatcher.cache.reportMetrics(to: metrics, every: .seconds(10), clock: clock)
        }
        await clock.nextSleeper()
        for _ in 0..<3 { _ = try await dispatcher.dispatch(LoadNumber()) }
        clock.advance(by: .seconds(10))
        await clock.nextSleeper()
        try await dispatcher.dispatch(ChangeNumber())
        _ = try await dispatcher.dispatch(LoadNumber())
        reporting.cancel()
        await reporting.value

        #expect(try reads("hit").values == [2])
        #expect(try reads("miss").values == [1, 1])
        let invalidations = try metrics.expectCounter(
            "duet.cache.invalidations",
            [("duet.message", LoadNumber.messageName)]
        )
        #expect(invalidations.values == [1])
        #expect(try metrics.expectGauge("duet.cache.entries", []).values.last == 1)
    }

    private func reads(_ outcome: String) throws -> TestCounter {
        try metrics.expectCounter(
            "duet.cache.reads",
            [("duet.message", LoadNumber.messageName), ("duet.cache.outcome", outcome)]
        )
    }
}

private struct LoadNumber: Query, Hashable {
    typealias Value = Int
}

private struct ChangeNumber: Command {}
