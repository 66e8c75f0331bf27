import Duet
import DuetCaching
import DuetTesting
import TestSupport
import Testing

@Suite
struct ReadModeTests {
    @Test func `a result has its origin and its age`() async throws {
        let world = try World()
        let first = try await world.result()
        world.date.advance(by: 10)
        let second = try await world.result()
        #expect(first.origin == .loaded)
        #expect(first.age == .zero)
        #expect(second.origin == .memory)
        #expect(second.age == .seconds(10))
        #expect(!second.isStale)
    }

    @Test func `fresh loads although there is a value`() async throws {
        let world = try World()
        _ = try await world.notes()
        world.server.notes = ["Bread"]
        #expect(try await world.result(.fresh).value == ["Bread"])
        #expect(try await world.notes() == ["Bread"])
    }

    @Test func `fresh or stale returns a stale value with the error`() async throws {
        let world = try World()
        _ = try await world.notes()
        world.date.advance(by: 3_600)
        world.server.failure = NoConnection()
        await #expect(throws: NoConnection()) { try await world.result(.fresh) }
        let stale = try await world.result(.freshOrStale)
        #expect(stale.value == ["Milk"])
        #expect(stale.isStale)
        #expect(stale.age == .seconds(3_600))
        #expect(stale.error is NoConnection)
    }

    @Test func `cache only never loads`() async throws {
        let world = try World()
        let error = await #expect(throws: NotCached.self) { try await world.result(.cacheOnly) }
        #expect(error?.query == LoadNotes.messageName)
        _ = try await world.notes()
        world.date.advance(by: 3_600)
        let result = try await world.result(.cacheOnly)
        #expect(result.value == ["Milk"])
        #expect(result.isStale)
        #expect(world.server.loads == 1)
    }

    @Test func `a fresh value can be read without waiting`() async throws {
        let world = try World()
        let cache = world.dispatcher.cache
        #expect(cache.peek(LoadNotes()) == nil)
        _ = try await world.notes()
        #expect(cache.peek(LoadNotes()) == ["Milk"])
        world.date.advance(by: 60)
        #expect(cache.peek(LoadNotes()) == nil)
        #expect(cache.peek(LoadNote(id: 1)) == nil)
    }

    // MARK: Layers

    /// Layers outside of a cache, which see each value of the notes.
    private func redacted(_ world: World) -> some Dispatcher {
        world.dispatcher.intercepting(LoadNotes.self) { query, next in
            try await next.dispatch(query).map { "\($0.prefix(1))…" }
        }
    }

    @Test func `a layer outside of the cache sees what is read and what is observed`() async throws {
        let world = try World()
        let dispatcher = redacted(world)
        for mode in [ReadMode.cacheFirst, .fresh, .freshOrStale, .cacheOnly] {
            #expect(try await dispatcher.read(LoadNotes(), mode).value == ["M…"])
        }
        #expect(world.server.loads == 3)
        #expect(try await dispatcher.read(LoadNotes()).origin == .memory)
        var values = dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await values.next() == ["M…"])
        world.server.notes = ["Bread"]
        try await dispatcher.dispatch(AddNote())
        #expect(try await values.next()?.first == "B…")
    }

    @Test func `a retry outside of the cache reads in the same mode, and not again what is not cached`() async throws {
        let world = try World()
        let policy = RetryPolicy(maximumAttempts: 2, backoff: .constant(.zero))
        let dispatcher = world.dispatcher.retrying(policy, clock: world.clock)
        await #expect(throws: NotCached.self) { try await dispatcher.read(LoadNotes(), .cacheOnly) }
        #expect(world.server.loads == 0)
        _ = try await world.notes()
        world.server.failure = NoConnection()
        await #expect(throws: NoConnection()) { try await dispatcher.read(LoadNotes(), .fresh) }
        #expect(world.server.loads == 3)
    }

    @Test func `the outer one of two caches applies the mode`() async throws {
        let world = try World()
        let outer = try world.dispatcher.caching(in: .memory(limit: .entries(10)), now: world.date.now) {
            Cache(LoadNotes.self, .maxAge(.seconds(10)))
        }
        _ = try await outer.dispatch(LoadNotes())
        world.server.notes = ["Bread"]
        // The inner cache still has a fresh value.
        #expect(try await outer.read(LoadNotes(), .fresh).value == ["Milk"])
        #expect(world.server.loads == 1)
    }

    @Test func `a query of a handler is not read in the mode of the query that it serves`() async throws {
        let world = try World {
            Cache(LoadNotes.self, .maxAge(.seconds(60)))
            Cache(LoadNote.self, .maxAge(.seconds(60)))
        }
        let cached = world.dispatcher
        _ = try await cached.dispatch(LoadNote(id: 1))
        let dispatcher = cached.intercepting(LoadNotes.self) { query, next in
            _ = try await cached.dispatch(LoadNote(id: 1))
            return try await next.dispatch(query)
        }
        let loads = world.server.loads
        _ = try await dispatcher.read(LoadNotes(), .fresh)
        #expect(world.server.loads == loads + 1)
    }

    @Test func `a read includes the changes of running commands if it asks for them`() async throws {
        let world = try ListWorld()
        #expect(try await world.dispatcher.dispatch(LoadList()) == [0])
        let command = try await world.begin(1)
        #expect(try await world.dispatcher.read(LoadList()).value == [0])
        let mode = ReadMode.cacheFirst.includingUnconfirmed()
        let included = try await world.dispatcher.read(LoadList(), mode)
        #expect(included.value == [0, 1] && included.isOptimistic)
        #expect(try await world.dispatcher.read(LoadList()).isOptimistic == false)
        await world.finish(1, command)
        let loaded = try await world.dispatcher.read(LoadList(), mode)
        #expect(loaded.value == [0, 1] && !loaded.isOptimistic)
        #expect(try await world.dispatcher.read(LoadList()).value == [0, 1])
    }
}
