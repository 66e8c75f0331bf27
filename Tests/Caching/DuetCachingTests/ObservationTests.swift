import Duet
import DuetCaching
import DuetTesting
import TestSupport
import Testing

@Suite
struct ObservationTests {
    @Test func `an observer receives the current value and then each change`() async throws {
        let world = try World()
        var values = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await values.next() == ["Milk"])
        try await world.dispatcher.dispatch(AddNote(text: "Bread"))
        #expect(try await values.next() == ["Milk", "Bread"])
        #expect(world.server.loads == 2)
    }

    @Test func `a late observer receives the latest value at once`() async throws {
        let world = try World()
        var first = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await first.next() == ["Milk"])
        var second = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await second.next() == ["Milk"])
        #expect(world.server.loads == 1)
    }

    @Test func `equal values are not repeated`() async throws {
        let world = try World()
        var values = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await values.next() == ["Milk"])
        _ = try await world.result(.fresh)
        world.server.notes = ["Bread"]
        _ = try await world.result(.fresh)
        #expect(try await values.next() == ["Bread"])
    }

    @Test func `an observer never receives an older value after a newer one`() async throws {
        let world = try World()
        var values = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await values.next() == ["Milk"])
        let gate = world.server.holdNext()
        let old = Task { try await world.result(.fresh) }
        await gate.arrivals(1)
        try await world.dispatcher.dispatch(AddNote(text: "Bread"))
        #expect(try await values.next() == ["Milk", "Bread"])
        gate.open()
        _ = try await old.value
        world.server.notes = ["Last"]
        _ = try await world.result(.fresh)
        #expect(try await values.next() == ["Last"])
    }

    @Test func `the first load's error ends the values`() async throws {
        let world = try World()
        world.server.failure = NoConnection()
        var values = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        await #expect(throws: NoConnection()) { try await values.next() }
    }

    @Test func `states report loading, failures and stale values`() async throws {
        let world = try World()
        _ = try await world.notes()
        var states = world.dispatcher.observe(LoadNotes()).makeAsyncIterator()
        let first = try #require(await states.next())
        #expect(first.value == ["Milk"])
        #expect(!first.isLoading)
        #expect(!first.isStale)
        world.server.failure = NoConnection()
        let gate = world.server.holdNext()
        world.dispatcher.cache.invalidate(LoadNotes.self)
        await gate.arrivals(1)
        let loading = try #require(await states.next())
        #expect(loading.isLoading)
        #expect(loading.isStale)
        #expect(loading.value == ["Milk"])
        gate.open()
        let failed = try #require(await states.next())
        #expect(failed.error is NoConnection)
        #expect(!failed.isLoading)
        #expect(failed.value == ["Milk"])
    }

    @Test func `observation ends with its task`() async throws {
        let world = try World()
        let gate = Gate()
        let task = Task {
            for try await _ in world.dispatcher.observe(LoadNotes()).values { gate.open() }
        }
        try await gate.pass()
        #expect(world.dispatcher.cache.observerCount == 1)
        task.cancel()
        try await task.value
        while world.dispatcher.cache.observerCount > 0 { await Task.yield() }
    }

    @Test(.timeLimit(.minutes(5)))
    func `the last observer that leaves cancels the load`() async throws {
        let world = try World()
        let gate = world.server.holdNext()
        let observers = (1...2).map { _ in world.observe() }
        await gate.arrivals(1)
        await world.hasObservers(2)
        observers[0].cancel()
        await world.hasObservers(1)
        #expect(world.server.canceledLoads == 0)
        observers[1].cancel()
        while world.server.canceledLoads == 0 { await Task.yield() }
        // The next observer does not join it.
        var values = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await values.next() == ["Milk"])
        #expect(world.server.loads == 2)
    }

    @Test(.timeLimit(.minutes(5)))
    func `an observer that comes back does not wait for the load that was canceled`() async throws {
        let world = try World()
        let gate = world.server.holdNext(evenIfCanceled: true)
        weak var token: LoadToken?
        let observer = LoadToken.$current.withValue(LoadToken()) {
            token = LoadToken.current
            return world.observe()
        }
        await gate.arrivals(1)
        await world.hasObservers(1)
        observer.cancel()
        await world.hasObservers(0)
        world.server.notes = ["Bread"]
        var states = world.dispatcher.observe(LoadNotes()).makeAsyncIterator()
        while let state = await states.next(), state.value != ["Bread"] {}
        gate.open()
        while token != nil { await Task.yield() }
        #expect(try await world.notes() == ["Bread"])
        #expect(world.server.loads == 2)
    }

    @Test(.timeLimit(.minutes(5)))
    func `an invalidation cancels the load that it replaces`() async throws {
        let world = try World()
        let gate = world.server.holdNext()
        var values = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        await gate.arrivals(1)
        world.dispatcher.cache.invalidate(LoadNotes.self)
        while world.server.canceledLoads == 0 { await Task.yield() }
        #expect(try await values.next() == ["Milk"])
        #expect(world.server.loads == 2)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a stale value of the store is refreshed for a reader when the last observer has left`() async throws {
        let store = FaultyCacheStore()
        func launch() throws -> World {
            try World(in: .stored(in: store)) {
                Cache(LoadNotes.self, .maxAge(.seconds(60)).staleWhileRevalidate(.seconds(60))).stored(version: 1)
            }
        }
        let first = try launch()
        _ = try await first.notes()
        try await first.dispatcher.cache.flush()
        let world = try launch()
        world.date.advance(by: 60)
        let gate = Gate()
        store.inject(.delay(gate), into: .value)
        let observer = world.observe()
        await gate.arrivals(1)
        let reader = Task { try await world.result() }
        await world.hasCoalesced(1)
        observer.cancel()
        await world.hasObservers(0)
        gate.open()
        #expect(try await reader.value.isStale)
        while world.server.loads == 0 { await Task.yield() }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func `a load goes on that a reader needs when the last observer leaves`(isRefresh: Bool) async throws {
        let world = try World(.maxAge(.seconds(60)).staleWhileRevalidate(.seconds(60)))
        if isRefresh {
            _ = try await world.notes()
            world.date.advance(by: 60)
        }
        let gate = world.server.holdNext()
        var reader: Task<[String], any Error>?
        if isRefresh {
            // It gets the stale value, and begins a load in the background.
            #expect(try await world.notes() == ["Milk"])
        }
        let observer = world.observe()
        await gate.arrivals(1)
        if !isRefresh {
            reader = Task { try await world.notes() }
            await world.hasCoalesced(1)
        }
        await world.hasObservers(1)
        observer.cancel()
        await world.hasObservers(0)
        let loads = world.server.loads
        gate.open()
        if let reader { #expect(try await reader.value == ["Milk"]) }
        while world.dispatcher.cache.peek(LoadNotes()) == nil { await Task.yield() }
        #expect(world.server.canceledLoads == 0)
        #expect(world.server.loads == loads)
    }

    // A task that is canceled is locked by the runtime, as the cache is by a thread that shows a value.
    @Test(.timeLimit(.minutes(5)))
    func `observers leave while values arrive`() async throws {
        let world = try World()
        for _ in 1...50 {
            let gate = Gate()
            let observers = (1...40).map { _ in
                Task { for try await _ in world.dispatcher.observe(LoadNotes()).values { gate.open() } }
            }
            try await gate.pass()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for _ in 1...20 { world.dispatcher.cache.invalidate(LoadNotes.self) } }
                for observer in observers { group.addTask { observer.cancel() } }
            }
            for observer in observers { _ = await observer.result }
        }
        while world.dispatcher.cache.observerCount > 0 { await Task.yield() }
    }

    @Test func `a query without a rule cannot be observed, and the error names the rule that is missing`() async throws
    {
        let world = try World()
        let error = await #expect(throws: UnobservableQuery.self) {
            for try await _ in world.dispatcher.observe(LoadNote(id: 1)).values {}
        }
        #expect(error?.description.contains("Add Cache(LoadNote.self, …) to a cache") == true)
        #expect(world.server.loads == 0)
    }
}

/// An object that exists until the loads that began in a task have ended.
private final class LoadToken: Sendable {
    @TaskLocal static var current: LoadToken?
}

extension World {
    /// Observes the notes until the task is canceled.
    fileprivate func observe() -> Task<Void, any Error> {
        Task { for try await _ in dispatcher.observe(LoadNotes()).values {} }
    }

    /// Waits until there is a number of observers.
    fileprivate func hasObservers(_ number: Int) async {
        while dispatcher.cache.observerCount != number { await Task.yield() }
    }
}
