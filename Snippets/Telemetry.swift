//! Logs, metrics and traces of a client and a server, printed to the console.

// snippet.imports
import CoreMetrics
import Duet
import DuetCaching
import DuetHTTP
import DuetHummingbird
import DuetTelemetry
import DuetTesting
import HTTPTypes
import Hummingbird
import Logging
import Synchronization
import Tracing

// snippet.end

struct Note: Codable, Equatable, Sendable {
    let id: Int
    let text: String
}

struct LoadNote: HTTPQuery, Hashable {
    typealias Value = Note
    static let route: QueryRoute<Self> = .get("notes/{id}")

    let id: Int
}

struct RemoveNote: HTTPCommand {
    static let route: CommandRoute<Self> = .delete("notes/{id}").throwing(NoteLocked.self)

    let id: Int
}

struct NoteLocked: HTTPProblem, CustomStringConvertible {
    static let problemType = "tag:notes.example,2026:note-locked"
    let id: Int
    var status: HTTPResponse.Status { .conflict }
    var description: String { "Note \(id) is locked." }
}

let notesAPI = MessageAPI("notes", authorized: .open) {
    LoadNote.self
    RemoveNote.self
}

struct LoadNoteHandler: QueryHandler {
    func handle(_ query: LoadNote) async throws -> Note { Note(id: query.id, text: "Buy milk") }
}

struct RemoveNoteHandler: CommandHandler {
    func handle(_ command: RemoveNote) async throws { throw NoteLocked(id: command.id) }
}

// MARK: Console

// snippet.metrics
/// Prints each value of a metric.
struct ConsoleMetrics: MetricsFactory {
    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        ConsoleMetric(label, dimensions)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        ConsoleMetric(label, dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        ConsoleMetric(label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        ConsoleMetric(label, dimensions)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

final class ConsoleMetric: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    private let name: String

    init(_ label: String, _ dimensions: [(String, String)]) {
        let labels = dimensions.filter { !$1.isEmpty }.map { "\($0)=\($1)" }
        name = "\(label){\(labels.joined(separator: ", "))}"
    }

    func increment(by amount: Int64) { print("metric \(name) +\(amount)") }
    func increment(by amount: Double) { print("metric \(name) +\(Int(amount))") }
    func decrement(by amount: Double) { print("metric \(name) -\(Int(amount))") }
    func set(_ value: Int64) { print("metric \(name) \(value)") }
    func set(_ value: Double) { print("metric \(name) \(value)") }
    func record(_ value: Int64) { print("metric \(name) \(value)") }
    func record(_ value: Double) { print("metric \(name) \(value)") }
    func recordNanoseconds(_ duration: Int64) { print("metric \(name) \(duration / 1_000) µs") }
    func reset() {}
}
// snippet.end

// snippet.tracer
/// Prints each span when it ends, and sends its number to the next process.
final class ConsoleTracer: Tracer {
    private let lastID = Atomic(0)

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> ConsoleSpan {
        ConsoleSpan(operationName, id: lastID.wrappingAdd(1, ordering: .relaxed).newValue, in: context())
    }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let id = context.spanID else { return }
        injector.inject("\(id)", forKey: "x-parent-span", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context.spanID = extractor.extract(key: "x-parent-span", from: carrier).flatMap { Int($0) }
    }

    func forceFlush() {}
}

final class ConsoleSpan: Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var notes = ""
    }

    let context: ServiceContext
    let isRecording = true
    private let id: Int
    private let parent: Int?
    private let state: Mutex<State>

    init(_ name: String, id: Int, in parent: ServiceContext) {
        self.id = id
        self.parent = parent.spanID
        var context = parent
        context.spanID = id
        self.context = context
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

    func setStatus(_ status: SpanStatus) { state.withLock { $0.notes += " [\(status.code)]" } }
    func addEvent(_ event: SpanEvent) {}
    func addLink(_ link: SpanLink) {}

    func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {
        state.withLock { $0.notes += " error: \(error)" }
    }

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let (name, attributes, notes) = state.withLock { ($0.name, $0.attributes, $0.notes) }
        var texts: [String] = []
        attributes.forEach { key, value in
            switch value {
            case .string(let text): texts.append("\(key)=\(text)")
            case .int64(let number): texts.append("\(key)=\(number)")
            default: texts.append("\(key)=\(value)")
            }
        }
        let place = "span \(id)" + (parent.map { " in \($0)" } ?? "")
        print("\(place): \(name) {\(texts.sorted().joined(separator: ", "))}\(notes)")
    }
}

extension ServiceContext {
    fileprivate var spanID: Int? {
        get { self[SpanIDKey.self] }
        set { self[SpanIDKey.self] = newValue }
    }
}

private enum SpanIDKey: ServiceContextKey {
    typealias Value = Int
}
// snippet.end

// MARK: The program

// snippet.bootstrap
LoggingSystem.bootstrap { label in StreamLogHandler.standardOutput(label: label) }
MetricsSystem.bootstrap(ConsoleMetrics())
InstrumentationSystem.bootstrap(ConsoleTracer())
// snippet.end

// snippet.server
func makeRouter() throws -> Router<BasicRequestContext> {
    let dispatcher = try StandardDispatcher {
        LoadNoteHandler()
        RemoveNoteHandler()
    }
    let router = Router()
    router.add(middleware: TracingMiddleware())
    router.add(middleware: RequestMeasuringMiddleware())
    router.add(middleware: RequestLoggingMiddleware(.info))
    try router.mount(notesAPI, dispatcher.measuring().tracing())
    return router
}
// snippet.end

// snippet.client
func makeNotes(_ network: any HTTPClient) throws -> any Dispatcher {
    let client =
        network
        .measuring()
        .tracing()
        .retrying()
        .deadline(.seconds(10))
        .logging { print($0) }
    let remote = try HTTPDispatcher(notesAPI, baseURL: BaseURL("http://localhost"), client: client)
    let logger = Logger(label: "client")
    let notes = remote.logging(to: logger, level: .info).measuring().tracing()
    return notes
}
// snippet.end

let network = RouterHTTPClient(try makeRouter(), logger: Logger(label: "server"))
let notes = try makeNotes(network)

// snippet.use
func useNotes() async throws {
    let note = try await notes.dispatch(LoadNote(id: 7))
    do {
        try await notes.dispatch(RemoveNote(id: note.id))
    } catch let error as NoteLocked {
        print(error)
    }
}
// snippet.end
try await useNotes()

// snippet.cache
func loadCached() async throws {
    let cache = try QueryCache(in: .memory(limit: .entries(1_000))) { Cache(LoadNote.self, .maxAge(.seconds(60))) }
    let cached = notes.caching(with: cache)
    let reporter = Task { await cache.reportMetrics(every: .seconds(10)) }
    for _ in 1...3 { _ = try await cached.dispatch(LoadNote(id: 7)) }
    reporter.cancel()
    await reporter.value
}
// snippet.end
print("---")
try await loadCached()
