import Duet
import DuetTesting
import Testing

/// Handlers that are isolated to an actor, and values that are not `Sendable`.
@Suite
struct IsolationTests {
    @Test
    func `handlers on the main actor handle commands and queries`() async throws {
        let counter = MainActorCounter()
        let dispatcher = try StandardDispatcher {
            CountHandler(counter: counter)
            IncrementHandler(counter: counter)
        }
        try await dispatcher.dispatch(Increment())
        try await dispatcher.dispatch(Increment())
        #expect(try await dispatcher.dispatch(Count()) == 2)
    }

    @Test
    func `an actor is a handler`() async throws {
        let handler = CountingActor()
        let dispatcher = try StandardDispatcher { handler }
        try await dispatcher.dispatch(Increment())
        #expect(await handler.count == 1)
    }

    @Test
    func `a handler on the main actor sends a value that is not Sendable`() async throws {
        let handler = OpenNotebookHandler()
        let dispatcher = try StandardDispatcher { handler }
        let notebook = try await dispatcher.dispatch(OpenNotebook())
        notebook.pages += 1
        #expect(notebook.pages == 8)
    }

    @Test
    func `a value that is not Sendable passes every middleware`() async throws {
        let dispatcher = try StandardDispatcher { FindNotebookHandler() }
            .timeout(.seconds(1), clock: ManualClock())
            .retrying(clock: ManualClock())
            .logging(clock: ManualClock()) { _ in }
            .validating()
        let notebook = try await dispatcher.dispatch(FindNotebook())
        notebook.pages += 1
        #expect(notebook.pages == 4)
    }

    @Test @MainActor
    func `a handler runs on its caller's actor`() async throws {
        let dispatcher = try StandardDispatcher { WhereHandler() }.validating()
        #expect(try await dispatcher.dispatch(Where()))
    }
}

private struct Increment: Command {}
private struct Count: Query { typealias Value = Int }

@MainActor
private final class MainActorCounter {
    var count = 0
}

@MainActor
private final class CountHandler: QueryHandler {
    private let counter: MainActorCounter

    nonisolated init(counter: MainActorCounter) {
        self.counter = counter
    }

    @MainActor
    func handle(_ query: Count) async throws -> Int { counter.count }
}

@MainActor
private final class IncrementHandler: CommandHandler {
    private let counter: MainActorCounter

    nonisolated init(counter: MainActorCounter) {
        self.counter = counter
    }

    @MainActor
    func handle(_ command: Increment) async throws { counter.count += 1 }
}

private actor CountingActor: CommandHandler {
    private(set) var count = 0

    func handle(_ command: Increment) async throws { count += 1 }
}

private final class Notebook {
    var pages: Int

    init(pages: Int) {
        self.pages = pages
    }
}

private struct OpenNotebook: Query { typealias Value = Notebook }
private struct FindNotebook: Query { typealias Value = Notebook }

@MainActor
private final class OpenNotebookHandler: QueryHandler {
    @MainActor
    func handle(_ query: OpenNotebook) async throws -> sending Notebook { Notebook(pages: 7) }
}

private struct FindNotebookHandler: QueryHandler {
    func handle(_ query: FindNotebook) async throws -> Notebook { Notebook(pages: 3) }
}

private struct Where: Query { typealias Value = Bool }

private struct WhereHandler: QueryHandler {
    func handle(_ query: Where) async throws -> Bool { #isolation === MainActor.shared }
}
