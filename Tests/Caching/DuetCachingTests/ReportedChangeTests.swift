import Duet
import DuetCaching
import DuetTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Tests of observed values whose changes are reported together with the version that a command has led to.
@Suite(.timeLimit(.minutes(5)))
struct ReportedChangeTests {
    private typealias States = QueryStates<[String]>.AsyncIterator

    private let live = LiveServer()
    private let clock = ManualClock()
    private let dispatcher: CachingDispatcher

    init() throws {
        let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))
        dispatcher = try live.caching(in: .memory(limit: .entries(10)), now: date.now, clock: clock) {
            Cache(LoadNotes.self, .maxAge(.seconds(60)))
            Invalidate(LoadNotes.self, after: AddNote.self)
            OptimisticUpdate(LoadNotes.self, by: AddNote.self) { notes, _, command in notes.append(command.text) }
        }
    }

    /// Observes the notes, of which the server has reported one.
    private func observing() async throws -> States {
        var states = dispatcher.observe(LoadNotes()).makeAsyncIterator()
        await live.streams(1)
        live.report(["Milk"], LiveServer.version(1))
        _ = try await state(&states) { $0.value == ["Milk"] && !$0.isLoading }
        return states
    }

    /// Adds a note with a command that leads to a version of the server's cache.
    private func add(_ text: String, _ version: CacheVersion?) async throws {
        live.lead(to: version)
        try await dispatcher.dispatch(AddNote(text: text))
    }

    /// Returns the next state that meets a condition.
    private func state(
        _ states: inout States,
        where condition: (QueryState<[String]>) -> Bool
    ) async throws -> QueryState<[String]> {
        while let state = await states.next() { if condition(state) { return state } }
        throw NoConnection()
    }

    @Test func `observers wait for the report of a command's change, and load nothing`() async throws {
        var states = try await observing()
        try await add("Bread", LiveServer.version(2))
        let waiting = try await state(&states) { $0.isStale }
        #expect(waiting.isLoading)
        #expect(waiting.value == ["Milk", "Bread"])
        #expect(waiting.isOptimistic)
        #expect(dispatcher.cache.peek(LoadNotes()) == nil)
        live.report(["Milk", "Bread"], LiveServer.version(2))
        let reported = try await state(&states) { !$0.isOptimistic && !$0.isLoading }
        #expect(reported.value == ["Milk", "Bread"])
        #expect(!reported.isStale)
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["Milk", "Bread"])
        #expect(live.base.loads == 0)
    }

    @Test func `an earlier report is shown, and confirms nothing`() async throws {
        var states = try await observing()
        try await add("Bread", LiveServer.version(3))
        live.report(["Milk", "Eggs"], LiveServer.version(2))
        let early = try await state(&states) { $0.value?.contains("Eggs") == true }
        #expect(early.value == ["Milk", "Eggs", "Bread"])
        #expect(early.isOptimistic)
        #expect(early.isLoading)
        #expect(dispatcher.cache.peek(LoadNotes()) == nil)
        live.report(["Milk", "Eggs", "Bread"], LiveServer.version(3))
        let last = try await state(&states) { !$0.isOptimistic }
        #expect(last.value == ["Milk", "Eggs", "Bread"])
        #expect(dispatcher.cache.peek(LoadNotes()) == ["Milk", "Eggs", "Bread"])
        #expect(live.base.loads == 0)
    }

    @Test func `a change that does not come within one second is loaded`() async throws {
        var states = try await observing()
        try await add("Bread", LiveServer.version(2))
        #expect(await clock.nextSleeper() == .seconds(1))
        clock.advance(by: .milliseconds(999))
        for _ in 1...100 { await Task.yield() }
        #expect(live.base.loads == 0)
        clock.advance(by: .milliseconds(1))
        let loaded = try await state(&states) { !$0.isStale && !$0.isLoading && !$0.isOptimistic }
        #expect(loaded.value == ["Milk", "Bread"])
        #expect(live.base.loads == 1)
    }

    @Test func `a dispatch after the command loads, and the observers do not wait any longer`() async throws {
        var states = try await observing()
        try await add("Bread", LiveServer.version(2))
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["Milk", "Bread"])
        let loaded = try await state(&states) { !$0.isStale && !$0.isLoading && !$0.isOptimistic }
        #expect(loaded.value == ["Milk", "Bread"])
        #expect(await clock.nextSleeper() == .seconds(1))
        clock.advance(by: .seconds(1))
        for _ in 1...100 { await Task.yield() }
        #expect(live.base.loads == 1)
    }

    @Test func `a report that is faster than the response to the command counts`() async throws {
        var states = try await observing()
        let response = live.holdResponse()
        async let done: Void = add("Bread", LiveServer.version(2))
        await response.arrivals(1)
        live.report(["Milk", "Bread"], LiveServer.version(2))
        // The command has not ended, so its change is made once more.
        _ = try await state(&states) { $0.value == ["Milk", "Bread", "Bread"] }
        response.open()
        try await done
        let last = try await state(&states) { !$0.isOptimistic }
        #expect(last.value == ["Milk", "Bread"])
        #expect(!last.isStale && !last.isLoading)
        #expect(live.base.loads == 0)
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["Milk", "Bread"])
        #expect(live.base.loads == 0)
    }

    @Test func `a value that the command did not change is confirmed without being sent again`() async throws {
        var states = try await observing()
        try await add("Bread", LiveServer.version(2))
        _ = try await state(&states) { $0.isStale }
        live.confirm(LiveServer.version(2))
        let confirmed = try await state(&states) { !$0.isStale }
        #expect(confirmed.value == ["Milk"])
        #expect(!confirmed.isOptimistic && !confirmed.isLoading)
        #expect(dispatcher.cache.peek(LoadNotes()) == ["Milk"])
        #expect(live.base.loads == 0)
    }

    @Test func `a load that is older than a confirmation is followed by another one`() async throws {
        var states = try await observing()
        let answer = live.holdAnswer()
        live.answer(["Old"], LiveServer.version(1))
        live.note(LiveServer.version(2))
        async let loaded = dispatcher.read(LoadNotes(), .fresh)
        await answer.arrivals(1)
        live.confirm(LiveServer.version(2))
        // It comes after the confirmation.
        live.fail(NoConnection())
        _ = try await state(&states) { $0.error != nil }
        answer.open()
        _ = try await loaded
        let last = try await state(&states) { !$0.isLoading && !$0.isStale }
        #expect(last.value == ["Milk"])
        #expect(dispatcher.cache.peek(LoadNotes()) == ["Milk"])
    }

    @Test func `a report of another cache in the pause before a load is not lost`() async throws {
        var states = try await observing()
        for _ in 1...2 {
            dispatcher.cache.invalidate(LoadNotes.self)
            live.answer(["Milk"], LiveServer.version(1, of: 2))
            _ = try await dispatcher.read(LoadNotes(), .fresh)
        }
        live.answer(["Bread"], LiveServer.version(2, of: 2))
        live.report(["Bread"], LiveServer.version(2))
        // It comes after the report.
        live.fail(NoConnection())
        _ = try await state(&states) { $0.error != nil }
        #expect(await clock.nextSleeper() <= .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        _ = try await state(&states) { $0.value == ["Bread"] && !$0.isLoading }
    }

    @Test func `a report contains the changes of the commands that have led to it, and no others`() async throws {
        var states = try await observing()
        try await add("Bread", LiveServer.version(2))
        try await add("Eggs", LiveServer.version(3))
        live.report(["Milk", "Two loaves"], LiveServer.version(2))
        let first = try await state(&states) { $0.value?.contains("Two loaves") == true }
        #expect(first.value == ["Milk", "Two loaves", "Eggs"])
        #expect(first.isOptimistic && first.isLoading)
        live.report(["Milk", "Two loaves", "Eggs"], LiveServer.version(3))
        let second = try await state(&states) { !$0.isOptimistic }
        #expect(second.value == ["Milk", "Two loaves", "Eggs"])
        #expect(!second.isLoading)
        #expect(live.base.loads == 0)
    }

    @Test func `several commands wait together for one second`() async throws {
        var states = try await observing()
        try await add("Bread", LiveServer.version(2))
        #expect(await clock.nextSleeper() == .seconds(1))
        clock.advance(by: .milliseconds(600))
        try await add("Eggs", LiveServer.version(3))
        clock.advance(by: .milliseconds(400))
        let loaded = try await state(&states) { !$0.isStale && !$0.isLoading && !$0.isOptimistic }
        #expect(loaded.value == ["Milk", "Bread", "Eggs"])
        #expect(live.base.loads == 1)
    }

    @Test(arguments: [nil, LiveServer.version(9, of: 2)])
    func `without a version of the cache that reports, the value is loaded at once`(
        version: CacheVersion?
    ) async throws {
        var states = try await observing()
        try await add("Bread", version)
        let loaded = try await state(&states) { !$0.isStale && !$0.isLoading && !$0.isOptimistic }
        #expect(loaded.value == ["Milk", "Bread"])
        #expect(live.base.loads == 1)
    }

    @Test func `a cache in front of another one waits for its reports`() async throws {
        let server = Server()
        let middle = try server.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadNotes.self, .maxAge(.seconds(60)))
            Invalidate(LoadNotes.self, after: AddNote.self)
        }
        let front = try middle.caching(in: .memory(limit: .entries(10)), clock: clock) {
            Cache(LoadNotes.self, .maxAge(.seconds(60)))
            Invalidate(LoadNotes.self, after: AddNote.self)
        }
        var states = front.observe(LoadNotes()).makeAsyncIterator()
        _ = try await state(&states) { $0.value == ["Milk"] && !$0.isLoading }
        for number in 1...8 {
            try await front.dispatch(AddNote(text: "\(number)"))
            let reported = try await state(&states) { !$0.isStale && !$0.isLoading && $0.value?.last == "\(number)" }
            #expect(reported.value?.count == number + 1)
        }
        // Each command has one load in the middle, and none in front of it waited for its time to be up.
        #expect(server.loads == 9)
    }
}
