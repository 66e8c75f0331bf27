import Duet
import DuetCaching
import TestSupport
import Testing

@Suite
struct EvictionTests {
    @Test func `the number of entries stays within the limit`() async throws {
        let world = try World(in: .memory(limit: .entries(10))) { Cache(LoadNote.self, .untilInvalidated) }
        for id in 0..<100 { _ = try await world.dispatcher.dispatch(LoadNote(id: id)) }
        #expect(world.dispatcher.cache.count == 10)
        #expect(world.dispatcher.cache.statistics(of: LoadNote.self).evicted == 90)
    }

    @Test func `an entry that was not read is evicted first`() async throws {
        let world = try World(in: .memory(limit: .entries(2))) { Cache(LoadNote.self, .untilInvalidated) }
        for id in [1, 2, 1, 3, 1, 2] { _ = try await world.dispatcher.dispatch(LoadNote(id: id)) }
        // 3 replaces 2, and 2 replaces 3.
        #expect(world.server.loads == 4)
    }

    @Test func `weights are respected, and a value that is too heavy is not stored`() async throws {
        let world = try World(in: .memory(limit: .weight(10))) {
            Cache(LoadNotes.self, .untilInvalidated, weight: { $0.count })
        }
        world.server.notes = Array(repeating: "x", count: 11)
        for _ in 0..<2 { _ = try await world.notes() }
        #expect(world.server.loads == 2)
        #expect(world.dispatcher.cache.count == 0)
        world.server.notes = Array(repeating: "x", count: 10)
        for _ in 0..<2 { _ = try await world.notes() }
        #expect(world.server.loads == 3)
    }

    @Test func `a weight of zero counts as one, and a value with a negative weight is not stored`() async throws {
        let world = try World(in: .memory(limit: .weight(2))) {
            Cache(LoadNotes.self, .untilInvalidated, weight: { $0.count - 1 })
        }
        for _ in 0..<2 { _ = try await world.notes() }
        #expect(world.server.loads == 1)
        for folder in 0..<2 { _ = try await world.dispatcher.dispatch(LoadNotes(folder: "\(folder)")) }
        #expect(world.dispatcher.cache.count == 1)
    }

    @Test func `at a shortage of memory, only the values stay that are observed`() async throws {
        let world = try World(in: .stored(in: InMemoryCacheStore())) {
            Cache(LoadNotes.self, .untilInvalidated).stored(version: 1)
            Cache(LoadNote.self, .untilInvalidated)
        }
        let cache = world.dispatcher.cache
        var values = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await values.next() == ["Milk"])
        _ = try await world.dispatcher.dispatch(LoadNotes(folder: "work"))
        _ = try await world.dispatcher.dispatch(LoadNote(id: 1))
        try await cache.flush()
        cache.removeUnobserved()
        #expect(cache.count == 1)
        #expect(cache.peek(LoadNotes()) == ["Milk"])
        // The others come from the store, or are loaded again.
        #expect(try await world.dispatcher.read(LoadNotes(folder: "work")).origin == .store)
        #expect(try await world.dispatcher.read(LoadNote(id: 1)).origin == .loaded)
        world.server.notes = ["Bread"]
        _ = try await world.result(.fresh)
        #expect(try await values.next() == ["Bread"])
    }

    @Test func `one value may take the whole memory`() async throws {
        let size = 100 * 1_024 * 1_024
        let world = try World(in: .memory(limit: .weight(size))) {
            Cache(LoadNotes.self, .untilInvalidated, weight: { _ in size })
        }
        for folder in 0..<3 { _ = try await world.dispatcher.dispatch(LoadNotes(folder: "\(folder)")) }
        #expect(world.dispatcher.cache.count == 1)
    }
}
