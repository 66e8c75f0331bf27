import Duet
import DuetCaching
import DuetTesting
import Synchronization
import TestSupport
import Testing

@Suite
struct RuleTests {
    @Test func `an explanation names the source, the age and the rules`() async throws {
        let world = try World(.maxAge(.seconds(60)).staleWhileRevalidate(.seconds(30)))
        let cache = world.dispatcher.cache
        #expect(await cache.explain(LoadNotes()).source == .handler)
        #expect(await cache.explain(LoadNote(id: 1)).source == .notCached)
        _ = try await world.notes()
        world.date.advance(by: 10)
        let fresh = await cache.explain(LoadNotes())
        #expect(fresh.source == .memory)
        #expect(fresh.age == .seconds(10))
        #expect(fresh.remaining == .seconds(50))
        #expect(fresh.rules.count == 4)
        world.date.advance(by: 60)
        #expect(await cache.explain(LoadNotes()).source == .staleMemory)
        cache.invalidateAll()
        #expect(await cache.explain(LoadNotes()).isInvalidated)
        #expect(
            await cache.explain(LoadNotes()).description == """
                DuetCachingTests.LoadNotes would come from its handler.
                - The cached value is 1 minute 10 seconds old.
                - It was invalidated.
                - DuetCachingTests.LoadNotes is cached: maximum age 1 minute, stale while revalidating 30 seconds.
                - Some values of DuetCachingTests.LoadNotes are invalidated after DuetCachingTests.AddNote.
                - All values of DuetCachingTests.LoadNotes are invalidated after DuetCachingTests.RemoveNote.
                - Everything is invalidated after DuetCachingTests.SignOut.
                """
        )
    }

    @Test func `the values in memory are explained without their content, the newest of each query first`() async throws
    {
        let world = try World(.maxAge(.seconds(60)).staleWhileRevalidate(.seconds(30)))
        let cache = world.dispatcher.cache
        #expect(cache.explanations().isEmpty)
        _ = try await world.dispatcher.dispatch(LoadNotes(folder: "secret"))
        world.date.advance(by: 70)
        _ = try await world.notes()
        let explanations = cache.explanations()
        #expect(explanations.map(\.query) == ["DuetCachingTests.LoadNotes", "DuetCachingTests.LoadNotes"])
        #expect(explanations.map(\.source) == [.memory, .staleMemory])
        #expect(explanations.map(\.age) == [.zero, .seconds(70)])
        #expect(explanations.map(\.remaining) == [.seconds(60), .seconds(-10)])
        #expect(explanations.allSatisfy { $0.rules.count == 4 && !"\($0)".contains("secret") })
        #expect(cache.explanations(limit: 1).map(\.age) == [.zero])
        #expect(cache.explanations(limit: -1).isEmpty)
        #expect(cache.statistics(of: LoadNotes.self).hits == 0)
        cache.invalidateAll()
        #expect(cache.explanations().map(\.isInvalidated) == [true, true])
        #expect(cache.explanations().map(\.source) == [.handler, .handler])
    }

    @Test func `invalidations are reported, and received ones are carried out but not repeated`() async throws {
        let here = try World()
        let there = try World()
        var reported = here.dispatcher.cache.invalidations.makeAsyncIterator()
        var repeated = there.dispatcher.cache.invalidations.makeAsyncIterator()
        _ = try await there.notes()
        try await here.dispatcher.dispatch(AddNote(text: "Bread"))
        let invalidation = try #require(await reported.next())
        guard case .command(let command) = invalidation else {
            Issue.record("\(invalidation)")
            return
        }
        #expect(command is AddNote)
        there.dispatcher.cache.apply(invalidation)
        _ = try await there.notes()
        #expect(there.server.loads == 2)
        there.dispatcher.cache.invalidate(tag: "x")
        guard case .tag("x") = await repeated.next() else {
            Issue.record("Something else was reported first.")
            return
        }
    }

    @Test func `the rules of a command name the values that they invalidate`() throws {
        let cache = try QueryCache(in: .memory(limit: .entries(10))) {
            Cache(LoadNotes.self, .untilInvalidated, tags: { [$0.folder] })
            Invalidate(LoadNotes.self, after: AddNote.self) { _, _ in false }
            Invalidate(tags: { [$0.text, "b"] }, after: AddNote.self)
            Invalidate(tag: "c", after: AddNote.self, RemoveNote.self)
            Invalidate(everythingAfter: SignOut.self)
        }
        #expect(
            cache.invalidations(after: AddNote(text: "a")).map { "\($0)" }
                == ["query(name: \"\(LoadNotes.messageName)\")", "tag(\"a\")", "tag(\"b\")", "tag(\"c\")"]
        )
        #expect(cache.invalidations(after: RemoveNote()).map { "\($0)" } == ["tag(\"c\")"])
        #expect(cache.invalidations(after: SignOut()).map { "\($0)" } == ["everything"])
        #expect(cache.invalidations(after: Append(item: 1)).isEmpty)
    }

    @Test func `each event is counted once`() async throws {
        let world = try World(.maxAge(.seconds(60)).staleWhileRevalidate(.seconds(30)))
        _ = try await world.notes()
        _ = try await world.notes()
        world.date.advance(by: 60)
        let gate = world.server.holdNext()
        _ = try await world.notes()
        await gate.arrivals(1)
        let joined = Task { try await world.result(.fresh) }
        await world.hasCoalesced(1)
        gate.open()
        _ = try await joined.value
        try await world.dispatcher.dispatch(RemoveNote())
        let statistics = world.dispatcher.cache.statistics(of: LoadNotes.self)
        #expect(statistics.misses == 1)
        #expect(statistics.hits == 1)
        #expect(statistics.stale == 1)
        #expect(statistics.coalesced == 1)
        #expect(statistics.invalidations == 1)
        #expect(statistics.evicted == 0)
    }

    @Test func `an observed value is loaded again after each interval`() async throws {
        let world = try World()
        var values = world.dispatcher
            .observe(LoadNotes(), refreshingEvery: .seconds(30), clock: world.clock).values.makeAsyncIterator()
        #expect(try await values.next() == ["Milk"])
        world.server.notes = ["Bread"]
        #expect(await world.clock.nextSleeper() == .seconds(30))
        world.clock.advance(by: .seconds(30))
        #expect(try await values.next() == ["Bread"])
    }

    @Test func `observed values are loaded again when the application requests it`() async throws {
        let world = try World()
        var values = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await values.next() == ["Milk"])
        world.server.notes = ["Bread"]
        world.dispatcher.cache.refreshObserved()
        #expect(try await values.next() == ["Bread"])
    }

    @Test func `values that are too old are removed without being read`() async throws {
        let world = try World {
            Cache(LoadNote.self, .maxAge(.seconds(60)))
            Cache(LoadNotes.self, .untilInvalidated)
        }
        for id in 0..<10 { _ = try await world.dispatcher.dispatch(LoadNote(id: id)) }
        world.date.advance(by: 60)
        for folder in 0..<6 { _ = try await world.dispatcher.dispatch(LoadNotes(folder: "\(folder)")) }
        #expect(world.dispatcher.cache.count == 6)
        try await world.dispatcher.cache.removeExpired()
        #expect(world.dispatcher.cache.count == 6)
    }

    @Test func `a handler that dispatches its own query does not wait for itself`() async throws {
        let recursive = Recursive(server: Server())
        let cache = try QueryCache(in: .memory(limit: .entries(10))) { Cache(LoadNotes.self, .untilInvalidated) }
        let dispatcher = recursive.caching(with: cache)
        recursive.setOuter(dispatcher)
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["Milk"])
    }
}

/// Dispatches a query with an outer dispatcher while it handles that query.
private final class Recursive: Dispatcher {
    private let server: Server
    private let outer = Mutex<(any Dispatcher)?>(nil)

    init(server: Server) {
        self.server = server
    }

    func setOuter(_ outer: any Dispatcher) { self.outer.withLock { $0 = outer } }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard let outer = outer.withLock({ $0.take() }) else { return try await server.dispatch(message) }
        return try await outer.dispatch(message)
    }
}
