import Duet
import DuetCaching
import DuetContracts
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import Synchronization
import Testing

/// Marks and removals that outlive their callers, launches that follow, and processes that are killed in between.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SQLiteCacheMarkTests {
    private struct LoadRow: Query, Hashable, Codable {
        typealias Value = String
        let id: Int
    }

    private struct EditRow: Command { let id: Int }

    private struct EditTag: Command {}

    private let directory: TemporaryDirectory
    private let path: String
    private let spy = SpyDispatcher()
    private let clock = ManualClock()

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("cache.sqlite")
        spy.stub(EditRow.self)
        spy.stub(EditTag.self)
    }

    private func launch(
        at path: String? = nil,
        in store: (any CacheStore)? = nil,
        entries: Int = 1,
        policy: CachePolicy<String> = .untilInvalidated.staleIfError(.days(1)),
        onError: @escaping @Sendable (CacheStoreFailure) -> Void = { _ in }
    ) async throws -> CachingDispatcher {
        let opened: any CacheStore
        if let store { opened = store } else { opened = try await SQLiteCacheStore.open(path ?? self.path) }
        let memory = CacheMemory.memory(limit: .entries(entries)).backed(by: opened, onError: onError)
        return try spy.caching(in: memory, clock: clock) {
            Cache(LoadRow.self, policy, tags: { ["row \($0.id)"] }).stored(version: 1)
            Invalidate(LoadRow.self, after: EditRow.self) { $0.id == $1.id }
            Invalidate(tag: "row 1", after: EditTag.self)
        }
    }

    private func fill(_ dispatcher: CachingDispatcher, _ ids: ClosedRange<Int>) async throws {
        spy.stub(LoadRow.self) { "row \($0.id)" }
        for id in ids {
            _ = try await dispatcher.dispatch(LoadRow(id: id))
            // Of a store that falls behind, no more than 64 values are kept.
            if id.isMultiple(of: 20) { try await dispatcher.cache.flush() }
        }
        try await dispatcher.cache.flush()
    }

    private func isStale(_ id: Int, in dispatcher: CachingDispatcher) async throws -> Bool {
        try await dispatcher.read(LoadRow(id: id), .cacheOnly).isStale
    }

    // MARK: Notes

    @Test func `a command returns when the store has noted a doubt, and a killed process leaves no old truth`()
        async throws
    {
        let store = FaultyCacheStore(try await SQLiteCacheStore.open(path))
        let dispatcher = try await launch(in: store)
        try await fill(dispatcher, 1...3)
        let gate = Gate()
        store.inject(.delay(gate), into: .markStale)
        try await dispatcher.dispatch(EditRow(id: 1))
        await gate.arrivals(1)

        // This cache knows which values are meant.
        #expect(try await isStale(1, in: dispatcher))
        #expect(try await !isStale(2, in: dispatcher))
        // Another one does not yet.
        let other = try await launch()
        for id in 1...3 { #expect(try await isStale(id, in: other)) }
        // As after a kill.
        let copy = directory.path("copy.sqlite")
        try StoreFile.copy(from: path, to: copy)
        let relaunched = try await launch(at: copy)
        for id in 1...3 { #expect(try await isStale(id, in: relaunched)) }
        // A value that is stored after the note is as fresh as ever.
        spy.stub(LoadRow.self) { "new row \($0.id)" }
        #expect(try await relaunched.read(LoadRow(id: 2), .fresh).value == "new row 2")
        try await relaunched.cache.flush()
        #expect(try await !isStale(2, in: launch(at: copy)))

        gate.open()
        try await dispatcher.cache.flush()
        let next = try await launch()
        #expect(try await isStale(1, in: next))
        for id in 2...3 { #expect(try await !isStale(id, in: next)) }
    }

    @Test func `commands that wait share one pass, and none of their marks is lost`() async throws {
        let store = FaultyCacheStore(try await SQLiteCacheStore.open(path))
        let dispatcher = try await launch(in: store, entries: 500) { Issue.record("\($0)") }
        try await fill(dispatcher, 1...300)
        let gate = Gate()
        store.inject(.delay(gate), into: .markStale)
        try await dispatcher.dispatch(EditRow(id: 300))
        await gate.arrivals(1)
        try await withThrowingTaskGroup { group in
            for id in 1...200 { group.addTask { try await dispatcher.dispatch(EditRow(id: id)) } }
            try await group.waitForAll()
        }
        #expect(store.callCount(of: .markStale) == 1)
        gate.open()
        try await dispatcher.cache.flush()
        #expect(store.callCount(of: .markStale) == 2)
        #expect(store.callCount(of: .endDoubts) == 2)
        let next = try await launch(entries: 500) { Issue.record("\($0)") }
        for id in 1...300 { #expect(try await isStale(id, in: next) == (id <= 200 || id == 300), "\(id)") }
    }

    @Test(arguments: [EditRow(id: 1) as any Command, EditTag()])
    func `a mark goes on when its caller has stopped waiting, and a flush waits for it`(command: any Command)
        async throws
    {
        // It keeps no notes.
        let store = FaultyCacheStore()
        let failures = Mutex<[CacheStoreFailure.Operation]>([])
        let dispatcher = try await launch(in: store) { failure in failures.withLock { $0.append(failure.operation) } }
        try await fill(dispatcher, 1...2)
        let gate = Gate()
        store.inject(.delay(gate), into: .markStale)
        let caller = Task { try await dispatcher.dispatch(command) }
        await gate.arrivals(1)
        while await clock.nextSleeper() != .seconds(1) {}
        clock.advance(by: .seconds(1))
        try await caller.value
        #expect(failures.withLock(\.self) == [.marking])
        let flush = Task { try await dispatcher.cache.flush() }
        gate.open()
        try await flush.value
        let next = try await launch(in: store)
        #expect(try await isStale(1, in: next))
        #expect(try await !isStale(2, in: next))
    }

    @Test(arguments: [EditRow(id: 1) as any Command, EditTag()])
    func `a flush tries again to make a mark that failed`(command: any Command) async throws {
        let store = FaultyCacheStore(try await SQLiteCacheStore.open(path))
        let dispatcher = try await launch(in: store)
        try await fill(dispatcher, 1...2)
        store.inject(.failure(CancellationError()), into: .markStale)
        try await dispatcher.dispatch(command)
        try await dispatcher.cache.flush()
        let next = try await launch()
        #expect(try await isStale(1, in: next))
        // In doubt, all values of the query are stale.
        #expect(try await isStale(2, in: next) == (command is EditRow))
        #expect(try await StoreFile.number("SELECT count(*) FROM doubt", at: path) == 0)
    }

    /// Lets the store hang with as many marks as there may be, all of which wait for one pass.
    private func hang(_ store: FaultyCacheStore, _ dispatcher: CachingDispatcher) async throws -> Gate {
        let gate = Gate()
        store.inject(.delay(gate), into: .markStale)
        store.inject(.failure(CancellationError()), into: .noteDoubt, from: 1)
        let commands = (1...16).map { id in Task { try await dispatcher.dispatch(EditRow(id: 100 + id)) } }
        for _ in commands { while await clock.nextSleeper() != .seconds(1) {} }
        clock.advance(by: .seconds(1))
        for command in commands { try await command.value }
        return gate
    }

    @Test func `a mark that was refused while the store hung is made when it goes on`() async throws {
        let store = FaultyCacheStore(try await SQLiteCacheStore.open(path))
        let dispatcher = try await launch(in: store)
        try await fill(dispatcher, 1...2)
        let gate = try await hang(store, dispatcher)
        let calls = store.callCount(of: .markStale)
        try await dispatcher.dispatch(EditTag())
        #expect(store.callCount(of: .markStale) == calls)
        let marked = Gate()
        // The pass of the other commands comes first.
        store.inject(.delay(marked), into: .markStale, at: 2)
        gate.open()
        await marked.arrivals(1)
        marked.open()
        try await dispatcher.cache.flush()
        let next = try await launch()
        #expect(try await isStale(1, in: next))
        #expect(try await !isStale(2, in: next))
    }

    // MARK: Removals

    @Test func `a removal is noted although the store hangs`() async throws {
        let store = FaultyCacheStore(try await SQLiteCacheStore.open(path))
        let dispatcher = try await launch(in: store)
        try await fill(dispatcher, 1...1)
        let gate = try await hang(store, dispatcher)
        store.inject(.delay(gate), into: .removeAll)
        let removal = Task { try await dispatcher.cache.removeAll() }
        await gate.arrivals(2)
        while await clock.nextSleeper() != .seconds(1) {}
        clock.advance(by: .seconds(1))
        let failure = await #expect(throws: CacheStoreFailure.self) { try await removal.value }
        #expect(failure?.isNoted == true)
        #expect(FileManager.default.fileExists(atPath: path + ".remove"))
        gate.open()
    }

    @Test func `a flush does not repeat a removal that succeeded later`() async throws {
        let store = FaultyCacheStore(try await SQLiteCacheStore.open(path))
        let dispatcher = try await launch(in: store)
        store.inject(.failure(CancellationError()), into: .removeAll)
        await #expect(throws: CacheStoreFailure.self) { try await dispatcher.cache.removeAll() }
        try await dispatcher.cache.removeAll()
        try await fill(dispatcher, 1...1)
        try await dispatcher.cache.flush()
        #expect(try await launch().read(LoadRow(id: 1), .cacheOnly).value == "row 1")
    }

    @Test func `a file of somebody else in the place of the note is no note, and stays`() async throws {
        let dispatcher = try await launch()
        try await fill(dispatcher, 1...1)
        try Data("mine".utf8).write(to: URL(filePath: path + ".remove"))
        #expect(try await launch().read(LoadRow(id: 1), .cacheOnly).value == "row 1")
        #expect(try await !SQLiteCacheStore.open(path).noteRemoval())
        try await dispatcher.cache.removeAll()
        #expect(try Data(contentsOf: URL(filePath: path + ".remove")) == Data("mine".utf8))
    }

    @Test func `no launch serves a value from before a removal that failed`() async throws {
        let store = FaultyCacheStore(try await SQLiteCacheStore.open(path))
        let dispatcher = try await launch(in: store)
        try await fill(dispatcher, 1...1)
        let gate = Gate()
        for (name, fault) in [("a", FaultyCacheStore.Fault.failure(CancellationError())), ("b", .delay(gate))] {
            store.inject(fault, into: .removeAll)
            let removal = Task { try await dispatcher.cache.removeAll() }
            if case .delay = fault {
                await gate.arrivals(1)
                while await clock.nextSleeper() != .seconds(1) {}
                clock.advance(by: .seconds(1))
            }
            let failure = await #expect(throws: CacheStoreFailure.self) { try await removal.value }
            #expect(failure?.isNoted == true)
            #expect(failure?.operation == .removing)
            await #expect(throws: NotCached.self) { try await dispatcher.read(LoadRow(id: 1), .cacheOnly) }
            let copy = directory.path(name + ".sqlite")
            try StoreFile.copy(from: path, to: copy)
            try Data().write(to: URL(filePath: copy + ".remove"))
            let next = try await launch(at: copy)
            await #expect(throws: NotCached.self) { try await next.read(LoadRow(id: 1), .cacheOnly) }
            #expect(!FileManager.default.fileExists(atPath: copy + ".remove"))
        }
        #expect(FileManager.default.fileExists(atPath: path + ".remove"))
        gate.open()
        try await dispatcher.cache.flush()
        #expect(!FileManager.default.fileExists(atPath: path + ".remove"))
        #expect(try await StoreFile.number("SELECT count(*) FROM value", at: path) == 0)
    }

    @Test func `without a note, the error says that the next launch may return the values`() async throws {
        let store = FaultyCacheStore(try await SQLiteCacheStore.open(path))
        let dispatcher = try await launch(in: store)
        store.inject(.failure(CancellationError()), into: .noteRemoval)
        try await dispatcher.cache.removeAll()
        store.inject(.failure(CancellationError()), into: .noteRemoval)
        store.inject(.failure(CancellationError()), into: .removeAll)
        let failure = await #expect(throws: CacheStoreFailure.self) { try await dispatcher.cache.removeAll() }
        #expect(failure?.isNoted == false)
        #expect(failure?.description.contains("the next launch may return them") == true)
    }

    @Test func `removing expired values ends with the timeout of the store`() async throws {
        let store = FaultyCacheStore()
        let dispatcher = try await launch(in: store)
        store.inject(.hang, into: .removeExpired)
        let removal = Task { try await dispatcher.cache.removeExpired() }
        await clock.nextSleeper()
        clock.advance(by: .seconds(1))
        let failure = await #expect(throws: CacheStoreFailure.self) { try await removal.value }
        #expect(failure?.operation == .expiring)
    }

    @Test func `a value that an observer loads during a removal is stored`() async throws {
        let store = FaultyCacheStore(try await SQLiteCacheStore.open(path))
        let dispatcher = try await launch(in: store)
        spy.stub(LoadRow.self) { _ in "of ada" }
        var states = dispatcher.observe(LoadRow(id: 1)).makeAsyncIterator()
        while await states.next()?.value == nil {}
        try await dispatcher.cache.flush()
        spy.stub(LoadRow.self) { _ in "of bob" }
        let gate = Gate()
        store.inject(.delay(gate), into: .removeAll)
        let removal = Task { try await dispatcher.cache.removeAll() }
        await gate.arrivals(1)
        gate.open()
        try await removal.value
        while await states.next()?.value != "of bob" {}
        try await dispatcher.cache.flush()
        let next = try await launch()
        #expect(try await next.read(LoadRow(id: 1), .cacheOnly).value == "of bob")
    }

    @Test func `a sign-out takes each step in order, also after one that failed, and throws at the end`() async throws {
        let dispatcher = try await launch()
        try await fill(dispatcher, 1...1)
        let steps = Mutex<[String]>([])
        @Sendable func step(_ name: String) throws {
            steps.withLock { $0.append(name) }
            throw StepFailure(name: name)
        }
        let failure = await #expect(throws: StepFailure.self) {
            try await dispatcher.cache.signOut(
                atServer: { try step("server") },
                dropping: { try step("credentials") },
                ending: { try step("screens") },
                queue: CommandQueue(in: InMemoryCommandStore())
            )
        }
        #expect(failure?.name == "server")
        #expect(steps.withLock(\.self) == ["server", "credentials", "screens"])
        await #expect(throws: NotCached.self) { try await dispatcher.read(LoadRow(id: 1), .cacheOnly) }
        await #expect(throws: NotCached.self) { try await launch().read(LoadRow(id: 1), .cacheOnly) }
    }

    private struct StepFailure: Error { let name: String }
}
