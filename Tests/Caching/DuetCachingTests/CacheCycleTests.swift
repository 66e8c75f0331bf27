import Duet
import DuetCaching
import DuetTesting
import Testing

/// Tests of loads that need each other, or invalidate themselves.
@Suite(.timeLimit(.minutes(5)))
struct CacheCycleTests {
    private struct Ping: Query, Hashable {
        typealias Value = Int
        var number = 0
    }

    private struct Pong: Query, Hashable {
        typealias Value = Int
    }

    private struct LoadInbox: Query, Hashable {
        typealias Value = Int
    }

    private struct MarkRead: Command {}

    private let spy = SpyDispatcher()
    private let loads = Counter()

    private func makeDispatcher() throws -> CachingDispatcher {
        try spy.caching(in: .memory(limit: .entries(10)), clock: ManualClock()) {
            Cache(Ping.self, .untilInvalidated)
            Cache(Pong.self, .untilInvalidated)
            Cache(LoadInbox.self, .untilInvalidated)
            Invalidate(LoadInbox.self, after: MarkRead.self)
        }
    }

    @Test(arguments: [ReadMode.cacheFirst, .fresh])
    func `two queries whose handlers dispatch each other's query fail for one caller`(mode: ReadMode) async throws {
        let dispatcher = try makeDispatcher()
        spy.stub(Ping.self) { _ in try await dispatcher.read(Pong(), mode).value }
        spy.stub(Pong.self) { _ in try await dispatcher.read(Ping(), mode).value }
        let error = await #expect(throws: CacheCycle.self) { try await dispatcher.read(Ping(), mode) }
        #expect(error?.messages == [Ping.messageName, Pong.messageName, Ping.messageName])
    }

    @Test func `two loads of different tasks that need each other fail`() async throws {
        let dispatcher = try makeDispatcher()
        let (first, second) = (Gate(), Gate())
        spy.stub(Ping.self) { _ in
            try await first.pass()
            return try await dispatcher.dispatch(Pong())
        }
        spy.stub(Pong.self) { _ in
            try await second.pass()
            return try await dispatcher.dispatch(Ping())
        }
        let ping = Task { try await dispatcher.dispatch(Ping()) }
        let pong = Task { try await dispatcher.dispatch(Pong()) }
        await first.arrivals(1)
        await second.arrivals(1)
        first.open()
        second.open()
        await #expect(throws: CacheCycle.self) { try await ping.value }
        await #expect(throws: CacheCycle.self) { try await pong.value }
    }

    /// How a handler gets the value of another query.
    enum Access: CaseIterable {
        case dispatch, observation
    }

    @Test(arguments: Access.allCases, Access.allCases)
    func `queries whose handlers wait for each other fail, also if they observe`(
        ping: Access,
        pong: Access
    ) async throws {
        let dispatcher = try makeDispatcher()
        @Sendable func value<Q: Query<Int> & Hashable>(of query: Q, by access: Access) async throws -> Int {
            guard access == .observation else { return try await dispatcher.dispatch(query) }
            for try await value in dispatcher.observe(query).values { return value }
            throw CancellationError()
        }
        spy.stub(Ping.self) { _ in try await value(of: Pong(), by: ping) }
        spy.stub(Pong.self) { _ in try await value(of: Ping(), by: pong) }
        await #expect(throws: CacheCycle.self) { try await dispatcher.dispatch(Ping()) }
        await #expect(throws: CacheCycle.self) {
            for try await _ in dispatcher.observe(Pong()).values {}
        }
        while dispatcher.cache.observerCount > 0 { await Task.yield() }
    }

    @Test func `queries that share a query are no cycle`() async throws {
        let dispatcher = try makeDispatcher()
        let gate = Gate()
        spy.stub(Pong.self) { _ in
            try await gate.pass()
            return 1
        }
        spy.stub(Ping.self) { query in
            guard query.number > 0 else { return try await dispatcher.dispatch(Pong()) }
            async let first = dispatcher.dispatch(Ping(number: query.number - 1))
            async let second = dispatcher.dispatch(Pong())
            return try await first + second
        }
        let reads = (0...3).map { number in Task { try await dispatcher.dispatch(Ping(number: number)) } }
        await gate.arrivals(1)
        gate.open()
        var values: [Int] = []
        for read in reads { values.append(try await read.value) }
        #expect(values == [1, 2, 3, 4])
    }

    @Test func `a handler may pass its own query on once, and not again`() async throws {
        let dispatcher = try makeDispatcher()
        spy.stub(Ping.self) { _ in
            let number = loads.next()
            return number > 1 ? number : try await dispatcher.dispatch(Ping())
        }
        #expect(try await dispatcher.dispatch(Ping()) == 2)
        spy.stub(Ping.self) { query in try await dispatcher.dispatch(query) }
        let error = await #expect(throws: CacheCycle.self) { try await dispatcher.dispatch(Ping(number: 1)) }
        #expect(error?.messages == [Ping.messageName, Ping.messageName])
    }

    @Test func `a load that invalidates itself shows its value as stale, says so, and is not repeated`() async throws {
        let dispatcher = try makeDispatcher()
        spy.stub(MarkRead.self)
        spy.stub(LoadInbox.self) { _ in
            let number = loads.next()
            try await dispatcher.dispatch(MarkRead())
            return number
        }
        var states = dispatcher.observe(LoadInbox()).makeAsyncIterator()
        var state = try #require(await states.next())
        while state.value == nil || state.isLoading { state = try #require(await states.next()) }
        #expect(state.value == 1)
        #expect(state.isStale)
        let names = [LoadInbox.messageName, MarkRead.messageName, LoadInbox.messageName]
        #expect((state.error as? CacheCycle)?.messages == names)
        for _ in 1...1_000 { await Task.yield() }
        #expect(loads.count == 1)
        // A read gets its own value, and reports the same.
        let result = try await dispatcher.read(LoadInbox())
        #expect(result.value == 2)
        #expect(result.isStale)
        #expect((result.error as? CacheCycle)?.messages == names)
        while await states.next()?.value != 2 {}
        // An invalidation from elsewhere is followed.
        try await dispatcher.dispatch(MarkRead())
        while await states.next()?.value != 3 {}
        #expect(loads.count == 3)
    }

    private struct MarkPing: Command {}

    private struct MarkPong: Command {}

    /// A load may end before the next one, or after it.
    @Test(arguments: [Duration.zero, .seconds(1)])
    func `observed values whose loads invalidate each other are not loaded without end`(pause: Duration) async throws {
        let clock = ManualClock()
        let dispatcher = try spy.caching(in: .memory(limit: .entries(10)), clock: clock) {
            Cache(Ping.self, .untilInvalidated)
            Cache(Pong.self, .untilInvalidated)
            Invalidate(Pong.self, after: MarkPing.self)
            Invalidate(Ping.self, after: MarkPong.self)
        }
        spy.stub(MarkPing.self)
        spy.stub(MarkPong.self)
        spy.stub(Ping.self) { _ in
            try await dispatcher.dispatch(MarkPing())
            try await clock.sleep(for: pause)
            return loads.next()
        }
        spy.stub(Pong.self) { _ in
            try await dispatcher.dispatch(MarkPong())
            try await clock.sleep(for: pause)
            return loads.next()
        }
        let cycles = Monitor<[CacheCycle]>([])
        let observers = [dispatcher.observe(Ping()), dispatcher.observe(Pong())].map { states in
            Task {
                for await state in states {
                    if let cycle = state.error as? CacheCycle { cycles.update { $0.append(cycle) } }
                }
            }
        }
        /// Ends the pauses between loads, until a condition is met.
        func advance(_ isMet: (_ steps: Int) -> Bool) async {
            var steps = 0
            while !isMet(steps) {
                steps += 1
                clock.advance(by: .milliseconds(100))
                await Task.yield()
            }
        }
        for count in 1...3 {
            await advance { _ in cycles.read(\.count) >= count }
            let messages = cycles.read { $0.last?.messages ?? [] }
            #expect(messages.count == 3 && messages.first == messages.last)
            await advance { $0 == 2_000 }
            #expect(loads.count < 30 * count)
            // A command from elsewhere is followed.
            try await dispatcher.dispatch(MarkPong())
        }
        for observer in observers { observer.cancel() }
    }

    private struct MarkBadge: Command {}

    @Test func `a command does not answer for what another one has invalidated before`() async throws {
        let dispatcher = try makeDispatcher()
        spy.stub(MarkRead.self)
        spy.stub(MarkBadge.self)
        let gate = Gate()
        spy.stub(LoadInbox.self) { _ in
            let number = loads.next()
            if number == 1 { try await gate.pass() }
            try await dispatcher.dispatch(MarkBadge())
            return number
        }
        let load = Task { try await dispatcher.read(LoadInbox()) }
        await gate.arrivals(1)
        try await dispatcher.dispatch(MarkRead())
        gate.open()
        let result = try await load.value
        #expect(result.isStale)
        #expect(result.error == nil)
    }
}
