import Duet
import DuetTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SpyDispatcherTests {
    private let spy = SpyDispatcher()

    @Test
    func `messages are recorded in the order of their dispatches`() async throws {
        spy.stub(LoadNotes.self) { _ in [] }
        spy.stub(AddNote.self)
        _ = try await spy.dispatch(LoadNotes(after: 1))
        try await spy.dispatch(AddNote(text: "first"))
        _ = try await spy.dispatch(LoadNotes(after: 2))
        try await spy.dispatch(AddNote(text: "second"))
        #expect(spy.messageNames == [LoadNotes.messageName, "add-note", LoadNotes.messageName, "add-note"])
        #expect(spy.messages(of: AddNote.self) == [AddNote(text: "first"), AddNote(text: "second")])
        #expect(spy.messages(of: LoadNotes.self) == [LoadNotes(after: 1), LoadNotes(after: 2)])
        #expect(spy.messages.map { "\(type(of: $0))" } == ["LoadNotes", "AddNote", "LoadNotes", "AddNote"])
    }

    @Test
    func `a new spy has no messages`() {
        #expect(spy.messages.isEmpty)
        #expect(spy.messageNames == [])
        #expect(spy.messages(of: AddNote.self) == [])
    }

    @Test
    func `a stub receives its query and returns the value`() async throws {
        spy.stub(LoadNotes.self) { query in ["after \(query.after)"] }
        #expect(try await spy.dispatch(LoadNotes(after: 7)) == ["after 7"])
    }

    @Test
    func `values are returned one after the other, and then the last one repeatedly`() async throws {
        spy.stub(LoadNotes.self, returning: ["one"], ["two"], ["three"])
        var answers: [[String]] = []
        for after in 0..<5 { answers.append(try await spy.dispatch(LoadNotes(after: after))) }
        #expect(answers == [["one"], ["two"], ["three"], ["three"], ["three"]])
    }

    @Test
    func `a single value is returned each time`() async throws {
        spy.stub(LoadNotes.self, returning: ["one"])
        #expect(try await spy.dispatch(LoadNotes(after: 0)) == ["one"])
        #expect(try await spy.dispatch(LoadNotes(after: 0)) == ["one"])
    }

    @Test
    func `a stub receives and handles its command`() async throws {
        let spy = spy
        spy.stub(LoadNotes.self) { _ in [] }
        // A stub may use the spy, because nothing is locked while it runs.
        spy.stub(AddNote.self) { command in
            spy.stub(LoadNotes.self, returning: [command.text])
        }
        try await spy.dispatch(AddNote(text: "kept"))
        #expect(try await spy.dispatch(LoadNotes(after: 0)) == ["kept"])
    }

    @Test
    func `a stub throws the error of the test, and the message is recorded`() async throws {
        spy.stub(LoadNotes.self, throwing: Offline())
        spy.stub(AddNote.self, throwing: Offline())
        await #expect(throws: Offline()) { try await spy.dispatch(LoadNotes(after: 0)) }
        await #expect(throws: Offline()) { try await spy.dispatch(AddNote(text: "")) }
        spy.stub(LoadNotes.self) { query in
            if query.after == 1 { throw Offline() }
            return []
        }
        await #expect(throws: Offline()) { try await spy.dispatch(LoadNotes(after: 1)) }
        #expect(try await spy.dispatch(LoadNotes(after: 2)) == [])
        #expect(spy.messageNames.count == 4)
    }

    @Test
    func `a later stub replaces an earlier one`() async throws {
        spy.stub(LoadNotes.self, throwing: Offline())
        spy.stub(LoadNotes.self, returning: ["old"])
        spy.stub(LoadNotes.self) { _ in ["new"] }
        #expect(try await spy.dispatch(LoadNotes(after: 0)) == ["new"])
        spy.stub(AddNote.self, throwing: Offline())
        spy.stub(AddNote.self)
        try await spy.dispatch(AddNote(text: ""))
    }

    @Test
    func `the error of a query without a stub names the line to add`() async throws {
        let error = await #expect(throws: UnstubbedMessage.self) { try await spy.dispatch(LoadNotes(after: 3)) }
        #expect(error?.message == "DuetTestingTests.LoadNotes")
        let text = "No stub for DuetTestingTests.LoadNotes. Return a value: spy.stub(LoadNotes.self) { … }"
        #expect(error.map { "\($0)" } == text)
        #expect(spy.messages(of: LoadNotes.self) == [LoadNotes(after: 3)])
    }

    @Test
    func `the error of a command without a stub has its type and its stable name`() async throws {
        let error = await #expect(throws: UnstubbedMessage.self) { try await spy.dispatch(AddNote(text: "lost")) }
        #expect(error?.message == "add-note")
        #expect(error.map { "\($0)" } == "No stub for add-note. Let it succeed: spy.stub(AddNote.self)")
        #expect(spy.messages(of: AddNote.self) == [AddNote(text: "lost")])
    }

    @Test
    func `a missing stub is reported even if the code under test swallows the error`() async throws {
        let listener = Listener()
        let spy = SpyDispatcher { listener.hear($0) }
        spy.stub(LoadNotes.self, returning: [])
        try? await spy.dispatch(AddNote(text: ""))
        _ = try await spy.dispatch(LoadNotes(after: 0))
        #expect(listener.heard.map(\.message) == ["add-note"])
    }

    @Test
    func `a report can fail the test`() async {
        await withKnownIssue {
            let spy = SpyDispatcher(onUnstubbed: { Issue.record($0) })
            try? await spy.dispatch(AddNote(text: ""))
        } matching: { issue in
            issue.error as? UnstubbedMessage != nil
        }
    }

    @Test
    func `a stub can create a value that is not Sendable`() async throws {
        spy.stub(OpenNotebook.self) { query in
            let notebook = Notebook()
            notebook.pages = query.pages
            return notebook
        }
        let notebook = try await spy.dispatch(OpenNotebook(pages: 3))
        notebook.pages += 1
        #expect(notebook.pages == 4)
    }

    @Test @MainActor
    func `a stub runs on the main actor if it is isolated to it`() async throws {
        let counter = Counter()
        spy.stub(LoadNotes.self) { @MainActor query in
            counter.count += query.after
            return ["\(counter.count)"]
        }
        spy.stub(AddNote.self) { @MainActor _ in counter.count += 1 }
        try await spy.dispatch(AddNote(text: ""))
        #expect(try await spy.dispatch(LoadNotes(after: 4)) == ["5"])
    }

    @Test
    func `a spy is each half of a dispatcher, and accepts middleware`() async throws {
        spy.stub(LoadNotes.self, returning: ["a"])
        spy.stub(AddNote.self)
        let reader: any QueryDispatcher = spy
        let writer: any CommandDispatcher = spy
        #expect(try await reader.dispatch(LoadNotes(after: 0)) == ["a"])
        try await writer.dispatch(AddNote(text: ""))
        try await spy.validating().dispatch(AddNote(text: ""))
        #expect(spy.messageNames.count == 3)
    }

    @Test
    func `no message is lost when many tasks dispatch and stub concurrently`() async throws {
        let spy = spy
        spy.stub(LoadNotes.self, returning: [])
        spy.stub(AddNote.self)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { _ = try? await spy.dispatch(LoadNotes(after: number)) }
                group.addTask { try? await spy.dispatch(AddNote(text: "\(number)")) }
                group.addTask { spy.stub(AddNote.self) }
            }
        }
        #expect(spy.messageNames.count == 400)
        #expect(Set(spy.messages(of: LoadNotes.self).map(\.after)) == Set(0..<200))
        #expect(Set(spy.messages(of: AddNote.self).map(\.text)) == Set((0..<200).map { "\($0)" }))
    }

    @Test
    func `a running message is recorded before one that began later`() async throws {
        let spy = spy
        let clock = ManualClock()
        spy.stub(AddNote.self)
        spy.stub(LoadNotes.self) { _ in
            try await clock.sleep(for: .seconds(1))
            return ["late"]
        }
        async let late = spy.dispatch(LoadNotes(after: 0))
        await clock.nextSleeper()
        try await spy.dispatch(AddNote(text: "early"))
        #expect(spy.messageNames == [LoadNotes.messageName, "add-note"])
        clock.advance(by: .seconds(1))
        #expect(try await late == ["late"])
        #expect(spy.messageNames.count == 2)
    }
}

private struct Offline: Error, Equatable {}

private struct AddNote: Command, Equatable {
    static let messageName = "add-note"
    var text: String
}

private final class Notebook {
    var pages = 0
}

private struct OpenNotebook: Query {
    typealias Value = Notebook
    var pages: Int
}

@MainActor
private final class Counter {
    var count = 0
}

private final class Listener: Sendable {
    private let list = Mutex<[UnstubbedMessage]>([])

    var heard: [UnstubbedMessage] { list.withLock { $0 } }

    func hear(_ message: UnstubbedMessage) {
        list.withLock { $0.append(message) }
    }
}
