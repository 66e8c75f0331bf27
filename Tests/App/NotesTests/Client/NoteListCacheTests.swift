import Duet
import DuetTesting
import Foundation
import Testing

/// A cache that is an ordinary actor, in front of any dispatcher.
@Suite(.timeLimit(.minutes(5)))
struct NoteListCacheTests {
    private struct Offline: Error, Equatable {}

    private let spy = SpyDispatcher()
    private let milk = Note(id: UUID(), title: "Milk")
    private let notes: any Dispatcher

    init() {
        spy.stub(ListNotes.self, returning: [], [milk])
        notes = spy.cachingLists(in: NoteListCache())
    }

    @Test func `a list is requested once, until a command ends`() async throws {
        let add = AddNote(id: milk.id, title: milk.title)
        for _ in 1...3 { #expect(try await notes.dispatch(ListNotes()) == []) }
        #expect(spy.messages.count == 1)
        spy.stub(AddNote.self)
        try await notes.dispatch(add)
        for _ in 1...3 { #expect(try await notes.dispatch(ListNotes()) == [milk]) }
        #expect(spy.messages.count == 3)
        spy.stub(AddNote.self, throwing: Offline())
        await #expect(throws: Offline()) { try await notes.dispatch(add) }
        #expect(try await notes.dispatch(ListNotes()) == [milk])
        #expect(spy.messages.count == 5)
    }

    @Test func `a list that was requested before a command is not kept after it`() async throws {
        let gate = Gate()
        spy.stub(AddNote.self)
        spy.stub(ListNotes.self) { _ in
            try await gate.pass()
            return []
        }
        let early = Task { [notes] in try await notes.dispatch(ListNotes()) }
        await gate.arrivals(1)
        try await notes.dispatch(AddNote(id: milk.id, title: milk.title))
        gate.open()
        #expect(try await early.value == [])
        spy.stub(ListNotes.self, returning: [milk])
        #expect(try await notes.dispatch(ListNotes()) == [milk])
    }
}
