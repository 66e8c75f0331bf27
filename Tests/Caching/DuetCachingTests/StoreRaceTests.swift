import Duet
import DuetCaching
import DuetTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Tests of values that are stored or read while they are invalidated or removed.
@Suite(.timeLimit(.minutes(5)))
struct StoreRaceTests {
    private let server = Server()
    private let store = FaultyCacheStore()
    private let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))
    private let clock = ManualClock()

    private func launch(
        in store: (any CacheStore)? = nil,
        policy: CachePolicy<[String]> = .untilInvalidated
    ) throws -> CachingDispatcher {
        let memory = CacheMemory.memory(limit: .entries(1)).backed(by: store ?? self.store)
        return try server.caching(in: memory, now: date.now, clock: clock) {
            Cache(LoadNotes.self, policy, tags: { ["folder:\($0.folder)"] }).stored(version: 1)
            Cache(LoadNote.self, .untilInvalidated)
            Invalidate(LoadNotes.self, after: AddNote.self) { $0.folder == $1.folder }
            Invalidate(tag: "folder:home", after: RemoveNote.self)
            Invalidate(LoadNotes.self, after: SignOut.self)
        }
    }

    /// Stores the notes, so that the next launch finds them.
    private func fillStore() async throws {
        let first = try launch()
        _ = try await first.dispatch(LoadNotes())
        try await first.cache.flush()
    }

    @Test(arguments: [AddNote() as any Command, RemoveNote(), SignOut()])
    func `a value that was stored too late, and cannot be removed then, is stale`(command: any Command) async throws {
        let dispatcher = try launch()
        let gate = Gate()
        store.inject(.delay(gate), into: .insert)
        _ = try await dispatcher.dispatch(LoadNotes())
        await gate.arrivals(1)
        try await dispatcher.dispatch(command)
        store.inject(.failure(NoConnection()), into: .markStale, at: 1)
        gate.open()
        try await dispatcher.cache.flush()
        // The flush tries again.
        #expect(store.callCount(of: .markStale) == 3)
        server.notes = ["New"]
        // This evicts the value from memory.
        _ = try await dispatcher.dispatch(LoadNote(id: 1))
        let result = try await dispatcher.read(LoadNotes())
        #expect(result.value == ["New"])
        #expect(!result.isStale)
    }

    @Test func `a value that was loaded after an invalidation is stored after the removal`() async throws {
        let dispatcher = try launch()
        _ = try await dispatcher.dispatch(LoadNotes())
        try await dispatcher.cache.flush()
        let gate = Gate()
        store.inject(.delay(gate), into: .markStale)
        let command = Task { try await dispatcher.dispatch(SignOut()) }
        await gate.arrivals(1)
        server.notes = ["New"]
        _ = try await dispatcher.dispatch(LoadNotes())
        for _ in 1...1_000 { await Task.yield() }
        #expect(store.callCount(of: .insert) == 1)
        gate.open()
        try await command.value
        try await dispatcher.cache.flush()
        #expect(try await launch().read(LoadNotes(), .cacheOnly).value == ["New"])
    }

    @Test func `of two writes of a key, the newer one stays`() async throws {
        let first = try launch()
        let gate = Gate()
        store.inject(.delay(gate), into: .insert)
        _ = try await first.dispatch(LoadNotes())
        await gate.arrivals(1)
        date.advance(by: 1)
        server.notes = ["New"]
        _ = try await first.read(LoadNotes(), .fresh)
        await store.calls(5)
        gate.open()
        try await first.cache.flush()
        #expect(try await launch().read(LoadNotes(), .cacheOnly).value == ["New"])
    }

    @Test func `a value that is read from the store while everything is removed is not served`() async throws {
        try await fillStore()
        let second = try launch(policy: .untilInvalidated.staleIfError(.days(1)))
        server.failure = NoConnection()
        let gate = Gate()
        store.inject(.delay(gate), into: .removeAll)
        let removal = Task { try await second.cache.removeAll() }
        await gate.arrivals(1)
        await #expect(throws: NoConnection()) { try await second.dispatch(LoadNotes()) }
        await #expect(throws: NotCached.self) { try await second.read(LoadNotes(), .cacheOnly) }
        #expect(second.cache.count == 0)
        gate.open()
        try await removal.value
    }

    @Test func `a command does not wait for the removals of later commands`() async throws {
        let dispatcher = try launch()
        let (first, second) = (Gate(), Gate())
        store.inject(.delay(first), into: .markStale)
        store.inject(.delay(second), into: .markStale, at: 2)
        let command = Task { try await dispatcher.dispatch(RemoveNote()) }
        await first.arrivals(1)
        let later = Task { try await dispatcher.dispatch(RemoveNote()) }
        await second.arrivals(1)
        first.open()
        try await command.value
        second.open()
        try await later.value
    }

    @Test func `a value is read from the store although another query is invalidated meanwhile`() async throws {
        try await fillStore()
        let second = try launch()
        let gate = Gate()
        store.inject(.delay(gate), into: .value)
        let read = Task { try await second.read(LoadNotes(), .cacheOnly) }
        await gate.arrivals(1)
        second.cache.invalidate(LoadNote.self)
        gate.open()
        #expect(try await read.value.isStale == false)
    }

    @Test func `a slow read does not make the store lose values after many commands`() async throws {
        let first = try launch()
        for folder in ["home", "work"] { _ = try await first.dispatch(LoadNotes(folder: folder)) }
        try await first.cache.flush()
        var gates: [Gate] = []
        var reads: [Task<[String], any Error>] = []
        // At least one read is running at each time.
        for number in 0..<100 {
            let gate = Gate()
            store.inject(.delay(gate), into: .value)
            reads.append(Task { try await first.dispatch(LoadNotes(folder: "\(number)")) })
            await gate.arrivals(1)
            gates.last?.open()
            gates.append(gate)
            try await first.dispatch(AddNote(folder: "\(number)"))
        }
        gates.last?.open()
        for read in reads { _ = try await read.value }
        _ = try await first.dispatch(LoadNote(id: 1))
        #expect(try await first.read(LoadNotes(folder: "work")).origin == .store)
    }

    @Test func `a store that hangs for good does not collect operations`() async throws {
        let hanging = HangingStore()
        let dispatcher = try launch(in: hanging)
        for read in 1...16 {
            let result = Task { try? await dispatcher.read(LoadNotes(folder: "\(read)"), .cacheOnly) }
            await clock.nextSleeper()
            clock.advance(by: .seconds(1))
            _ = await result.value
        }
        // These operations fail without waiting.
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["Milk"])
        try await dispatcher.dispatch(AddNote(text: "Bread"))
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["Milk", "Bread"])
        #expect(hanging.calls.withLock(\.self) == 16)
        hanging.gate.open()
    }

    @Test func `values of many tags that a store could not remove are stale`() async throws {
        let dispatcher = try launch()
        _ = try await dispatcher.dispatch(LoadNotes())
        try await dispatcher.cache.flush()
        _ = try await dispatcher.dispatch(LoadNote(id: 1))
        store.inject(.failure(NoConnection()), into: .markStale, from: 1)
        dispatcher.cache.invalidate(tag: "folder:home")
        for tag in 0..<1_100 { dispatcher.cache.invalidate(tag: "\(tag)") }
        try await dispatcher.cache.flush()
        server.notes = ["New"]
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["New"])
    }

    @Test func `a value that only an observer reads from the store is no hit`() async throws {
        try await fillStore()
        let second = try launch()
        var values = second.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await values.next() == ["Milk"])
        #expect(second.cache.statistics(of: LoadNotes.self).hits == 0)
        #expect(try await second.dispatch(LoadNotes()) == ["Milk"])
        #expect(second.cache.statistics(of: LoadNotes.self).hits == 1)
    }

    @Test func `an observer of a value that a caller reads from the store sees the end of the load`() async throws {
        let dispatcher = try launch()
        var states = dispatcher.observe(LoadNotes()).makeAsyncIterator()
        while let state = await states.next(), state.value == nil || state.isLoading {}
        try await dispatcher.cache.flush()
        _ = try await dispatcher.dispatch(LoadNote(id: 1))
        let gate = Gate()
        store.inject(.delay(gate), into: .value)
        let read = Task { try await dispatcher.read(LoadNotes()) }
        #expect(await states.next()?.isLoading == true)
        gate.open()
        #expect(try await read.value.origin == .store)
        #expect(await states.next()?.isLoading == false)
    }

    @Test func `an expired value is not counted as evicted`() async throws {
        let dispatcher = try launch(policy: .maxAge(.seconds(60)))
        _ = try await dispatcher.dispatch(LoadNotes())
        date.advance(by: 60)
        try await dispatcher.cache.removeExpired()
        #expect(dispatcher.cache.count == 0)
        #expect(dispatcher.cache.statistics(of: LoadNotes.self).evicted == 0)
        _ = try await dispatcher.dispatch(LoadNotes())
        _ = try await dispatcher.dispatch(LoadNote(id: 1))
        #expect(dispatcher.cache.statistics(of: LoadNotes.self).evicted == 1)
    }
}

/// A store whose operations never end, even if they are canceled.
private final class HangingStore: CacheStore {
    let gate = Gate()
    let calls = Mutex(0)

    private func hang() async {
        calls.withLock { $0 += 1 }
        try? await Task { [gate] in try await gate.pass() }.value
    }

    func value(for key: CacheKey) async throws -> StoredValue? {
        await hang()
        return nil
    }

    func insert(_ value: StoredValue, for key: CacheKey) async throws { await hang() }

    func stamp(for writer: UUID) async throws -> Int64 {
        await hang()
        return 0
    }

    func markStale(_ values: StoredValues, by writer: UUID) async throws { await hang() }

    func updateStale(
        query name: String,
        _ change: @escaping @Sendable (_ key: CacheKey, _ bytes: Data) -> Data?
    ) async throws { await hang() }

    func remove(_ keys: [CacheKey]) async throws { await hang() }

    func removeExpired(at date: Date) async throws { await hang() }

    func removeAll() async throws { await hang() }
}
