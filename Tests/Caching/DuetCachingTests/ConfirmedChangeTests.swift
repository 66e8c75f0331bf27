import Duet
import DuetCaching
import DuetContext
import DuetTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Tests of the changes of successful commands whose values could not be loaded again.
@Suite
struct ConfirmedChangeTests {
    private let server = Server()
    private let store = FaultyCacheStore()

    private func launch(
        _ store: (any CacheStore)? = nil,
        scope: CacheScope = .shared
    ) throws -> CachingDispatcher {
        let memory = CacheMemory.stored(in: store ?? self.store)
        return try server.caching(in: memory) {
            Cache(LoadNotes.self, .maxAge(.days(1)).staleIfError(.days(30)), scope: scope).stored(version: 1)
            Invalidate(LoadNotes.self, after: AddNote.self) { $0.folder == $1.folder }
            OptimisticUpdate(LoadNotes.self, by: AddNote.self) { notes, query, command in
                guard query.folder == command.folder, !notes.contains(command.text) else { return }
                notes.append(command.text)
            }
        }
    }

    /// Sends a command whose response is the last one of the server.
    private func add(_ text: String, to dispatcher: CachingDispatcher) async throws {
        server.failureAfterCommand = NoConnection()
        try await dispatcher.dispatch(AddNote(text: text))
    }

    private func kept(_ dispatcher: CachingDispatcher, _ folder: String = "home") async throws -> [String] {
        let result = try await dispatcher.read(LoadNotes(folder: folder))
        #expect(result.isStale)
        return result.value
    }

    @Test func `a change is in the value that replaces a failed load, in this launch and in the next`() async throws {
        let dispatcher = try launch()
        _ = try await dispatcher.dispatch(LoadNotes())
        _ = try await dispatcher.dispatch(LoadNotes(folder: "work"))
        try await dispatcher.cache.flush()
        try await add("Bread", to: dispatcher)
        #expect(try await kept(dispatcher) == ["Milk", "Bread"])
        // The next launch needs no flush: a command returns when the store has its change.
        #expect(try await kept(launch()) == ["Milk", "Bread"])
        var states = try launch().observe(LoadNotes()).makeAsyncIterator()
        while let state = await states.next(), state.error == nil {}
        #expect(try await dispatcher.read(LoadNotes(folder: "work")).value == [])

        server.failure = nil
        server.notes = ["New"]
        #expect(try await launch().dispatch(LoadNotes()) == ["New"])
    }

    @Test func `a change to a value that the rules leave fresh makes it stale in the store`() async throws {
        func launch() throws -> CachingDispatcher {
            try server.caching(in: .stored(in: store)) {
                Cache(LoadNotes.self, .maxAge(.days(1)).staleIfError(.days(30))).stored(version: 1)
                Invalidate(LoadNotes.self, after: AddNote.self) { $0.folder != $1.folder }
                OptimisticUpdate(LoadNotes.self, by: AddNote.self) { notes, _, command in notes.append(command.text) }
            }
        }
        let dispatcher = try launch()
        var states = dispatcher.observe(LoadNotes()).makeAsyncIterator()
        while let state = await states.next(), state.value != ["Milk"] {}
        try await dispatcher.cache.flush()
        try await add("Bread", to: dispatcher)
        #expect(try await kept(launch()) == ["Milk", "Bread"])
    }

    @Test func `changes are made in the order in which their commands succeeded`() async throws {
        let dispatcher = try launch()
        _ = try await dispatcher.dispatch(LoadNotes())
        try await dispatcher.dispatch(AddNote(text: "Bread"))
        try await add("Eggs", to: dispatcher)
        #expect(try await kept(dispatcher) == ["Milk", "Bread", "Eggs"])
        #expect(try await kept(launch()) == ["Milk", "Bread", "Eggs"])
    }

    @Test func `a change is in a value that was being stored when its command succeeded`() async throws {
        let dispatcher = try launch()
        let gate = Gate()
        store.inject(.delay(gate), into: .insert)
        _ = try await dispatcher.dispatch(LoadNotes())
        await gate.arrivals(1)
        async let added: Void = add("Bread", to: dispatcher)
        while store.callCount(of: .markStale) == 0 { await Task.yield() }
        // A change that came before the value would be lost.
        for _ in 0..<100 { await Task.yield() }
        #expect(store.callCount(of: .updateStale) == 0)
        gate.open()
        try await added
        #expect(try await kept(launch()) == ["Milk", "Bread"])
    }

    @Test func `a value that was read while its store was changed has the change`() async throws {
        let first = try launch()
        _ = try await first.dispatch(LoadNotes())
        try await first.cache.flush()
        let gate = Gate()
        let dispatcher = try launch(LateReads(base: store, gate: gate))
        async let cached = dispatcher.read(LoadNotes(), .cacheOnly)
        await gate.arrivals(1)
        try await add("Bread", to: dispatcher)
        gate.open()
        #expect(try await cached.value == ["Milk", "Bread"])
    }

    @Test func `only the caller's scope has the change`() async throws {
        let dispatcher = try launch(scope: .principal)
        for name in ["ada", "bob"] {
            try await withPrincipal(Principal(id: name)) {
                _ = try await dispatcher.dispatch(LoadNotes())
                try await dispatcher.cache.flush()
            }
        }
        try await withPrincipal(Principal(id: "ada")) { try await add("Bread", to: dispatcher) }
        for next in [dispatcher, try launch(scope: .principal)] {
            for (name, notes) in [("ada", ["Milk", "Bread"]), ("bob", ["Milk"])] {
                let found = try await withPrincipal(Principal(id: name)) { try await kept(next) }
                #expect(found == notes)
            }
        }
    }

    @Test func `a failed command changes no value`() async throws {
        let dispatcher = try launch()
        _ = try await dispatcher.dispatch(LoadNotes())
        try await dispatcher.cache.flush()
        server.failure = NoConnection()
        await #expect(throws: NoConnection()) { try await dispatcher.dispatch(AddNote(text: "Bread")) }
        #expect(try await kept(dispatcher) == ["Milk"])
        #expect(try await kept(launch()) == ["Milk"])
    }

    @Test func `a value that was loaded after the command is not changed`() async throws {
        let dispatcher = try launch()
        _ = try await dispatcher.dispatch(LoadNotes())
        try await dispatcher.cache.flush()
        let gate = Gate()
        store.inject(.delay(gate), into: .updateStale)
        async let added: Void = dispatcher.dispatch(AddNote(text: "Bread"))
        await gate.arrivals(1)
        server.notes = ["Other"]
        _ = try await dispatcher.dispatch(LoadNotes())
        gate.open()
        try await added
        try await dispatcher.cache.flush()
        #expect(try await launch().dispatch(LoadNotes()) == ["Other"])
    }

    @Test func `a store that cannot make the change is reported, and keeps the stale value`() async throws {
        let failures = Mutex<[CacheStoreFailure]>([])
        let dispatcher = try server.caching(
            in: .stored(in: store) { failure in failures.withLock { $0.append(failure) } }
        ) {
            Cache(LoadNotes.self, .maxAge(.days(1)).staleIfError(.days(30))).stored(version: 1)
            Invalidate(LoadNotes.self, after: AddNote.self)
            OptimisticUpdate(LoadNotes.self, by: AddNote.self) { notes, _, command in notes.append(command.text) }
        }
        _ = try await dispatcher.dispatch(LoadNotes())
        try await dispatcher.cache.flush()
        store.inject(.failure(NoConnection()), into: .updateStale)
        try await add("Bread", to: dispatcher)
        #expect(failures.withLock { $0.map(\.operation) } == [.updating])
        #expect(failures.withLock { $0.first?.description.contains("LoadNotes") } == true)
        #expect(try await kept(launch()) == ["Milk"])
    }

    @Test func `a queued command that was sent shows in the next launch without a connection`() async throws {
        let comments = CommentServer()
        let spy = SpyDispatcher()
        spy.stub(LoadComments.self) { _ in
            if let failure = comments.failure { throw failure }
            return comments.carriedOut
        }
        spy.stub(PostComment.self) { try await comments.dispatch($0) }
        let (commands, values) = (InMemoryCommandStore(), InMemoryCacheStore())
        func launch() throws -> CachingDispatcher {
            let queueing = try spy.queueing(in: CommandQueue(in: commands)) { Enqueue(PostComment.self, version: 1) }
            return try queueing.caching(in: .stored(in: values)) {
                Cache(LoadComments.self, .maxAge(.days(1)).staleIfError(.days(30))).stored(version: 1)
                Invalidate(LoadComments.self, after: PostComment.self)
                OptimisticUpdate(LoadComments.self, by: PostComment.self) { texts, _, command in
                    if !texts.contains(command.text) { texts.append(command.text) }
                }
            }
        }
        var first: CachingDispatcher? = try launch()
        #expect(try await first?.dispatch(LoadComments()) == [])
        try await first?.cache.flush()
        comments.isOffline = true
        try await first?.dispatch(PostComment(text: "A"))
        first = nil

        comments.isOffline = false
        var second: CachingDispatcher? = try launch()
        while await !commands.all().isEmpty { await Task.yield() }
        withExtendedLifetime(second) {}
        second = nil

        comments.isOffline = true
        #expect(try await launch().read(LoadComments()).value == ["A"])
    }
}

/// A store whose reads end later than they read.
private struct LateReads: CacheStore {
    let base: any CacheStore
    let gate: Gate

    func value(for key: CacheKey) async throws -> StoredValue? {
        let value = try await base.value(for: key)
        try await gate.pass()
        return value
    }

    func insert(_ value: StoredValue, for key: CacheKey) async throws { try await base.insert(value, for: key) }

    func stamp(for writer: UUID) async throws -> Int64 { try await base.stamp(for: writer) }

    func markStale(_ values: StoredValues, by writer: UUID) async throws {
        try await base.markStale(values, by: writer)
    }

    func updateStale(
        query name: String,
        _ change: @escaping @Sendable (_ key: CacheKey, _ bytes: Data) -> Data?
    ) async throws {
        try await base.updateStale(query: name, change)
    }

    func remove(_ keys: [CacheKey]) async throws { try await base.remove(keys) }

    func removeExpired(at date: Date) async throws { try await base.removeExpired(at: date) }

    func removeAll() async throws { try await base.removeAll() }
}
