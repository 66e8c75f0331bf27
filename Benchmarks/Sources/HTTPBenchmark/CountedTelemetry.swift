import CoreMetrics
import Synchronization
import Tracing

/// The least that a metrics library and a tracer do: everything is counted, and nothing is exported.
final class CountedTelemetry: MetricsFactory, Tracer {
    private let count = Atomic(0)

    /// Collects the metrics and the spans of this process.
    static func start(metrics: Bool, traces: Bool) {
        let telemetry = CountedTelemetry()
        if metrics { MetricsSystem.bootstrap(telemetry) }
        if traces { InstrumentationSystem.bootstrap(telemetry) }
    }

    fileprivate func add() { count.wrappingAdd(1, ordering: .relaxed) }

    // MARK: Metrics

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { CountedMetric(self) }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { CountedMetric(self) }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { CountedMetric(self) }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        CountedMetric(self)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    // MARK: Traces

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> CountedSpan {
        CountedSpan(operationName, in: context(), self)
    }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    func forceFlush() {}
}

private final class CountedMetric: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    private let telemetry: CountedTelemetry

    init(_ telemetry: CountedTelemetry) { self.telemetry = telemetry }

    func increment(by amount: Int64) { telemetry.add() }
    func increment(by amount: Double) { telemetry.add() }
    func decrement(by amount: Double) { telemetry.add() }
    func set(_ value: Int64) { telemetry.add() }
    func set(_ value: Double) { telemetry.add() }
    func record(_ value: Int64) { telemetry.add() }
    func record(_ value: Double) { telemetry.add() }
    func recordNanoseconds(_ duration: Int64) { telemetry.add() }
    func reset() {}
}

final class CountedSpan: Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
    }

    let context: ServiceContext
    let isRecording = true
    private let state: Mutex<State>
    private let telemetry: CountedTelemetry

    fileprivate init(_ name: String, in context: ServiceContext, _ telemetry: CountedTelemetry) {
        self.context = context
        self.telemetry = telemetry
        state = Mutex(State(name: name))
    }

    var operationName: String {
        get { state.withLock(\.name) }
        set { state.withLock { $0.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { state.withLock(\.attributes) }
        set { state.withLock { $0.attributes = newValue } }
    }

    func setStatus(_ status: SpanStatus) {}
    func addEvent(_ event: SpanEvent) {}
    func addLink(_ link: SpanLink) {}
    func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {}
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) { telemetry.add() }
}
