import Duet
import DuetCaching
import DuetTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Tests of values with the versions of caches elsewhere: an older one never replaces a newer one of the same cache.
@Suite(.timeLimit(.minutes(5)))
struct ValueVersionTests {
    private let live = LiveServer()
    private let clock = ManualClock()
    private let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))
    private let dispatcher: CachingDispatcher

    init() throws {
        dispatcher = try live.caching(in: .memory(limit: .entries(10)), now: date.now, clock: clock) {
            Cache(LoadNotes.self, .maxAge(.seconds(60)))
            Cache(LoadNote.self, .maxAge(.seconds(60)))
            Invalidate(LoadNotes.self, after: AddNote.self)
        }
    }

    private func version(_ number: Int, of cache: UInt64 = 1) -> CacheVersion { LiveServer.version(number, of: cache) }

    /// Adds a note with a command that leads to a version.
    private func add(_ text: String, _ version: CacheVersion?) async throws {
        live.lead(to: version)
        try await dispatcher.dispatch(AddNote(text: text))
    }

    /// Returns the next state that meets a condition.
    private func state(
        _ states: inout QueryStates<[String]>.AsyncIterator,
        where condition: (QueryState<[String]>) -> Bool
    ) async throws -> QueryState<[String]> {
        while let state = await states.next() { if condition(state) { return state } }
        throw NoConnection()
    }

    // MARK: Loads

    @Test func `a load that is older than a command of this client is repeated past the caches`() async throws {
        try await add("Bread", version(2))
        live.answer(["Milk"], version(1))
        live.answer(["Milk", "Bread"], version(2))
        let result = try await dispatcher.read(LoadNotes())
        #expect(result.value == ["Milk", "Bread"])
        #expect(!result.isStale)
        #expect(live.modes == [.cacheFirst, .fresh])
    }

    @Test func `a load that stays older is shown as stale, and does not go on`() async throws {
        try await add("Bread", version(2))
        for _ in 1...2 { live.answer(["Milk"], version(1)) }
        let result = try await dispatcher.read(LoadNotes())
        #expect(result.value == ["Milk"])
        #expect(result.isStale)
        #expect(live.modes == [.cacheFirst, .fresh])
    }

    @Test func `an observer of a load that stays older sees it as stale, and no load`() async throws {
        try await add("Bread", version(2))
        for _ in 1...2 { live.answer(["Milk"], version(1)) }
        var states = dispatcher.observe(LoadNotes()).makeAsyncIterator()
        await live.streams(1)
        live.end()
        let shown = try await state(&states) { $0.value != nil && !$0.isLoading }
        #expect(shown.value == ["Milk"])
        #expect(shown.isStale)
        #expect(live.modes == [.cacheFirst, .fresh])
    }

    @Test func `a load that was not repeated in time is shown as stale`() async throws {
        try await add("Bread", version(2))
        live.answer(["Milk"], version(1))
        live.answerFailure(NoConnection())
        let result = try await dispatcher.read(LoadNotes())
        #expect(result.value == ["Milk"])
        #expect(result.isStale)
    }

    @Test func `a query without a rule for the command is not repeated`() async throws {
        try await add("Bread", version(2))
        live.note(version(1))
        #expect(try await !dispatcher.read(LoadNote(id: 1)).isStale)
        #expect(live.modes == [.cacheFirst])
    }

    @Test func `an older value does not replace a newer one in memory`() async throws {
        live.answer(["New"], version(5))
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["New"])
        date.advance(by: 61)
        for _ in 1...2 { live.answer(["Old"], version(3)) }
        let result = try await dispatcher.read(LoadNotes())
        #expect(result.value == ["Old"])
        #expect(result.isStale)
        #expect(try await dispatcher.read(LoadNotes(), .cacheOnly).value == ["New"])
        live.answer(["Newer"], version(6))
        #expect(try await dispatcher.read(LoadNotes()).value == ["Newer"])
        #expect(try await dispatcher.read(LoadNotes(), .cacheOnly).value == ["Newer"])
    }

    @Test(arguments: [nil, LiveServer.version(1, of: 2)])
    func `the value of another cache replaces it, because it came later`(_ other: CacheVersion?) async throws {
        live.answer(["One"], version(5))
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["One"])
        date.advance(by: 61)
        live.answer(["Two"], other)
        let result = try await dispatcher.read(LoadNotes())
        #expect(result.value == ["Two"])
        #expect(!result.isStale)
        #expect(live.modes == [.cacheFirst, .cacheFirst])
    }

    // MARK: Reports

    /// Observes the notes, of which the server has reported some with version 3.
    private func observing() async throws -> QueryStates<[String]>.AsyncIterator {
        var states = dispatcher.observe(LoadNotes()).makeAsyncIterator()
        await live.streams(1)
        live.report(["Three"], version(3))
        _ = try await state(&states) { $0.value == ["Three"] && !$0.isLoading }
        return states
    }

    @Test func `a report that is older than the loaded value changes nothing, and causes no load`() async throws {
        var states = try await observing()
        live.answer(["Five"], version(5))
        _ = try await dispatcher.read(LoadNotes(), .fresh)
        _ = try await state(&states) { $0.value == ["Five"] && !$0.isLoading }
        live.report(["Four"], version(4))
        live.report(["Six"], version(6))
        let next = try await state(&states) { $0.value != ["Five"] }
        #expect(next.value == ["Six"])
        #expect(!next.isLoading)
        #expect(dispatcher.cache.peek(LoadNotes()) == ["Six"])
        #expect(live.modes == [.cacheFirst])
    }

    @Test func `a load that is newer than the report which came during it needs no other load`() async throws {
        var states = try await observing()
        let gate = live.holdAnswer()
        live.answer(["Five"], version(5))
        async let result = dispatcher.read(LoadNotes(), .fresh)
        await gate.arrivals(1)
        live.report(["Four"], version(4))
        _ = try await state(&states) { $0.value == ["Four"] && $0.isLoading }
        gate.open()
        #expect(try await !result.isStale)
        _ = try await state(&states) { $0.value == ["Five"] && !$0.isLoading }
        #expect(live.modes == [.cacheFirst])
    }

    @Test func `a load that is older than the report which came during it is not shown`() async throws {
        var states = try await observing()
        let gate = live.holdAnswer()
        live.answer(["Three"], version(3))
        live.answer(["Five"], version(5))
        async let result = dispatcher.read(LoadNotes(), .fresh)
        await gate.arrivals(1)
        live.report(["Four"], version(4))
        _ = try await state(&states) { $0.value == ["Four"] && $0.isLoading }
        gate.open()
        #expect(try await result.isStale)
        let next = try await state(&states) { $0.value != ["Four"] }
        #expect(next.value == ["Five"])
        #expect(live.modes == [.cacheFirst, .cacheFirst])
    }

    @Test func `a report that came before a delayed load is not fresh without its change`() async throws {
        var states = try await observing()
        // The first load after an invalidation begins at once, and the next one after a pause.
        live.answer(["Four"], version(4))
        dispatcher.cache.invalidate(LoadNotes.self)
        _ = try await state(&states) { $0.value == ["Four"] && !$0.isLoading }
        try await add("Bread", nil)
        _ = try await state(&states) { $0.isStale }
        live.report(["Five"], version(5))
        let reported = try await state(&states) { $0.value == ["Five"] }
        #expect(reported.isLoading)
        #expect(dispatcher.cache.peek(LoadNotes()) == nil)
        live.answer(["Six"], version(6))
        #expect(await clock.nextSleeper() == .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        _ = try await state(&states) { $0.value == ["Six"] && !$0.isLoading }
    }

    @Test func `the report of one command does not wait for the version of another query's command`() async throws {
        var states = try await observing()
        try await add("Bread", version(4))
        live.lead(to: version(6))
        try await dispatcher.dispatch(RemoveNote())
        live.report(["Four"], version(4))
        let reported = try await state(&states) { $0.value == ["Four"] }
        #expect(!reported.isLoading)
        #expect(dispatcher.cache.peek(LoadNotes()) == ["Four"])
    }

    @Test func `after a failed load, the report of another cache causes a load, and no lasting spinner`() async throws {
        var states = try await observing()
        live.base.failureAfterCommand = NoConnection()
        try await add("Bread", version(5))
        #expect(await clock.nextSleeper() == .seconds(1))
        clock.advance(by: .seconds(1))
        _ = try await state(&states) { $0.error != nil && !$0.isLoading }
        live.base.failure = nil
        live.report(["Another"], version(1, of: 2))
        #expect(await clock.nextSleeper() == .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        let loaded = try await state(&states) { $0.value == ["Milk", "Bread"] }
        #expect(!loaded.isLoading)
        #expect(!loaded.isStale)
    }

    @Test func `of two loads with one version, the one that began earlier does not replace the other`() async throws {
        var states = try await observing()
        let gate = live.holdAnswer()
        live.answer(["One"], version(5))
        async let late = dispatcher.read(LoadNotes(), .fresh)
        await gate.arrivals(1)
        live.answer(["Two"], version(5))
        dispatcher.cache.invalidate(LoadNotes.self)
        _ = try await state(&states) { $0.value == ["Two"] && !$0.isLoading }
        gate.open()
        #expect(try await late.isStale)
        live.report(["Three"], version(6))
        let next = try await state(&states) { $0.value != ["Two"] }
        #expect(next.value == ["Three"])
    }

    // MARK: Versions of this cache

    @Test func `a value has the version at which its cache has found it valid`() async throws {
        let server = Server()
        let cache = try server.caching(in: .memory(limit: .entries(10)), now: date.now) {
            Cache(LoadNotes.self, .maxAge(.seconds(60)).staleWhileRevalidate(.seconds(60)))
            Cache(LoadNote.self, .maxAge(.seconds(60)))
            Invalidate(LoadNote.self, after: RemoveNote.self)
        }
        let loaded = try #require(await cache.versioned(LoadNotes()).version)
        // A command that does not concern the value.
        let command = try #require(await CommandVersion().reached { try await cache.dispatch(RemoveNote()) })
        #expect(loaded.isOlder(than: command))
        #expect(try #require(await cache.versioned(LoadNotes()).version).includes(command))
        #expect(server.loads == 1)
        // Its age does not matter.
        date.advance(by: 61)
        #expect(try #require(await cache.versioned(LoadNotes()).version).includes(command))
    }

    @Test func `a value that does not contain a command has an earlier version than the command`() async throws {
        let server = Server()
        let cache = try server.caching(in: .memory(limit: .entries(10)), now: date.now) {
            Cache(LoadNotes.self, .maxAge(.seconds(60)).staleWhileRevalidate(.seconds(60)))
            Invalidate(LoadNotes.self, after: AddNote.self)
        }
        let before = try #require(await cache.versioned(LoadNotes()).version)
        let gate = server.holdNext()
        async let late = cache.versioned(LoadNotes(), .fresh).version
        await gate.arrivals(1)
        let command = try #require(await CommandVersion().reached { try await cache.dispatch(AddNote()) })
        gate.open()
        #expect(before.isOlder(than: command))
        #expect(try #require(await late).isOlder(than: command))
        #expect(try #require(await cache.versioned(LoadNotes()).version).includes(command))
    }

    @Test func `a query without a rule has the version when its handling began`() async throws {
        let server = Server()
        let cache = try server.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadNote.self, .maxAge(.seconds(60)))
            Invalidate(LoadNote.self, after: AddNote.self)
        }
        let gate = server.holdNext()
        async let late = cache.versioned(LoadNotes()).version
        await gate.arrivals(1)
        let command = try #require(await CommandVersion().reached { try await cache.dispatch(AddNote()) })
        gate.open()
        #expect(try #require(await late).isOlder(than: command))
        #expect(try #require(await cache.versioned(LoadNotes()).version).includes(command))
    }
}
