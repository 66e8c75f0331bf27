import Duet
import DuetHTTP
import DuetTesting
import Foundation
import Observation
import Testing

/// A screen on the main actor.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct NotesModelTests {
    private let spy = SpyDispatcher()
    private let milk = Note(id: UUID(), title: "Milk")

    @Test func `a loaded list is shown and observed`() async {
        let model = NotesModel(dispatcher: spy)
        let changed = Gate()
        spy.stub(ListNotes.self, returning: [milk])
        withObservationTracking {
            _ = model.notes
        } onChange: {
            changed.open()
        }
        await model.load("milk")
        #expect(model.notes == [milk])
        #expect(changed.isOpen)
        #expect(spy.messages(of: ListNotes.self) == [ListNotes(searchText: "milk")])
    }

    @Test func `a closed screen cancels its load, which is not a failure`() async {
        let model = NotesModel(dispatcher: spy)
        let gate = Gate()
        spy.stub(ListNotes.self) { _ in
            try await gate.pass()
            return []
        }
        let loading = Task { await model.load() }
        await gate.arrivals(1)
        #expect(model.isLoading)
        loading.cancel()
        await loading.value
        #expect(!model.isLoading)
        #expect(model.failure == nil)
    }

    @Test func `a spinner of the main actor turns while a message is under way`() async throws {
        let gate = Gate()
        let spinner = Spinner()
        spy.stub(ListNotes.self) { [milk] _ in
            try await gate.pass()
            return [milk]
        }
        let notes = spy.intercepting(ListNotes.self, spinner.spin)
        let loading = Task { try await notes.dispatch(ListNotes()) }
        await gate.arrivals(1)
        #expect(spinner.isTurning)
        gate.open()
        #expect(try await loading.value == [milk])
        #expect(!spinner.isTurning)
    }
}
