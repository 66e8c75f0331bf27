//! Where a dispatch runs: callers, handlers, middleware with helpers, timeouts, and cancellation.

import Duet
import DuetDependencies
import DuetMacros
import DuetTesting

// snippet.messages
struct ListNotes: Query {
    typealias Value = [String]
}

struct OpenDraft: Query {
    typealias Value = Draft
}

struct ImportNotes: Command {
    let texts: [String]
}

struct WhereAmI: Query {
    typealias Value = Bool
}

/// Not `Sendable`.
final class Draft {
    var text = ""
}
// snippet.end

// snippet.caller
struct WhereAmIHandler: QueryHandler {
    func handle(_ query: WhereAmI) async throws -> Bool { #isolation === MainActor.shared }
}

@MainActor
func isHandledOnMainActor(by dispatcher: any Dispatcher) async throws -> Bool {
    try await dispatcher.dispatch(WhereAmI())
}
// snippet.end

// snippet.mainactor
@MainActor
final class Editor {
    var text = ""
}

@MainActor
final class OpenDraftHandler: QueryHandler {
    let editor: Editor

    init(editor: Editor) { self.editor = editor }

    @MainActor
    func handle(_ query: OpenDraft) async throws -> sending Draft {
        let draft = Draft()
        draft.text = editor.text
        return draft
    }
}
// snippet.end

// snippet.ledger
/// Not `Sendable`, such as a `ModelContext` of SwiftData.
final class Ledger {
    var entries: [String] = []
}

struct AddEntry: Command {
    let text: String
}
// snippet.end

// snippet.mainactorvalue
@Resolvable
struct AddEntryHandler: CommandHandler {
    let ledger: MainActorValue<Ledger>

    @MainActor
    func handle(_ command: AddEntry) async throws {
        ledger.value.entries.append(command.text)
    }
}
// snippet.end

// snippet.boxed
@MainActor
func makeContainer(keeping ledger: Ledger) throws -> Container {
    let builder = ContainerBuilder()
    builder.singleton { @MainActor in MainActorValue(ledger) }
    builder.handlers { AddEntryHandler.self }
    return try builder.build()
}
// snippet.end

// snippet.actor
actor Library: QueryHandler {
    private var notes = ["Milk"]

    func handle(_ query: ListNotes) async throws -> [String] { notes }
}
// snippet.end

// snippet.concurrent
struct ImportNotesHandler: CommandHandler {
    func handle(_ command: ImportNotes) async throws {
        let words = await countWords(in: command.texts)
        print("\(words) words")
    }

    @concurrent
    private func countWords(in texts: [String]) async -> Int {
        texts.reduce(0) { $0 + $1.split(separator: " ").count }
    }
}
// snippet.end

// snippet.helper
struct Measured: Middleware {
    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        try await measure(M.messageName) { try await next.dispatch(message) }
    }

    nonisolated(nonsending)
        private func measure<R>(
            _ name: String,
            _ operation: nonisolated(nonsending) () async throws -> R
        ) async throws -> R
    {
        let start = ContinuousClock.now
        defer { print(name, "took less than a minute:", ContinuousClock.now - start < .seconds(60)) }
        return try await operation()
    }
}
// snippet.end

// snippet.parallel
func load(with dispatcher: any Dispatcher) async throws -> [String] {
    async let first = dispatcher.dispatch(ListNotes())
    async let second = dispatcher.dispatch(ListNotes())
    return try await first + second
}
// snippet.end

// snippet.slow
struct SlowHandler: CommandHandler {
    let gate: Gate

    func handle(_ command: ImportNotes) async throws { try await gate.pass() }
}
// snippet.end

// snippet.timeout
func runOutOfTime() async throws {
    let slow = try StandardDispatcher { SlowHandler(gate: Gate()) }.timeout(.milliseconds(50))
    do {
        try await slow.dispatch(ImportNotes(texts: []))
    } catch DispatchError.timedOut(let message, let limit) {
        print(message, "took longer than", limit)
    }
}
// snippet.end

// snippet.cancel
func cancelADispatch() async throws {
    let gate = Gate()
    let dispatcher = try StandardDispatcher { SlowHandler(gate: gate) }
    let task = Task { try await dispatcher.dispatch(ImportNotes(texts: [])) }
    await gate.arrivals(1)
    task.cancel()
    do {
        try await task.value
    } catch is CancellationError {
        print("The import was canceled.")
    }
}
// snippet.end

@MainActor
func run() async throws {
    let editor = Editor()
    editor.text = "Dear diary"
    let dispatcher = try StandardDispatcher {
        WhereAmIHandler()
        OpenDraftHandler(editor: editor)
        Library()
        ImportNotesHandler()
    }
    .with(Measured())

    let isOnMainActor = try await isHandledOnMainActor(by: dispatcher)
    precondition(isOnMainActor)
    let isAwayFromMainActor = try await !isHandledOnMainActor(by: dispatcher.timeout(.seconds(60)))
    precondition(isAwayFromMainActor)

    let draft = try await dispatcher.dispatch(OpenDraft())
    draft.text += "!"
    precondition(draft.text == "Dear diary!")
    let notes = try await load(with: dispatcher)
    precondition(notes == ["Milk", "Milk"])
    try await dispatcher.dispatch(ImportNotes(texts: ["Rye bread"]))
    try await runOutOfTime()
    try await cancelADispatch()
}

try await run()

let ledger = Ledger()
let books = try makeContainer(keeping: ledger)
try await books.dispatcher.dispatch(AddEntry(text: "Milk"))
precondition(ledger.entries == ["Milk"])
