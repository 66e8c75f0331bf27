import Duet
import DuetCaching
import DuetDependencies
import DuetSwiftUI
import DuetTesting
import Synchronization
import Testing

/// `@ObservedQuery`, as a view uses it.
@MainActor @Suite(.timeLimit(.minutes(5)))
struct QueryObservationTests {
    private let notebook = Notebook()
    private let cache: QueryCache
    private let container: Container

    init() throws {
        let cache = try QueryCache(in: .memory(limit: .entries(10))) {
            Cache(ListNotes.self, .untilInvalidated)
            Invalidate(ListNotes.self, after: AddNote.self)
        }
        let builder = ContainerBuilder()
        builder.install(NotesModule(notebook: notebook))
        builder.middleware { cache }
        self.cache = cache
        container = try builder.build()
    }

    private func observe(_ query: ListNotes = ListNotes(), in scope: Scope) -> QueryObservation<ListNotes> {
        let notes = QueryObservation<ListNotes>()
        notes.observe(query, in: .success(scope))
        return notes
    }

    @Test func `a view shows loading, the value, and the change of a command`() async throws {
        let scope = container.makeScope()
        let notes = observe(in: scope)
        #expect(notes.isLoading && notes.value == nil)
        await until { notes.value == ["Milk"] }
        #expect(!notes.isLoading && !notes.isStale && notes.error == nil && notes.date != nil)

        try await scope.resolve((any Dispatcher).self).dispatch(AddNote(text: "Bread"))

        await until { notes.value == ["Milk", "Bread"] }
    }

    @Test func `a view shows a value in memory in its first frame`() async throws {
        let builder = ContainerBuilder()
        builder.singleton((any Dispatcher).self) { [cache, notebook] in
            try StandardDispatcher { ListNotesHandler(notebook: notebook) }.caching(with: cache)
        }
        let scope = try builder.build().makeScope()
        _ = try await scope.resolve((any Dispatcher).self).dispatch(ListNotes())
        let notes = observe(in: scope)
        #expect(notes.value == ["Milk"] && !notes.isStale)
    }

    @Test func `a view that goes ends its observation`() async throws {
        var notes: QueryObservation<ListNotes>? = observe(in: container.makeScope())
        await until { notes?.value == ["Milk"] }
        #expect(cache.observerCount == 1)

        notes = nil

        await until { cache.observerCount == 0 }
    }

    @Test func `an update with the same query does not observe it again`() async throws {
        let scope = container.makeScope()
        let notes = observe(in: scope)
        await until { notes.value == ["Milk"] }

        notes.observe(ListNotes(), in: .success(scope))

        #expect(notes.value == ["Milk"])
        #expect(cache.observerCount == 1)
    }

    @Test func `another query replaces the one before`() async throws {
        await notebook.add("Bread")
        let scope = container.makeScope()
        let notes = observe(ListNotes(text: "Milk"), in: scope)
        await until { notes.value == ["Milk"] }

        notes.observe(ListNotes(text: "Bread"), in: .success(scope))
        #expect(notes.value == nil && notes.isLoading)

        await until { notes.value == ["Bread"] }
        await until { cache.observerCount == 1 }
    }

    @Test func `a refresh loads a fresh value again, and shows its error`() async throws {
        let notes = observe(in: container.makeScope())
        await until { notes.value == ["Milk"] }
        await notebook.add("Bread")
        await notes.refresh()
        await until { notes.value == ["Milk", "Bread"] }

        await notebook.fail(with: NoConnection())
        await notes.refresh()

        await until { notes.error is NoConnection }
        #expect(notes.value == ["Milk", "Bread"])
    }

    @Test func `a dispatcher that was composed without handlers in the container works, too`() async throws {
        let builder = ContainerBuilder()
        builder.singleton((any Dispatcher).self) { [cache, notebook] in
            try StandardDispatcher { ListNotesHandler(notebook: notebook) }.caching(with: cache).validating()
        }
        let notes = observe(in: try builder.build().makeScope())

        await until { notes.value == ["Milk"] }
    }

    @Test func `a cache behind a cache of other queries is found`() async throws {
        let outer = try QueryCache(in: .memory(limit: .entries(10))) {}
        let builder = ContainerBuilder()
        builder.singleton((any Dispatcher).self) { [cache, notebook] in
            try StandardDispatcher { ListNotesHandler(notebook: notebook) }.caching(with: cache).caching(with: outer)
        }
        let notes = observe(in: try builder.build().makeScope())

        await until { notes.value == ["Milk"] }
    }

    @Test func `a query without a cache is an error that names the missing rule`() async throws {
        let builder = ContainerBuilder()
        builder.install(NotesModule(notebook: notebook))
        let notes = observe(in: try builder.build().makeScope())
        await until { notes.error != nil }

        #expect(notes.error is UnobservableQuery)
        #expect(!notes.isLoading && notes.value == nil)
    }

    @Test func `a refresh after an error of the container tries again`() async throws {
        await notebook.fail(with: NoConnection())
        let builder = ContainerBuilder()
        builder.install(NotesModule(notebook: notebook))
        builder.middleware { [cache, notebook] in
            _ = try await notebook.list(ListNotes())
            return cache
        }
        let notes = observe(in: try builder.build().makeScope())
        await until { notes.error != nil }
        #expect(!notes.isLoading)

        await notebook.fail(with: nil)
        await notes.refresh()

        await until { notes.value == ["Milk"] }
        #expect(notes.error == nil)
    }

    @Test func `a refresh between the error and the end of an observation begins another one`() async throws {
        let end = Gate()
        let builder = ContainerBuilder()
        builder.install(NotesModule(notebook: notebook))
        builder.middleware(FailingOnce(end: end))
        builder.middleware { [cache] in cache }
        let notes = observe(in: try builder.build().makeScope())
        await until { notes.error != nil }
        await end.arrivals(1)

        await notes.refresh()
        end.open()

        await until { notes.value == ["Milk"] }
        #expect(notes.value == ["Milk"] && notes.error == nil)
    }

    @Test func `outside of a scope, the error names the line to write`() async throws {
        let notes = QueryObservation<ListNotes>()
        notes.observe(ListNotes(), in: .failure(MissingScope()))
        await until { notes.error != nil }

        #expect(notes.error is MissingScope)
    }
}

/// The first observation through this layer has an error, and ends when a gate opens.
private final class FailingOnce: Middleware {
    private let end: Gate
    private let hasFailed = Atomic(false)

    init(end: Gate) {
        self.end = end
    }

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        try await next.dispatch(message)
    }

    func updates<Q: Query>(of query: Q, next: some Dispatcher) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        guard !hasFailed.exchange(true, ordering: .relaxed) else { return next.updates(of: query) }
        let failures = QueryStates<Q.Value>(failure: NoConnection())
        return QueryStates { [end] in
            var states = failures.makeAsyncIterator()
            return {
                if let state = await states.next() { return state }
                try? await end.pass()
                return nil
            }
        }
    }
}
