import Duet
import DuetCaching
import DuetContext
import DuetContracts
import DuetTesting
import Foundation
import TestSupport
import Testing

/// Tests of a store behind the memory across launches.
@Suite
struct StoreTests {
    private let server = Server()
    private let store = InMemoryCacheStore()
    private let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))

    /// A launch of a program that caches in the store.
    private func launch(
        _ policy: CachePolicy<[String]> = .maxAge(.seconds(60)),
        version: Int = 1,
        limit: MemoryLimit = .entries(10)
    ) throws -> CachingDispatcher {
        let memory = CacheMemory.memory(limit: limit).backed(by: store, timeout: .seconds(3_600))
        return try server.caching(in: memory, now: date.now) {
            Cache(LoadNotes.self, policy, tags: { ["folder:\($0.folder)"] }).stored(version: version)
            Invalidate(LoadNotes.self, after: AddNote.self) { $0.folder == $1.folder }
            Invalidate(LoadNotes.self, after: RemoveNote.self)
            Invalidate(everythingAfter: SignOut.self)
            Invalidate(tag: "folder:home", after: RenameFolder.self)
        }
    }

    private func fillStore(_ policy: CachePolicy<[String]> = .maxAge(.seconds(60))) async throws {
        let first = try launch(policy)
        _ = try await first.dispatch(LoadNotes())
        try await first.cache.flush()
        #expect(store.count == 1)
        server.notes = ["New"]
    }

    @Test func `the next launch finds a value with its age`() async throws {
        try await fillStore()
        date.advance(by: 10)
        let second = try launch()
        let result = try await second.read(LoadNotes())
        #expect(result.value == ["Milk"])
        #expect(result.origin == .store)
        #expect(result.age == .seconds(10))
        #expect(try await second.read(LoadNotes()).origin == .memory)
        #expect(server.loads == 1)
    }

    @Test(arguments: [(59.0, "Milk"), (60.0, "New"), (61.0, "New")])
    func `a stored value is fresh until its maximum age`(age: Double, value: String) async throws {
        try await fillStore()
        date.advance(by: age)
        #expect(try await launch().dispatch(LoadNotes()) == [value])
    }

    @Test func `a stored value obeys the policy of the launch that reads it`() async throws {
        try await fillStore()
        date.advance(by: 10)
        #expect(try await launch(.maxAge(.seconds(10))).dispatch(LoadNotes()) == ["New"])
    }

    @Test func `a value of another version is not found`() async throws {
        try await fillStore()
        #expect(try await launch(version: 2).dispatch(LoadNotes()) == ["New"])
    }

    @Test func `a stored value of another principal is not found`() async throws {
        try await fillStore()
        let second = try launch()
        let value = try await withPrincipal(Principal(id: "ada")) { try await second.dispatch(LoadNotes()) }
        #expect(value == ["New"])
    }

    @Test func `a stale stored value is served while it is loaded again`() async throws {
        let policy = CachePolicy<[String]>.maxAge(.seconds(60)).staleWhileRevalidate(.days(1))
        try await fillStore(policy)
        date.advance(by: 60)
        let second = try launch(policy)
        var states = second.observe(LoadNotes()).makeAsyncIterator()
        while let state = await states.next(), state.value != ["New"] {
            #expect(state.value == nil || state.value == ["Milk"] && state.isStale)
        }
        #expect(try await second.read(LoadNotes()).isStale == false)
    }

    @Test func `a stored value replaces one that cannot be loaded`() async throws {
        let policy = CachePolicy<[String]>.maxAge(.seconds(60)).staleIfError(.days(1))
        try await fillStore(policy)
        date.advance(by: 3_600)
        server.failure = NoConnection()
        let result = try await launch(policy).read(LoadNotes())
        #expect(result.value == ["Milk"])
        #expect(result.isStale)
        #expect(result.error is NoConnection)
    }

    @Test func `a value is read from the store without loading`() async throws {
        try await fillStore()
        date.advance(by: 3_600)
        let second = try launch()
        let result = try await second.read(LoadNotes(), .cacheOnly)
        #expect(result.value == ["Milk"])
        #expect(result.isStale)
        await #expect(throws: NotCached.self) {
            try await second.read(LoadNotes(folder: "work"), .cacheOnly)
        }
        #expect(server.loads == 1)
    }

    @Test func `a failed load returns the stored value if the caller accepts a stale one`() async throws {
        try await fillStore()
        date.advance(by: 3_600)
        server.failure = NoConnection()
        let second = try launch()
        await #expect(throws: NoConnection.self) { try await second.read(LoadNotes(), .fresh) }
        let result = try await second.read(LoadNotes(), .freshOrStale)
        #expect(result.value == ["Milk"])
        #expect(result.isStale)
        #expect(result.error is NoConnection)
    }

    @Test func `an explanation reads the store, and does not change the memory`() async throws {
        try await fillStore()
        date.advance(by: 10)
        let cache = try launch().cache
        let explanation = await cache.explain(LoadNotes())
        #expect(explanation.source == .store)
        #expect(explanation.age == .seconds(10))
        #expect(cache.count == 0)
    }

    @Test func `a fresh read does not use the store`() async throws {
        try await fillStore()
        #expect(try await launch().read(LoadNotes(), .fresh).value == ["New"])
    }

    /// The ways to invalidate the value of `LoadNotes()`.
    enum Way: CaseIterable {
        case predicate, type, everything, tag

        func invalidate(_ dispatcher: CachingDispatcher) async throws {
            switch self {
            case .predicate: try await dispatcher.dispatch(AddNote(text: "Bread"))
            case .type: try await dispatcher.dispatch(RemoveNote())
            case .everything: try await dispatcher.dispatch(SignOut())
            case .tag: try await dispatcher.dispatch(RenameFolder())
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `a command removes stale values from the store before it returns`(way: Way) async throws {
        try await fillStore()
        try await way.invalidate(launch())
        #expect(store.count == 0)
        #expect(try await launch().dispatch(LoadNotes()).first != "Milk" || way == .predicate)
    }

    @Test func `a command leaves the values of other queries in the store`() async throws {
        try await fillStore()
        try await launch().dispatch(AddNote(folder: "work"))
        #expect(store.count == 1)
    }

    @Test(arguments: Way.allCases)
    func `a value that was loaded before an invalidation does not get into the store`(way: Way) async throws {
        let dispatcher = try launch()
        let gate = server.holdNext()
        let load = Task { try await dispatcher.dispatch(LoadNotes()) }
        await gate.arrivals(1)
        try await way.invalidate(dispatcher)
        gate.open()
        _ = try await load.value
        try await dispatcher.cache.flush()
        #expect(store.count == 0)
    }

    @Test func `removing everything empties the store`() async throws {
        try await fillStore()
        try await launch().cache.removeAll()
        #expect(store.count == 0)
    }

    @Test func `expired values are removed from the store`() async throws {
        try await fillStore()
        date.advance(by: 60)
        try await launch().cache.removeExpired()
        #expect(store.count == 0)
    }

    @Test func `a value that cannot be decoded is removed and loaded`() async throws {
        try await fillStore()
        let keys = try await CacheStoreSubject(store).keys(ofQuery: LoadNotes.messageName)
        let key = try #require(keys.first)
        let stored = try #require(await store.value(for: key))
        let damaged = StoredValue(
            bytes: stored.bytes.dropLast(),
            loaded: stored.loaded,
            usableUntil: stored.usableUntil,
            tags: stored.tags,
            writer: stored.writer,
            epoch: stored.epoch
        )
        await store.insert(damaged, for: key)
        #expect(try await launch().dispatch(LoadNotes()) == ["New"])
    }

    @Test func `a query that its encoding does not reproduce is kept in memory only`() async throws {
        let dispatcher = try server.caching(in: .stored(in: store)) {
            Cache(LoadLossy.self, .untilInvalidated).stored(version: 1)
        }
        _ = try await dispatcher.dispatch(LoadLossy(folder: "home", page: 1))
        try await dispatcher.cache.flush()
        #expect(store.count == 0)
    }

    @Test func `a store without stored rules, and stored rules without a store, are reported`() throws {
        #expect(throws: InvalidCacheRules.self) {
            try server.caching(in: .stored(in: store)) {
                Cache(LoadNotes.self, .untilInvalidated)
            }
        }
        #expect(throws: InvalidCacheRules.self) {
            try server.caching(in: .memory(limit: .entries(10))) {
                Cache(LoadNotes.self, .untilInvalidated).stored(version: 1)
            }
        }
    }

    @Test func `a value that was evicted from memory is found in the store`() async throws {
        let dispatcher = try launch(limit: .entries(1))
        _ = try await dispatcher.dispatch(LoadNotes())
        try await dispatcher.cache.flush()
        _ = try await dispatcher.dispatch(LoadNotes(folder: "other"))
        let result = try await dispatcher.read(LoadNotes())
        #expect(result.value == ["Milk"])
        #expect(result.origin == .store)
        // This value is stored and invalidated in the same launch.
        try await dispatcher.dispatch(RemoveNote())
        #expect(try await dispatcher.read(LoadNotes()).origin == .loaded)
    }
}

struct RenameFolder: Command {}

/// A query whose encoding omits a property.
private struct LoadLossy: Query, Hashable, Codable {
    typealias Value = [String]
    var folder: String
    var page = 0
    enum CodingKeys: CodingKey { case folder }
}
