import Duet
import DuetCaching
import DuetTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Tests of values whose handlers read other cached values.
@Suite(.timeLimit(.minutes(5)))
struct DerivedValueTests {
    private struct Inner: Query, Hashable { typealias Value = Int }
    private struct Outer: Query, Hashable { typealias Value = [Int] }
    private struct ChangeInner: Command {}
    private struct ChangeOuter: Command {}

    /// The number that the server has.
    private final class Source: Sendable {
        let number = Mutex(1)
        let isFailing = Mutex(false)

        func load() throws -> Int {
            if isFailing.withLock(\.self) { throw NoConnection() }
            return number.withLock(\.self)
        }
    }

    private let server = SpyDispatcher()
    private let clock = ManualClock()
    private let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))
    private let source = Source()

    private func caching(@ListBuilder<CacheRule> _ rules: () -> [CacheRule]) throws -> CachingDispatcher {
        let dispatcher = try server.caching(in: .memory(limit: .entries(10)), now: date.now, clock: clock, rules)
        server.stub(Inner.self) { [source] _ in try source.load() }
        server.stub(Outer.self) { _ in [try await dispatcher.dispatch(Inner())] }
        server.stub(ChangeInner.self)
        server.stub(ChangeOuter.self)
        return dispatcher
    }

    /// Reads states until one meets a condition.
    private func next(
        _ states: inout QueryStates<[Int]>.AsyncIterator,
        _ condition: (QueryState<[Int]>) -> Bool
    ) async throws -> QueryState<[Int]> {
        while true {
            let state = try #require(await states.next())
            if condition(state) { return state }
        }
    }

    private func isFresh(_ state: QueryState<[Int]>) -> Bool {
        state.value != nil && !state.isStale && !state.isLoading
    }

    @Test func `a value whose load is outdated by another one is loaded again after the pause`() async throws {
        let dispatcher = try caching {
            Cache(Inner.self, .maxAge(.zero))
            Cache(Outer.self, .untilInvalidated)
            Invalidate(Inner.self, after: ChangeInner.self)
            Invalidate(Outer.self, after: ChangeOuter.self)
        }
        var states = dispatcher.observe(Outer()).makeAsyncIterator()
        _ = try await next(&states, isFresh)
        try await dispatcher.dispatch(ChangeOuter())
        _ = try await next(&states, isFresh)
        let gate = Gate()
        server.stub(Inner.self) { [source] _ in
            let number = try source.load()
            try await gate.pass()
            return number
        }
        dispatcher.cache.refreshObserved()
        await gate.arrivals(1)
        source.number.withLock { $0 = 2 }
        try await dispatcher.dispatch(ChangeInner())
        gate.open()
        #expect(await clock.nextSleeper() == .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        #expect(try await next(&states, isFresh).value == [2])
    }

    @Test func `a value that reads one which invalidates itself is shown once, with the error`() async throws {
        let dispatcher = try caching {
            Cache(Inner.self, .untilInvalidated)
            Cache(Outer.self, .untilInvalidated)
            Invalidate(Inner.self, after: ChangeInner.self)
        }
        let loads = Counter()
        server.stub(Inner.self) { _ in
            try await dispatcher.dispatch(ChangeInner())
            return loads.next()
        }
        var states = dispatcher.observe(Outer()).makeAsyncIterator()
        let state = try await next(&states) { $0.error != nil }
        #expect(state.error is CacheCycle)
        #expect(state.value == [1])
        for _ in 1...3 {
            clock.advance(by: .milliseconds(100))
            for _ in 1...100 { await Task.yield() }
        }
        #expect(loads.count == 1)
    }

    @Test func `a value made from one that is stale while it is revalidated follows the new one`() async throws {
        let dispatcher = try caching {
            Cache(Inner.self, .maxAge(.seconds(60)).staleWhileRevalidate(.seconds(600)))
            Cache(Outer.self, .maxAge(.seconds(60)).staleWhileRevalidate(.seconds(600)))
        }
        #expect(try await dispatcher.dispatch(Outer()) == [1])
        date.advance(by: 100)
        source.number.withLock { $0 = 2 }
        var states = dispatcher.observe(Outer()).makeAsyncIterator()
        #expect(try await next(&states, isFresh).value == [2])
    }

    @Test func `the change of a successful command stays when the next value is made from a stale one`() async throws {
        let dispatcher = try caching {
            Cache(Inner.self, .maxAge(.seconds(60)).staleIfError(.seconds(600)))
            Cache(Outer.self, .maxAge(.seconds(60)).staleIfError(.seconds(600)))
            Invalidate(Inner.self, after: ChangeOuter.self)
            Invalidate(Outer.self, after: ChangeOuter.self)
            OptimisticUpdate(Outer.self, by: ChangeOuter.self) { value, _, _ in value.append(99) }
        }
        var states = dispatcher.observe(Outer()).makeAsyncIterator()
        _ = try await next(&states, isFresh)
        server.stub(ChangeOuter.self) { [source] _ in source.isFailing.withLock { $0 = true } }
        try await dispatcher.dispatch(ChangeOuter())
        let state = try await next(&states) { $0.error != nil }
        #expect(state.error is NoConnection)
        #expect(state.value == [1, 99])
    }

    @Test func `a value made from a stale one does not replace a fresh one`() async throws {
        let dispatcher = try caching {
            Cache(Inner.self, .maxAge(.seconds(10)).staleIfError(.seconds(600)))
            Cache(Outer.self, .maxAge(.seconds(100)))
        }
        _ = try await dispatcher.dispatch(Outer())
        date.advance(by: 60)
        source.isFailing.withLock { $0 = true }
        #expect(try await dispatcher.read(Outer(), .fresh).isStale)
        #expect(try await dispatcher.read(Outer(), .cacheOnly).isStale == false)
    }
}
