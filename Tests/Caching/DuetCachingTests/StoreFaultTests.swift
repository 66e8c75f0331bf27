import Duet
import DuetCaching
import DuetTesting
import Foundation
import Synchronization
import Testing

/// A store that fails, hangs or changes bytes never fails a query, and never makes a stale value fresh.
@Suite(.timeLimit(.minutes(5)))
struct StoreFaultTests {
    private let server = Server()
    private let store = FaultyCacheStore()
    private let clock = ManualClock()
    private let failures = Failures()

    private func launch() throws -> CachingDispatcher {
        let memory = CacheMemory.memory(limit: .entries(10)).backed(by: store) { [failures] in failures.add($0) }
        return try server.caching(in: memory, clock: clock) {
            Cache(LoadNotes.self, .untilInvalidated, tags: { ["folder:\($0.folder)"] }).stored(version: 1)
            Invalidate(LoadNotes.self, after: AddNote.self) { $0.folder == $1.folder }
            Invalidate(LoadNotes.self, after: RemoveNote.self)
            Invalidate(everythingAfter: SignOut.self)
            Invalidate(tag: "folder:home", after: RenameFolder.self)
        }
    }

    /// Reads, changes the server by each kind of rule, and reads again in the same launch, which must see the change.
    private func useEverything() async throws {
        let dispatcher = try launch()
        _ = try await dispatcher.dispatch(LoadNotes())
        func check(after change: some Command) async throws {
            server.notes.append("\(server.notes.count)")
            try await dispatcher.dispatch(change)
            #expect(try await dispatcher.dispatch(LoadNotes()) == server.notes)
            try await dispatcher.cache.flush()
            #expect(try await dispatcher.dispatch(LoadNotes()) == server.notes)
        }
        try await check(after: AddNote(text: "Bread"))
        try await check(after: RemoveNote())
        try await check(after: RenameFolder())
        try await check(after: SignOut())
        try await dispatcher.cache.flush()
    }

    @Test func `the Nth call of the store fails, for every N`() async throws {
        try await useEverything()
        let calls = store.calls.count
        #expect(calls > 10)
        for call in 1...calls {
            let before = failures.count
            store.inject(.failure(NoConnection()), at: call)
            try await useEverything()
            #expect(failures.count == before + 1, "call \(call)")
            store.heal()
        }
    }

    @Test func `every call of the store fails`() async throws {
        store.inject(.failure(NoConnection()), from: 1)
        try await useEverything()
    }

    @Test(arguments: [FaultyCacheStore.Fault.truncation(to: 3), .swap(Data("[1, 2".utf8)), .swap(Data("{}".utf8))])
    func `changed bytes are not served`(fault: FaultyCacheStore.Fault) async throws {
        _ = try await launch().dispatch(LoadNotes())
        let first = try launch()
        _ = try await first.dispatch(LoadNotes())
        try await first.cache.flush()
        store.inject(fault, into: .value)
        #expect(try await launch().dispatch(LoadNotes()) == ["Milk"])
    }

    @Test func `a store that hangs delays a query or a command by its timeout`() async throws {
        store.inject(.hang, from: 1)
        let dispatcher = try launch()
        let query = Task { try await dispatcher.dispatch(LoadNotes()) }
        #expect(await clock.nextSleeper() == .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(try await query.value == ["Milk"])
        // Without a stamp of the store, the value is not written.
        let command = Task { try await dispatcher.dispatch(RemoveNote()) }
        await clock.nextSleeper()
        clock.advance(by: .seconds(1))
        try await command.value
        server.notes = ["New"]
        #expect(failures.operations == [.reading, .marking])
        store.heal()
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["New"])
    }

    @Test func `a stale value that the store could not remove is not served in this launch`() async throws {
        let first = try launch()
        _ = try await first.dispatch(LoadNotes())
        try await first.cache.flush()
        for (command, operation) in [
            (AddNote(text: "Bread") as any Command, FaultyCacheStore.Operation.markStale), (RemoveNote(), .markStale),
            (RenameFolder(), .markStale), (SignOut(), .removeAll),
        ] {
            let launch = try launch()
            store.inject(.failure(NoConnection()), into: operation)
            try await launch.dispatch(command)
            server.notes = ["Changed by \(command)"]
            #expect(try await launch.dispatch(LoadNotes()) == server.notes, "\(command)")
            try await launch.cache.flush()
        }
        #expect(failures.operations == [.marking, .marking, .marking, .removing])
    }

    @Test func `many slow writes do not accumulate`() async throws {
        store.inject(.hang, into: .insert, from: 1)
        let dispatcher = try launch()
        for folder in 0..<100 { _ = try await dispatcher.dispatch(LoadNotes(folder: "\(folder)")) }
        #expect(failures.count == 100 - 64)
        store.heal()
        try await dispatcher.cache.flush()
        #expect(store.callCount(of: .insert) == 64)
    }
}

private final class Failures: Sendable {
    private let all = Mutex<[CacheStoreFailure]>([])

    var count: Int { all.withLock(\.count) }
    var operations: [CacheStoreFailure.Operation] { all.withLock { $0.map(\.operation) } }

    func add(_ failure: CacheStoreFailure) { all.withLock { $0.append(failure) } }
}
