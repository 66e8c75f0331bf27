import Duet
import DuetContracts
import Foundation
import Testing

private struct Note: Codable, Equatable {
    let text: String
}

private struct ListNotes: PayloadQuery {
    typealias Value = [Note]
    let prefix: String
}

private struct AddNote: Command, Codable {
    static let declaredErrors: [any DeclaredError.Type] = [NotebookFull.self]
    let text: String
}

private struct NotebookFull: DeclaredError, Equatable {
    let limit: Int
}

private struct PrintNotes: Command, Codable {}

private let notes = MessageAPI("notes") {
    ListNotes.authorized(.open)
    AddNote.authorized(.principal)
    PrintNotes.authorized(.open).not(over: .lines)
}

private actor Notebook {
    private(set) var notes: [Note] = []

    func add(_ note: Note) throws {
        guard notes.count < 2 else { throw NotebookFull(limit: 2) }
        notes.append(note)
    }
}

private struct ListNotesHandler: QueryHandler {
    let notebook: Notebook

    func handle(_ query: ListNotes) async throws -> [Note] {
        await notebook.notes.filter { $0.text.hasPrefix(query.prefix) }
    }
}

private struct AddNoteHandler: CommandHandler {
    let notebook: Notebook

    func handle(_ command: AddNote) async throws { try await notebook.add(Note(text: command.text)) }
}

@Suite(.timeLimit(.minutes(5))) struct OutsideTests {
    /// Connects a sender to a server of the notes.
    private func withNotes(
        for principal: Principal? = Principal(id: "ada"),
        _ body: (LineDispatcher) async throws -> Void
    ) async throws {
        let notebook = Notebook()
        let handlers = try StandardDispatcher {
            ListNotesHandler(notebook: notebook)
            AddNoteHandler(notebook: notebook)
        }
        let (client, end) = LineConnection.make()
        let server = try LineServer(notes, handlers)
        let dispatcher = LineDispatcher(notes, on: client)
        async let serving: Void = server.serve(end, for: principal)
        async let receiving: Void = dispatcher.run()
        let result: Result<Void, any Error>
        do { result = .success(try await body(dispatcher)) } catch { result = .failure(error) }
        client.close()
        _ = await (serving, receiving)
        try result.get()
    }

    @Test func `a carrier takes commands to their handlers, and values back`() async throws {
        try await withNotes { dispatcher in
            try await dispatcher.dispatch(AddNote(text: "Milk"))
            try await dispatcher.dispatch(AddNote(text: "Tea"))
            #expect(try await dispatcher.dispatch(ListNotes(prefix: "M")) == [Note(text: "Milk")])
            #expect(try await dispatcher.dispatch(ListNotes(prefix: "")).count == 2)
        }
    }

    @Test func `a declared error arrives typed`() async throws {
        try await withNotes { dispatcher in
            for text in ["Milk", "Tea"] { try await dispatcher.dispatch(AddNote(text: text)) }
            await #expect(throws: NotebookFull(limit: 2)) { try await dispatcher.dispatch(AddNote(text: "Salt")) }
        }
    }

    @Test func `the list says who may send a message, and over which carrier`() async throws {
        try await withNotes(for: nil) { dispatcher in
            await #expect(throws: LineError(reason: "\(AuthorizationError.unauthenticated)")) {
                try await dispatcher.dispatch(AddNote(text: "Milk"))
            }
            await #expect(throws: LineError(reason: "\(PrintNotes.messageName) is not listed.")) {
                try await dispatcher.dispatch(PrintNotes())
            }
            let found = try await dispatcher.dispatch(ListNotes(prefix: ""))
            #expect(found.isEmpty)
        }
    }

    @Test(arguments: CacheStoreContract.allCases)
    func `a store in a file meets the contract of stores`(clause: CacheStoreContract) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).values")
        defer { try? FileManager.default.removeItem(at: file) }
        try await clause.verify { FileCacheStore(file) }
    }

    @Test(arguments: HTTPCacheStoreContract.allCases)
    func `a store of responses meets the contract of HTTP cache stores`(clause: HTTPCacheStoreContract) async throws {
        try await clause.verify { CountedHTTPCacheStore(limit: 1_000) }
    }

    @Test(arguments: ClusterEngineContract.allCases)
    func `an engine meets the contract of engines`(clause: ClusterEngineContract) async throws {
        let hub = MemoryEngine.Hub()
        try await clause.verify { _ in
            let node = MemoryEngine(hub)
            return ClusterNode(node) { await node.disconnect() }
        }
    }
}
