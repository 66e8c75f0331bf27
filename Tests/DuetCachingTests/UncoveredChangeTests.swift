import Duet
import DuetCaching
import DuetContext
import DuetTesting
import Testing

@Suite
struct UncoveredChangeTests {
    private let server = Server()

    private func dispatcher(@ListBuilder<CacheRule> _ rules: () -> [CacheRule]) throws -> CachingDispatcher {
        try server.caching(in: .memory(limit: .entries(10)), rules)
    }

    @Test func `a query that changed without a rule is named with the rule that is missing`() async throws {
        let dispatcher = try dispatcher { Cache(LoadNotes.self, .untilInvalidated) }
        _ = try await dispatcher.dispatch(LoadNotes())
        _ = try await dispatcher.dispatch(LoadNotes(folder: "work"))
        let changes = try await dispatcher.uncoveredChanges(after: AddNote(text: "Bread"))
        #expect(changes.map(\.query) == [#"DuetCachingTests.LoadNotes(folder: "home")"#])
        #expect(changes.first?.description.hasSuffix("Add: Invalidate(LoadNotes.self, after: AddNote.self)") == true)
    }

    @Test func `a rule covers its queries`() async throws {
        let dispatcher = try dispatcher {
            Cache(LoadNotes.self, .untilInvalidated)
            Invalidate(LoadNotes.self, after: AddNote.self) { $0.folder == $1.folder }
        }
        _ = try await dispatcher.dispatch(LoadNotes())
        #expect(try await dispatcher.uncoveredChanges(after: AddNote(text: "Bread")) == [])
    }

    @Test func `a rule that chooses the wrong queries is found`() async throws {
        let dispatcher = try dispatcher {
            Cache(LoadNotes.self, .untilInvalidated)
            Invalidate(LoadNotes.self, after: AddNote.self) { $0.folder != $1.folder }
        }
        _ = try await dispatcher.dispatch(LoadNotes())
        #expect(try await dispatcher.uncoveredChanges(after: AddNote(text: "Bread")).count == 1)
    }

    @Test func `a value that becomes an error has changed`() async throws {
        let dispatcher = try dispatcher { Cache(LoadNotes.self, .untilInvalidated) }
        _ = try await dispatcher.dispatch(LoadNotes())
        server.failureAfterCommand = NoConnection()
        #expect(try await dispatcher.uncoveredChanges(after: RemoveNote()).count == 1)
    }

    @Test func `the error of the command is thrown`() async throws {
        let dispatcher = try dispatcher { Cache(LoadNotes.self, .untilInvalidated) }
        server.failure = NoConnection()
        await #expect(throws: NoConnection()) { try await dispatcher.uncoveredChanges(after: AddNote()) }
    }
}
