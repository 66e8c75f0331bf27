//! Built-in and custom middleware: for all messages, for one type of message, with state, from a container, in tests.

// snippet.imports
import Duet
import DuetDependencies
import DuetTesting
import Synchronization
import Testing

// snippet.end

// snippet.validatable
struct AddNote: Command, Validatable {
    let text: String

    func validate() throws {
        if text.isEmpty { throw EmptyNote() }
    }
}

struct EmptyNote: Error {}
// snippet.end

struct ImportNotes: Command {
    let texts: [String]
}

// snippet.query
struct ListNotes: Query, Hashable {
    typealias Value = [String]

    let text: String
}
// snippet.end

// snippet.builtin
extension Dispatcher {
    /// Logs, validates, retries, and limits the time of each attempt.
    func hardened() -> any Dispatcher {
        with(
            .logging { event in print(event.message, event.error ?? "succeeded") },
            .validation,
            .retry(RetryPolicy(maximumAttempts: 3)),
            .timeout(.seconds(2))
        )
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

// snippet.cache
/// Stores the notes of each query until they change.
actor NotesCache {
    private var stored: [ListNotes: [String]] = [:]
    private(set) var epoch = 0

    func notes(for query: ListNotes) -> [String]? { stored[query] }

    /// Stores notes, unless the cache was cleared after their epoch was read.
    func store(_ notes: [String], for query: ListNotes, epoch: Int) {
        if epoch == self.epoch { stored[query] = notes }
    }

    func clear() {
        stored = [:]
        epoch += 1
    }
}

extension Dispatcher {
    /// Returns cached notes until a note is added.
    func caching(in cache: NotesCache) -> any Dispatcher {
        with(
            .intercepting(ListNotes.self) { query, next in
                if let notes = await cache.notes(for: query) { return notes }
                let epoch = await cache.epoch
                let notes = try await next.dispatch(query)
                await cache.store(notes, for: query, epoch: epoch)
                return notes
            },
            .after(AddNote.self) { _, _ in await cache.clear() }
        )
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
    func showing(_ spinner: Spinner) -> any Dispatcher {
        with(.intercepting(ListNotes.self) { query, next in try await spinner.spin(query, next) })
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

// snippet.order
struct Offline: Error {}

@Test
func `retry repeats the layers inside it`() async throws {
    let spy = SpyDispatcher()
    spy.stub(ListNotes.self, throwing: Offline())
    let dispatches = MessageCounter()
    let attempts = MessageCounter()
    let dispatcher = spy.with(
        dispatches,
        .retry(RetryPolicy(maximumAttempts: 2, backoff: .constant(.zero))),
        attempts
    )

    _ = try? await dispatcher.dispatch(ListNotes(text: ""))

    #expect(dispatches.count(of: ListNotes.messageName) == 1)
    #expect(attempts.count(of: ListNotes.messageName) == 2)
}
// snippet.end

// snippet.late
@Test
func `a late value is not cached`() async throws {
    let gate = Gate()
    let spy = SpyDispatcher()
    spy.stub(ListNotes.self) { _ in
        try await gate.pass()
        return ["Milk"]
    }
    spy.stub(AddNote.self)
    let dispatcher = spy.caching(in: NotesCache())

    let early = Task { try await dispatcher.dispatch(ListNotes(text: "")) }
    await gate.arrivals(1)
    try await dispatcher.dispatch(AddNote(text: "Bread"))
    gate.open()
    _ = try await early.value

    _ = try await dispatcher.dispatch(ListNotes(text: ""))
    #expect(spy.messages(of: ListNotes.self).count == 2)
}
// snippet.end

func testThatACachedValueIsReturnedUntilACommand() async throws {
    let spy = SpyDispatcher()
    spy.stub(ListNotes.self, returning: ["Milk"], ["Milk", "Bread"])
    spy.stub(AddNote.self)
    let dispatcher = spy.caching(in: NotesCache())

    for _ in 1...3 {
        let notes = try await dispatcher.dispatch(ListNotes(text: ""))
        precondition(notes == ["Milk"])
    }
    try await dispatcher.dispatch(AddNote(text: "Bread"))
    let notes = try await dispatcher.dispatch(ListNotes(text: ""))
    precondition(notes == ["Milk", "Bread"])
    precondition(spy.messages(of: ListNotes.self).count == 2)
}

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

    try await spy.hardened().dispatch(AddNote(text: "Milk"))
    do {
        try await spy.hardened().dispatch(AddNote(text: ""))
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
try await testThatACachedValueIsReturnedUntilACommand()
try await testThatTheSpinnerRunsWhileNotesAreLoaded()
try await testThatMessagesOfHandlersAreRecorded()
print("The middleware works.")
