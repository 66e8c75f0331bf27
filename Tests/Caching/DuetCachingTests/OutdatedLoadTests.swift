import Duet
import DuetCaching
import DuetTesting
import Foundation
import TestSupport
import Testing

/// Observers while invalidations come faster than loads end.
@Suite(.timeLimit(.minutes(5)))
struct OutdatedLoadTests {
    private let clock = ManualClock()

    private func world() throws -> ListWorld { try ListWorld(clock: clock) }

    /// Invalidates the value, and returns the load that follows.
    private func invalidate(_ world: ListWorld, isFirst: Bool = false) async throws -> ListServer.Load {
        world.dispatcher.cache.invalidate(LoadList.self)
        if !isFirst {
            await clock.nextSleeper()
            clock.advance(by: .milliseconds(100))
        }
        return try await world.server.nextLoad()
    }

    @Test func `an observer sees each newer value, as stale, and nothing outdated is stored`() async throws {
        let world = try world()
        world.server.holdsLoads = true
        var states = world.states()
        var oldest = try await world.server.nextLoad()
        var newest = try await invalidate(world, isFirst: true)
        for round in 1...3 {
            world.server.items = [round]
            // Two loads run at most: the oldest one, and the newest.
            let next = try await invalidate(world)
            world.server.finish(load: oldest.id)
            var state = try #require(await states.next())
            while state.value != oldest.items { state = try #require(await states.next()) }
            #expect(state.isStale)
            #expect(state.isLoading)
            #expect(state.isServable)
            #expect(world.dispatcher.cache.peek(LoadList()) == nil)
            await #expect(throws: NotCached.self) { try await world.dispatcher.read(LoadList(), .cacheOnly) }
            // The one in between was canceled, and so is one that began before this value arrived: it may be older.
            (oldest, newest) = (try await invalidate(world), try await invalidate(world))
            #expect(next.id < oldest.id)
        }
        world.server.items = [9]
        let last = try await invalidate(world)
        #expect(newest.id < last.id)
        world.server.finish(load: last.id)
        var state = try #require(await states.next())
        while state.value != [9] { state = try #require(await states.next()) }
        #expect(!state.isStale)
        // Observers see a value just before the table has it.
        while world.dispatcher.cache.peek(LoadList()) == nil { await Task.yield() }
        #expect(world.dispatcher.cache.peek(LoadList()) == [9])
    }

    @Test func `servers pass outdated values on, with the version that they have`() async throws {
        let world = try world()
        world.server.holdsLoads = true
        var updates = QueryUpdates(world.dispatcher.observe(LoadList()))
        async let update = updates.next()
        let first = try await world.server.nextLoad()
        let second = try await invalidate(world, isFirst: true)
        world.server.finish(load: first.id)
        guard case .value([0]) = await update else {
            Issue.record("No value was passed on.")
            return
        }
        let version = try #require(updates.version)
        world.server.finish(load: second.id)
        while let update = await updates.next() {
            if case .failure(let error) = update { Issue.record("\(error)") }
            guard let later = updates.version, later != version else { continue }
            #expect(later.includes(version) && !version.includes(later))
            break
        }
    }

    @Test func `a reader that begins after an invalidation gets no value from before it`() async throws {
        let world = try world()
        world.server.holdsLoads = true
        var states = world.states()
        let first = try await world.server.nextLoad()
        let second = try await invalidate(world, isFirst: true)
        var late = world.states()
        async let value = world.dispatcher.observe(LoadList()).values.first { _ in true }
        while world.dispatcher.cache.observerCount < 3 { await Task.yield() }
        world.server.finish(load: first.id)
        while await states.next()?.isServable != true {}
        var state = try #require(await late.next())
        while state.value == nil { state = try #require(await late.next()) }
        // A screen shows it as stale.
        #expect(state.value == first.items && state.isStale && !state.isServable)
        world.server.items = [5]
        let third = try await invalidate(world)
        world.server.finish(load: third.id)
        #expect(try await value == [5])
        #expect(second.id < third.id)
    }

    @Test func `a load from before a removal shows nothing`() async throws {
        let world = try world()
        world.server.holdsLoads = true
        var states = world.states()
        let first = try await world.server.nextLoad()
        try await world.dispatcher.cache.removeAll()
        let second = try await world.server.nextLoad()
        world.server.finish(load: first.id)
        world.server.items = [7]
        world.server.finish(load: second.id)
        var values: [[Int]] = []
        while values.last != [0, 7] {
            let state = try #require(await states.next())
            if let value = state.value { values.append(value) }
            if !state.isLoading, state.value != nil { break }
        }
        #expect(values == [second.items])
    }

    @Test func `a load that ends after a newer one shows nothing`() async throws {
        let world = try World(.untilInvalidated)
        let gate = world.server.holdNext(evenIfCanceled: true)
        var states = world.dispatcher.observe(LoadNotes()).makeAsyncIterator()
        await gate.arrivals(1)
        world.server.notes = ["New"]
        world.dispatcher.cache.invalidate(LoadNotes.self)
        var state = try #require(await states.next())
        while state.value == nil { state = try #require(await states.next()) }
        #expect(state.value == ["New"])
        gate.open()
        #expect(try await world.notes() == ["New"])
        var current = world.dispatcher.observe(LoadNotes()).makeAsyncIterator()
        #expect(await current.next()?.value == ["New"])
    }
}
