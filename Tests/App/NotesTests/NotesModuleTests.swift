import Duet
public import DuetMacros
import Foundation
import Testing

/// The handlers and the middleware that a container makes.
@Suite struct NotesModuleTests {
    private struct CountWords: Query {
        typealias Value = Int
        let text: String
    }

    /// Has neither dependencies nor a macro.
    private struct CountWordsHandler: QueryHandler {
        func handle(_ query: CountWords) async throws -> Int { query.text.split(separator: " ").count }
    }

    @Test func `commands that a handler dispatches are audited, too`() async throws {
        let trail = InMemoryAuditTrail()
        let notes = ["Milk", "Rye bread"].map { AddNote(id: UUID(), title: $0) }
        try await Place.withNotes(audit: trail) { try await $0.dispatch(ImportNotes(notes: notes)) }
        #expect(await trail.lines == ["AddNote", "AddNote", "ImportNotes"].map { "nobody: NotesTests.\($0)" })
    }

    @Test func `build reports the line that registers a handler without macros`() async throws {
        let builder = ContainerBuilder()
        builder.handlers { CountWordsHandler.self }
        let error = #expect(throws: InvalidContainer.self) { try builder.build() }
        #expect(error?.description.contains("builder.transient { CountWordsHandler() }") == true)

        builder.transient { CountWordsHandler() }
        let dispatcher = try await builder.build().dispatcher
        #expect(try await dispatcher.dispatch(CountWords(text: "rye bread")) == 2)
    }

    @Test func `a public dispatcher of public Sendable handlers is made by a container`() async throws {
        let builder = ContainerBuilder()
        builder.handlers { GetTermsHandler.self }
        builder.transient(LibraryDispatcher.self)
        let library: LibraryDispatcher = try await builder.build().resolve()
        #expect(try await library.dispatch(GetTerms()) == "Be kind.")
    }
}

/// A message of a library.
public struct GetTerms: Query {
    /// The text of the terms.
    public typealias Value = String
}

/// The handler of a public message.
@Resolvable
public struct GetTermsHandler: QueryHandler, Sendable {
    /// Returns the terms.
    public func handle(_ query: GetTerms) async throws -> String { "Be kind." }
}

/// A dispatcher that other modules use.
@Dispatcher
@Resolvable
public struct LibraryDispatcher {
    let getTerms: GetTermsHandler
}
