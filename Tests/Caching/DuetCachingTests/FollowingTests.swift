import Duet
import DuetCaching
import DuetTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Tests of observed values whose changes the wrapped dispatcher reports.
@Suite(.timeLimit(.minutes(5)))
struct FollowingTests {
    private let live = LiveServer()
    private let clock = ManualClock()
    private let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))
    private let dispatcher: CachingDispatcher

    init() throws {
        dispatcher = try live.caching(in: .memory(limit: .entries(10)), now: date.now, clock: clock) {
            Cache(LoadNotes.self, .maxAge(.seconds(60)))
            Invalidate(LoadNotes.self, after: AddNote.self)
        }
    }

    @Test func `after the reports have ended, a new observer follows again`() async throws {
        var first = dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        await live.streams(1)
        live.report(["Reported"])
        #expect(try await first.next() == ["Reported"])
        live.base.notes = ["Loaded"]
        live.end()
        // The value is loaded once, because its changes are no longer reported.
        #expect(try await first.next() == ["Loaded"])
        #expect(live.base.loads == 1)
        live.base.notes = ["Newer"]
        date.advance(by: 60)
        var second = dispatcher.observe(LoadNotes()).makeAsyncIterator()
        await live.streams(2)
        #expect(await second.next()?.isStale == true)
        live.report(["Newer"])
        while await second.next()?.value != ["Newer"] {}
        #expect(try await first.next() == ["Newer"])
    }

    @Test func `a value that is reported while the scope has another name makes the old one stale`() async throws {
        let tenant = Mutex("a")
        let dispatcher = try live.caching(in: .memory(limit: .entries(10)), now: date.now, clock: clock) {
            Cache(LoadNotes.self, .maxAge(.seconds(60)), scope: .named { tenant.withLock(\.self) })
        }
        var states = dispatcher.observe(LoadNotes()).makeAsyncIterator()
        await live.streams(1)
        live.report(["Of a"])
        while await states.next()?.value != ["Of a"] {}
        tenant.withLock { $0 = "b" }
        live.report(["Of another one"])
        var state = try #require(await states.next())
        while !state.isStale { state = try #require(await states.next()) }
        #expect(state.value == ["Of a"])
        tenant.withLock { $0 = "a" }
        live.base.notes = ["Loaded"]
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["Loaded"])
    }

    @Test func `a report during the load after a command is followed by another load`() async throws {
        var states = dispatcher.observe(LoadNotes()).makeAsyncIterator()
        await live.streams(1)
        live.report(["Milk"])
        while await states.next()?.value != ["Milk"] {}
        let gate = live.base.holdNext()
        try await dispatcher.dispatch(AddNote(text: "Bread"))
        await gate.arrivals(1)
        // The server may have sent it before the command.
        live.report(["Milk"])
        while await states.next()?.isStale != false {}
        gate.open()
        #expect(await clock.nextSleeper() == .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        var state = try #require(await states.next())
        while state.isLoading { state = try #require(await states.next()) }
        #expect(state.value == ["Milk", "Bread"])
        #expect(!state.isStale)
    }

    @Test func `the reports are followed again after a pause, which becomes longer`() async throws {
        var values = dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        await live.streams(1)
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            live.end()
            #expect(await clock.nextSleeper() == .seconds(seconds))
            let streams = live.streamCount
            clock.advance(by: .seconds(seconds) - .milliseconds(1))
            for _ in 1...100 { await Task.yield() }
            #expect(live.streamCount == streams)
            clock.advance(by: .milliseconds(1))
            await live.streams(streams + 1)
        }
        live.report(["Milk"])
        #expect(try await values.next() == ["Milk"])
        live.end()
        #expect(await clock.nextSleeper() == .seconds(1))
    }

    @Test func `the pause becomes longer while the reports end with an error`() async throws {
        var states = dispatcher.observe(LoadNotes()).makeAsyncIterator()
        await live.streams(1)
        live.base.failure = NoConnection()
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            live.fail(NoConnection())
            live.end()
            #expect(await clock.nextSleeper() == .seconds(seconds))
            while let state = await states.next(), state.isLoading || state.error == nil {}
            let streams = live.streamCount
            clock.advance(by: .seconds(seconds))
            await live.streams(streams + 1)
        }
        #expect(live.base.loads == 8)
    }

    @Test func `when the observer leaves that follows the reports, another one goes on`() async throws {
        let screen = Task { for try await _ in dispatcher.observe(LoadNotes()).values {} }
        await live.streams(1)
        var values = dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        screen.cancel()
        _ = await screen.result
        await live.streams(2)
        live.report(["New"])
        #expect(try await values.next() == ["New"])
        #expect(dispatcher.cache.observerCount == 1)
    }

    @Test func `a report from before a command does not replace the value that was loaded after it`() async throws {
        var states = dispatcher.observe(LoadNotes()).makeAsyncIterator()
        await live.streams(1)
        live.report(["Milk"])
        while await states.next()?.value != ["Milk"] {}
        try await dispatcher.dispatch(AddNote(text: "Bread"))
        while await states.next()?.value != ["Milk", "Bread"] {}
        let loads = live.base.loads
        let gate = live.base.holdNext()
        live.report(["Milk"])
        await gate.arrivals(1)
        #expect(dispatcher.cache.peek(LoadNotes()) == ["Milk", "Bread"])
        gate.open()
        while let state = await states.next(), state.isLoading { #expect(state.value == ["Milk", "Bread"]) }
        #expect(live.base.loads == loads + 1)
        // Later changes are shown without a load.
        live.report(["Last"])
        while await states.next()?.value != ["Last"] {}
        #expect(live.base.loads == loads + 1)
    }

    @Test func `a report that cannot be confirmed is shown`() async throws {
        var states = dispatcher.observe(LoadNotes()).makeAsyncIterator()
        await live.streams(1)
        live.report(["Milk"])
        while await states.next()?.value != ["Milk"] {}
        _ = try await dispatcher.read(LoadNotes(), .fresh)
        live.base.failure = NoConnection()
        live.report(["Reported"])
        while await states.next()?.value != ["Reported"] {}
    }
}
