import Duet
import DuetDependencies
import DuetTesting
import Synchronization

/// Suspends until what a view would show has changed, or the time of the test is up.
@MainActor
func until(_ isShown: () -> Bool) async {
    while !isShown(), !Task.isCancelled { await Task.yield() }
}

/// The model of a screen, which a view creates and ends with its scope.
final class Cart: Disposable {
    let ended = Gate()

    func dispose() async { ended.open() }
}

/// A value that belongs to the main actor, like a `ModelContext`.
final class Ledger {
    var entries: [String] = []
}

/// A value that is neither `Sendable` nor shared.
final class Draft {
    var text = ""
}

@MainActor
final class Counter {
    private(set) var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

struct NoConnection: Error {}

struct ListNotes: Query, Hashable {
    typealias Value = [String]

    var text = ""
}

struct AddNote: Command, Equatable {
    let text: String
}

actor Notebook {
    private(set) var notes = ["Milk"]
    private var failure: (any Error)?

    func fail(with failure: (any Error)?) { self.failure = failure }

    func add(_ text: String) { notes.append(text) }

    func list(_ query: ListNotes) throws -> [String] {
        if let failure { throw failure }
        return notes.filter { query.text.isEmpty || $0.contains(query.text) }
    }
}

struct ListNotesHandler: QueryHandler {
    let notebook: Notebook

    func handle(_ query: ListNotes) async throws -> [String] { try await notebook.list(query) }
}

struct AddNoteHandler: CommandHandler {
    let notebook: Notebook

    func handle(_ command: AddNote) async throws { await notebook.add(command.text) }
}

/// Registers handlers of a notebook.
struct NotesModule: ContainerModule {
    var notebook = Notebook()

    func register(in builder: ContainerBuilder) {
        builder.singleton { notebook }
        builder.transient { (notebook: Notebook) in ListNotesHandler(notebook: notebook) }
        builder.transient { (notebook: Notebook) in AddNoteHandler(notebook: notebook) }
        builder.handlers {
            ListNotesHandler.self
            AddNoteHandler.self
        }
    }
}
