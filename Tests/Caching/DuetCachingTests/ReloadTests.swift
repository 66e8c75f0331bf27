import Duet
import DuetCaching
import DuetContext
import DuetTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Tests of how and when observed values are loaded again.
@Suite(.timeLimit(.minutes(5)))
struct ReloadTests {
    private let server = Server()
    private let clock = ManualClock()
    private let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))

    private func cache(_ policy: CachePolicy<[String]> = .untilInvalidated) throws -> QueryCache {
        try QueryCache(in: .memory(limit: .entries(10)), now: date.now, clock: clock) {
            Cache(LoadNotes.self, policy, scope: .shared)
            Invalidate(LoadNotes.self, after: AddNote.self)
        }
    }

    /// A dispatcher that records the principals of queries, and works until it is closed.
    private final class Window: Dispatcher {
        let base: Server
        private let state = Mutex((isOpen: true, principals: [String]()))

        init(_ base: Server) {
            self.base = base
        }

        var principals: [String] { state.withLock(\.principals) }

        func close() { state.withLock { $0.isOpen = false } }

        func dispatch<M: Message>(_ message: M) async throws -> M.Value {
            guard state.withLock(\.isOpen) else { throw NoConnection() }
            if M.self is any Query.Type { state.withLock { $0.principals.append(Principal.current?.id ?? "nobody") } }
            return try await base.dispatch(message)
        }
    }

    @Test func `a value is loaded again through an observer that is still there`() async throws {
        let cache = try cache()
        let (first, second) = (Window(server), Window(server))
        let screen = Task {
            try await withPrincipal(Principal(id: "ada")) {
                for try await _ in first.caching(with: cache).observe(LoadNotes()).values {}
            }
        }
        while cache.observerCount < 1 { await Task.yield() }
        let dispatcher = second.caching(with: cache)
        var values = await withPrincipal(Principal(id: "bob")) {
            dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        }
        #expect(try await values.next() == ["Milk"])
        screen.cancel()
        _ = await screen.result
        first.close()
        while cache.observerCount > 1 { await Task.yield() }
        try await dispatcher.dispatch(AddNote(text: "Bread"))
        #expect(try await values.next() == ["Milk", "Bread"])
        #expect(second.principals == ["bob"])
    }

    // MARK: Pace

    @Test func `many invalidations cause few loads, the first at once, and the last value is right`() async throws {
        let dispatcher = server.caching(with: try cache())
        var values = dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await values.next() == ["Milk"])
        for round in 1...3 {
            let loads = server.loads
            try await dispatcher.dispatch(AddNote(text: "\(round)"))
            #expect(try await values.next() == server.notes)
            for number in 1...100 { try await dispatcher.dispatch(AddNote(text: "\(round).\(number)")) }
            #expect(server.loads == loads + 1)
            #expect(await clock.nextSleeper() == .milliseconds(100))
            clock.advance(by: .milliseconds(99))
            #expect(server.loads == loads + 1)
            clock.advance(by: .milliseconds(1))
            #expect(try await values.next() == server.notes)
            #expect(server.loads == loads + 2)
            clock.advance(by: .milliseconds(100))
        }
    }

    @Test func `a read does not wait for the pause, and makes the delayed load unnecessary`() async throws {
        let dispatcher = server.caching(with: try cache())
        var values = dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await values.next() == ["Milk"])
        for text in ["1", "2"] {
            try await dispatcher.dispatch(AddNote(text: text))
            #expect(try await dispatcher.dispatch(LoadNotes()) == server.notes)
        }
        #expect(try await values.next() == ["Milk", "1", "2"])
        await clock.nextSleeper()
        let loads = server.loads
        clock.advance(by: .milliseconds(100))
        for _ in 1...1_000 { await Task.yield() }
        #expect(server.loads == loads)
    }

    // MARK: Errors

    @Test func `an observer shows a stored error without a load, and loads when it has expired`() async throws {
        let dispatcher = server.caching(with: try cache(.untilInvalidated.cachingErrors(for: .seconds(30))))
        server.failure = NoConnection()
        await #expect(throws: NoConnection()) { try await dispatcher.dispatch(LoadNotes()) }
        date.advance(by: 10)
        for _ in 1...5 {
            var states = dispatcher.observe(LoadNotes()).makeAsyncIterator()
            let state = try #require(await states.next())
            #expect(state.error is NoConnection)
            #expect(!state.isLoading)
        }
        #expect(server.loads == 1)
        while dispatcher.cache.observerCount > 0 { await Task.yield() }
        var states = dispatcher.observe(LoadNotes()).makeAsyncIterator()
        #expect(await states.next()?.error is NoConnection)
        #expect(await clock.nextSleeper() == .seconds(20))
        server.failure = nil
        date.advance(by: 20)
        clock.advance(by: .seconds(20))
        while await states.next()?.value != ["Milk"] {}
        #expect(server.loads == 2)
    }

    @Test func `a stored error does not prevent the load after a command`() async throws {
        let dispatcher = server.caching(with: try cache(.untilInvalidated.cachingErrors(for: .seconds(30))))
        server.failure = NoConnection()
        await #expect(throws: NoConnection()) { try await dispatcher.dispatch(LoadNotes()) }
        server.failure = nil
        try await dispatcher.dispatch(AddNote(text: "Bread"))
        var values = dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await values.next() == ["Milk", "Bread"])
    }

    // MARK: Queries that are not equal to themselves

    private struct LoadNear: Query, Hashable {
        typealias Value = Int
        let latitude: Double
    }

    @Test func `a query that is not equal to itself is loaded each time, and observers get its value`() async throws {
        let spy = SpyDispatcher()
        let loads = Counter()
        spy.stub(LoadNear.self) { _ in loads.next() }
        let dispatcher = try spy.caching(in: .memory(limit: .entries(10))) { Cache(LoadNear.self, .untilInvalidated) }
        let query = LoadNear(latitude: .nan)
        for number in 1...3 { #expect(try await dispatcher.dispatch(query) == number) }
        #expect(try await dispatcher.read(query, .freshOrStale).value == 4)
        await #expect(throws: NotCached.self) { try await dispatcher.read(query, .cacheOnly) }
        var values: [Int] = []
        for try await value in dispatcher.observe(query).values { values.append(value) }
        #expect(values == [5])
        #expect(dispatcher.cache.count == 0)
        #expect(dispatcher.cache.observerCount == 0)
        spy.stub(LoadNear.self) { _ in throw NoConnection() }
        await #expect(throws: NoConnection()) { for try await _ in dispatcher.observe(query).values {} }
    }

    private struct LoadPlaces: Query, Hashable {
        typealias Value = Int
        let places: [Double?]
    }

    @Test func `a query that only its copies are equal to leaves one value in memory`() async throws {
        let spy = SpyDispatcher()
        let loads = Counter()
        spy.stub(LoadPlaces.self) { _ in loads.next() }
        let dispatcher = try spy.caching(in: .memory(limit: .entries(1_000))) {
            Cache(LoadPlaces.self, .untilInvalidated)
        }
        for number in 1...100 {
            #expect(try await dispatcher.dispatch(LoadPlaces(places: [1, .nan, nil])) == number)
        }
        #expect(dispatcher.cache.count == 1)
        // Others have the same hash only by chance.
        for number in 1...3 { _ = try await dispatcher.dispatch(LoadPlaces(places: [Double(number)])) }
        #expect(dispatcher.cache.count == 4)
    }

    // MARK: Timeouts

    @Test func `a timeout holds for a handler that does not suspend`() async throws {
        let end = DispatchSemaphore(value: 0)
        // It blocks one of the few threads.
        @Sendable func late() -> [String] {
            end.wait()
            return ["Late"]
        }
        let spy = SpyDispatcher()
        spy.stub(LoadNotes.self) { _ in late() }
        let dispatcher = spy.caching(with: try cache(.untilInvalidated.hardTimeout(.milliseconds(100))))
        let read = Task { try await dispatcher.dispatch(LoadNotes()) }
        #expect(await clock.nextSleeper() == .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        await #expect(throws: CacheTimeout.self) { try await read.value }
        end.signal()
    }

    // MARK: Local invalidations

    @Test func `a local invalidation is not reported to other caches`() async throws {
        let dispatcher = server.caching(with: try cache())
        _ = try await dispatcher.dispatch(LoadNotes())
        var invalidations = dispatcher.cache.invalidations.makeAsyncIterator()
        dispatcher.cache.invalidate(LoadNotes.self, isLocal: true) { $0.folder == "home" }
        #expect(try await dispatcher.read(LoadNotes(), .cacheOnly).isStale)
        dispatcher.cache.invalidate(tag: "next")
        guard case .tag("next") = await invalidations.next() else {
            Issue.record("the local invalidation was reported")
            return
        }
    }
}
