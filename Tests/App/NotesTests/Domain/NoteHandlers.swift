import DuetMacros
import Foundation

/// Keeps notes in the order in which they were added.
actor NoteStore {
    private(set) var notes: [Note] = []

    func add(_ note: Note) { notes.append(note) }

    func rename(_ id: UUID, to title: String) throws {
        guard let index = notes.firstIndex(where: { $0.id == id }) else { throw NoteNotFound(id: id) }
        notes[index].title = title
    }
}

@Resolvable
struct AddNoteHandler: CommandHandler {
    let store: NoteStore

    func handle(_ command: AddNote) async throws {
        await store.add(Note(id: command.id, title: command.title))
    }
}

@Resolvable
struct RenameNoteHandler: CommandHandler {
    let store: NoteStore

    func handle(_ command: RenameNote) async throws {
        try await store.rename(command.id, to: command.title)
    }
}

@Resolvable
struct ImportNotesHandler: CommandHandler {
    let dispatcher: any CommandDispatcher

    func handle(_ command: ImportNotes) async throws {
        for note in command.notes { try await dispatcher.dispatch(note) }
    }
}

@Resolvable
struct ListNotesHandler: QueryHandler {
    let store: NoteStore

    func handle(_ query: ListNotes) async throws -> [Note] {
        let text = query.searchText ?? ""
        let found = await store.notes.filter { text.isEmpty || $0.title.localizedCaseInsensitiveContains(text) }
        return Array(found.prefix(query.limit))
    }
}
