import Duet
import DuetContext
import DuetHTTP
import DuetTesting
import Foundation
import ServiceContextModule
import Synchronization

/// Handles all messages, and records them.
final class Notebook: Dispatcher {
    private struct State {
        var notes: [Int: Note] = [:]
        var picture = HTTPBytes(Data("GIF89a".utf8), mediaType: "image/gif")
        var dispatched: [String] = []
    }

    private let state = Mutex(State())
    let gate = Gate()
    /// The messages that arrived at the gate, and how those that had to wait ended.
    let (events, event) = AsyncStream.makeStream(of: String.self)

    /// The names of the messages, in the order in which they came.
    var dispatched: [String] { state.withLock { $0.dispatched } }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value { try await handlers().dispatch(message) }

    private func handlers() throws -> StandardDispatcher {
        try StandardDispatcher {
            Handler<GetNote, Note> { [self] query in try note(query.id) }
            Handler<FindNotes, [Note]> { [self] query in find(query.searchText) }
            Handler<WhoAmI, WhoAmI.Value> { [self] _ in me() }
            Handler<GetPicture, HTTPBytes> { [self] _ in log("GetPicture") { $0.picture } }
            Handler<Fail, Note> { _ in throw Inside() }
            Handler<Wait, Note> { [self] _ in try await wait() }
            CommandDo<AddNote> { [self] in add($0.note) }
            CommandDo<RemoveNote> { [self] in try remove($0.id) }
            CommandDo<PutPicture> { [self] command in log("PutPicture") { $0.picture = command.body } }
            CommandDo<Secret> { [self] _ in log("Secret") { _ in } }
        }
    }

    private func log<Value>(_ name: String, _ change: (inout State) throws -> Value) rethrows -> Value {
        try state.withLock { state in
            state.dispatched.append(name)
            return try change(&state)
        }
    }

    private func note(_ id: Int) throws -> Note {
        try log("GetNote") { state in
            guard let note = state.notes[id] else { throw NoteMissing(id: id) }
            return note
        }
    }

    private func find(_ text: String?) -> [Note] {
        log("FindNotes") { state in
            state.notes.values.filter { text == nil || $0.text.contains(text ?? "") }.sorted { $0.id < $1.id }
        }
    }

    private func add(_ note: Note) { log("AddNote") { $0.notes[note.id] = note } }

    private func remove(_ id: Int) throws {
        try log("RemoveNote") { state in
            guard state.notes.removeValue(forKey: id) != nil else { throw NoteMissing(id: id) }
        }
    }

    private func me() -> WhoAmI.Value {
        let context = ServiceContext.current
        return log("WhoAmI") { _ in
            WhoAmI.Value(
                id: Principal.current?.id,
                scopes: Principal.current?.scopes.sorted() ?? [],
                key: context?.idempotencyKey,
                hasDeadline: context?.deadline != nil
            )
        }
    }

    private func wait() async throws -> Note {
        event.yield("waiting")
        do {
            try await gate.pass()
        } catch {
            event.yield("canceled")
            throw error
        }
        event.yield("passed")
        return Note(id: 0, text: "passed")
    }
}

/// An error that must not reach clients.
struct Inside: Error, CustomStringConvertible {
    var description: String { "password=hunter2" }
}

private struct Handler<Message: Query, Value>: QueryHandler where Message.Value == Value {
    let answer: @Sendable @concurrent (Message) async throws -> Value

    func handle(_ query: Message) async throws -> Value { try await answer(query) }
}

private struct CommandDo<Message: Command>: CommandHandler {
    let action: @Sendable @concurrent (Message) async throws -> Void

    func handle(_ command: Message) async throws { try await action(command) }
}
