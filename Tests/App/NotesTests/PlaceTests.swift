import Duet
import Foundation
import Testing

/// The same program in every place where its messages can be handled.
@Suite(.timeLimit(.minutes(5)))
struct PlaceTests {
    private enum Renaming: Equatable {
        case renamed
        case untitled
        case missing(UUID)
    }

    private let milk = AddNote(id: UUID(), title: "Milk")
    private let bread = AddNote(id: UUID(), title: "Rye bread")

    /// Renames a note as a screen does, which does not know where the command is handled.
    private func rename(_ id: UUID, to title: String, with notes: any CommandDispatcher) async throws -> Renaming {
        do {
            try await notes.dispatch(RenameNote(id: id, title: title))
            return .renamed
        } catch is EmptyTitle {
            return .untitled
        } catch let error as NoteNotFound {
            return .missing(error.id)
        }
    }

    @Test(arguments: Place.allCases)
    func `one caller catches the errors of validation and of handlers by their types`(place: Place) async throws {
        let outcomes = try await place.run { notes in
            try await notes.dispatch(milk)
            return [
                try await rename(milk.id, to: "Oat milk", with: notes),
                try await rename(milk.id, to: " ", with: notes),
                try await rename(bread.id, to: "Bread", with: notes),
            ]
        }
        #expect(outcomes == [.renamed, .untitled, .missing(bread.id)])
    }

    @Test(arguments: Place.allCases)
    func `queries return what commands have done`(place: Place) async throws {
        let oat = Note(id: milk.id, title: "Oat milk")
        try await place.run { notes in
            for note in [milk, bread] { try await notes.dispatch(note) }
            try await notes.dispatch(RenameNote(id: oat.id, title: oat.title))
            #expect(try await notes.dispatch(ListNotes(searchText: "MILK")) == [oat])
            #expect(try await notes.dispatch(ListNotes(limit: 1)) == [oat])
            #expect(try await notes.dispatch(ListNotes()).map(\.id) == [milk.id, bread.id])
        }
    }

    @Test(arguments: Place.allCases)
    func `each handled command is audited with its principal`(place: Place) async throws {
        let trail = InMemoryAuditTrail()
        try await place.run(audit: trail) { notes in
            try await notes.dispatch(milk)
            await #expect(throws: EmptyTitle()) { try await notes.dispatch(AddNote(id: bread.id, title: "")) }
            await #expect(throws: NoteNotFound(id: bread.id)) {
                try await notes.dispatch(RenameNote(id: bread.id, title: "Bread"))
            }
            _ = try await notes.dispatch(ListNotes())
        }
        #expect(await trail.lines == ["ada: NotesTests.AddNote", "ada: NotesTests.RenameNote failed"])
    }
}
