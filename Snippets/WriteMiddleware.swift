//! Built-in and custom layers: their order, one type of message, observed values, state, a container, tests.

// snippet.imports
import Duet
import DuetCaching
import DuetDependencies
import DuetTesting
import Synchronization
import Testing

// snippet.end

// snippet.messages
struct AddNote: Command, Validatable {
    let text: String

    func validate() throws {
        if text.isEmpty { throw EmptyNote() }
    }
}

struct EmptyNote: Error {}

struct ListNotes: Query, Hashable {
    typealias Value = [String]

    let text: String
}

let notes = MessageAPI("notes") {
    AddNote.authorized(.open)
    ListNotes.authorized(.open)
}
// snippet.end

struct ImportNotes: Command {
    let texts: [String]
}

// snippet.order
/// Puts layers around handlers, the innermost first.
func makeNotes(_ handlers: some Dispatcher) throws -> any Dispatcher {
    try handlers
        // Each attempt has the limit.
        .timeout(.seconds(2))
        .retrying(RetryPolicy(maximumAttempts: 3))
        // Concurrent callers share one load with its attempts.
        .caching(in: .memory(limit: .entries(1_000))) {
            Cache(ListNotes.self, .maxAge(.minutes(5)))
            Invalidate(ListNotes.self, after: AddNote.self)
        }
        // A cached value is redacted, too.
        .withoutPrivateNotes()
        // A refused message reaches nothing above.
        .authorizing(notes)
        // One line for each message, also for a refused one.
        .logging { event in print(event.message, event.error ?? "succeeded") }
}
// snippet.end

// snippet.redact
extension Dispatcher {
    /// Leaves private notes out of each list, also out of observed ones.
    func withoutPrivateNotes() -> some Dispatcher {
        intercepting(ListNotes.self) { query, next in
            try await next.dispatch(query).filter { note in !note.hasPrefix("Private") }
        }
    }
}
// snippet.end

struct AddNoteHandler: CommandHandler {
    func handle(_ command: AddNote) async throws { print("Added \(command.text).") }
}

struct ImportNotesHandler: CommandHandler {
    let dispatcher: any Dispatcher

    func handle(_ command: ImportNotes) async throws {
        for text in command.texts { try await dispatcher.dispatch(AddNote(text: text)) }
    }
}

// snippet.counter
/// Counts messages by their names.
final class MessageCounter: Middleware {
    private let counts = Mutex<[String: Int]>([:])

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        counts.withLock { $0[M.messageName, default: 0] += 1 }
        return try await next.dispatch(message)
    }

    func count(of name: String) -> Int { counts.withLock { $0[name] ?? 0 } }
}
// snippet.end

// snippet.audit
protocol AuditTrail: Sendable {
    func append(_ line: String) async throws
}

/// Records each command before it is handled; a command that cannot be recorded is not handled.
struct AuditLog: Middleware {
    let trail: any AuditTrail

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        if M.self is any Command.Type { try await trail.append(M.messageName) }
        return try await next.dispatch(message)
    }
}

actor InMemoryAuditTrail: AuditTrail {
    private(set) var lines: [String] = []

    func append(_ line: String) { lines.append(line) }
}
// snippet.end

// snippet.after
extension Dispatcher {
    /// Prints each note with the outcome of its command.
    func announcing() -> some Dispatcher {
        after(AddNote.self) { command, outcome in print(command.text, outcome) }
    }
}
// snippet.end

// snippet.spinner
/// Counts the loads that a screen waits for.
@MainActor
final class Spinner {
    private(set) var running = 0

    func spin(_ query: ListNotes, _ next: any Dispatcher) async throws -> [String] {
        running += 1
        defer { running -= 1 }
        return try await next.dispatch(query)
    }
}

extension Dispatcher {
    /// Shows a spinner while notes are loaded.
    func showing(_ spinner: Spinner) -> some Dispatcher {
        intercepting(ListNotes.self) { query, next in try await spinner.spin(query, next) }
    }
}
// snippet.end

// snippet.container
func makeContainer(trail: any AuditTrail) throws -> Container {
    let builder = ContainerBuilder()
    builder.singleton((any AuditTrail).self) { trail }
    builder.transient { AddNoteHandler() }
    builder.transient { (dispatcher: any Dispatcher) in ImportNotesHandler(dispatcher: dispatcher) }
    builder.handlers {
        AddNoteHandler.self
        ImportNotesHandler.self
    }
    builder.middleware { (trail: any AuditTrail) in AuditLog(trail: trail) }
    return try builder.build()
}
// snippet.end

// snippet.test
@Test
func `only commands are recorded`() async throws {
    let spy = SpyDispatcher()
    spy.stub(AddNote.self)
    spy.stub(ListNotes.self, returning: ["Milk"])
    let trail = InMemoryAuditTrail()
    let dispatcher = spy.with(AuditLog(trail: trail))

    try await dispatcher.dispatch(AddNote(text: "Milk"))
    let notes = try await dispatcher.dispatch(ListNotes(text: ""))

    #expect(await trail.lines == [AddNote.messageName])
    #expect(notes == ["Milk"])
    #expect(spy.messageNames == [AddNote.messageName, ListNotes.messageName])
}
// snippet.end

// snippet.attempts
struct Offline: Error {}

@Test
func `retry repeats the layers inside it`() async throws {
    let spy = SpyDispatcher()
    spy.stub(ListNotes.self, throwing: Offline())
    let dispatches = MessageCounter()
    let attempts = MessageCounter()
    let dispatcher =
        spy
        .with(attempts)
        .retrying(RetryPolicy(maximumAttempts: 2, backoff: .constant(.zero)))
        .with(dispatches)

    _ = try? await dispatcher.dispatch(ListNotes(text: ""))

    #expect(dispatches.count(of: ListNotes.messageName) == 1)
    #expect(attempts.count(of: ListNotes.messageName) == 2)
}
// snippet.end

// snippet.updates
@Test
func `a screen shows no private notes`() async throws {
    let spy = SpyDispatcher()
    spy.stub(ListNotes.self, returning: ["Milk"], ["Milk", "Private: diary", "Bread"])
    spy.stub(AddNote.self)
    let dispatcher = try makeNotes(spy)

    var screen: [[String]] = []
    for try await notes in dispatcher.observe(ListNotes(text: "")).values {
        screen.append(notes)
        if screen.count == 2 { break }
        try await dispatcher.dispatch(AddNote(text: "Bread"))
    }

    #expect(screen == [["Milk"], ["Milk", "Bread"]])
}
// snippet.end

@MainActor
func testThatTheSpinnerRunsWhileNotesAreLoaded() async throws {
    let gate = Gate()
    let spy = SpyDispatcher()
    spy.stub(ListNotes.self) { _ in
        try await gate.pass()
        return []
    }
    let spinner = Spinner()
    let dispatcher = spy.showing(spinner)

    let load = Task { try await dispatcher.dispatch(ListNotes(text: "")) }
    await gate.arrivals(1)
    precondition(spinner.running == 1)

    gate.open()
    _ = try await load.value
    precondition(spinner.running == 0)
}

func testThatMessagesOfHandlersAreRecorded() async throws {
    let trail = InMemoryAuditTrail()
    let container = try makeContainer(trail: trail)

    try await container.dispatcher.dispatch(ImportNotes(texts: ["Milk", "Bread"]))

    let lines = await trail.lines
    precondition(lines == [ImportNotes.messageName, AddNote.messageName, AddNote.messageName])
}

func testThatInvalidCommandsAreNotHandled() async throws {
    let spy = SpyDispatcher()
    spy.stub(AddNote.self)

    let dispatcher = try makeNotes(spy.announcing())

    try await dispatcher.dispatch(AddNote(text: "Milk"))
    do {
        try await dispatcher.dispatch(AddNote(text: ""))
        preconditionFailure("An empty note was added.")
    } catch is EmptyNote {}

    precondition(spy.messages(of: AddNote.self).map(\.text) == ["Milk"])
}

try await testThatInvalidCommandsAreNotHandled()
// Runs the tests above. An expectation that fails outside of a test run is not noticed.
var testArguments = __CommandLineArguments_v0()
testArguments.quiet = true
let status: CInt = await Testing.__swiftPMEntryPoint(passing: testArguments)
precondition(status == 0)
try await testThatTheSpinnerRunsWhileNotesAreLoaded()
try await testThatMessagesOfHandlersAreRecorded()
print("The middleware works.")
