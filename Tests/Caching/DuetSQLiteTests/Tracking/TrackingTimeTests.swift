import Duet
import DuetCaching
import DuetSQLite
import DuetTesting
import GRDB
import Synchronization
import Testing

/// Tests of loads and commands that run at the same time, without a rule.
@Suite(.timeLimit(.minutes(5)))
struct TrackingTimeTests {
    private let world: TrackedWorld
    private let titles = Select("SELECT title FROM talk ORDER BY id")
    private let rename = Execute("UPDATE talk SET title = 'Trio' WHERE id = 1")

    init() throws {
        world = try TrackedWorld()
    }

    /// Lets handlers of queries wait after they have read.
    private func holdLoads() -> Gate {
        let gate = Gate()
        world.handlers.stub(Select.self) { [world] query in
            let value = try await world.database.read { try TrackedWorld.rows(query.sql, in: $0) }
            try await gate.pass()
            return value
        }
        return gate
    }

    private func current(_ query: Select) async throws -> String {
        try await world.pool.read { try TrackedWorld.rows(query.sql, in: $0) }
    }

    @Test func `a command that ends during the first load of a value is not forgotten`() async throws {
        let dispatcher = try world.caching()
        let gate = holdLoads()
        let load = Task { try await dispatcher.read(titles) }
        await gate.arrivals(1)
        try await dispatcher.dispatch(rename)
        gate.open()
        #expect(try await load.value.isStale)
        #expect(dispatcher.cache.peek(titles) == nil)
        #expect(try await dispatcher.dispatch(titles) == current(titles))
    }

    @Test func `a caller that joins a load gets what was written before the call`() async throws {
        let dispatcher = try world.caching()
        let gate = holdLoads()
        let first = Task { try await dispatcher.dispatch(titles) }
        await gate.arrivals(1)
        try await dispatcher.dispatch(rename)
        let second = Task { try await dispatcher.read(titles) }
        while dispatcher.cache.statistics(of: Select.self).coalesced == 0 { await Task.yield() }
        gate.open()
        _ = try await first.value
        let result = try await second.value
        #expect(try await result.value == current(titles))
        #expect(!result.isStale)
    }

    @Test func `an error that is kept is thrown until something is written that its load has read`() async throws {
        struct Missing: Error {}
        world.handlers.stub(Select.self) { [world] query in
            let rows = try await world.database.read { try TrackedWorld.rows(query.sql, in: $0) }
            if rows.isEmpty { throw Missing() }
            return rows
        }
        let dispatcher = try world.handlers.caching(in: .memory(limit: .entries(9)), tracking: world.database) {
            Cache(Select.self, .untilInvalidated.cachingErrors(for: .seconds(60)))
        }
        let query = Select("SELECT title FROM talk WHERE id = 9")
        for _ in 0..<2 { await #expect(throws: Missing.self) { try await dispatcher.dispatch(query) } }
        #expect(dispatcher.cache.statistics(of: Select.self).misses == 1)
        try await dispatcher.dispatch(Execute("INSERT INTO talk VALUES (9, 'Nine', 0, 1)"))
        #expect(try await dispatcher.dispatch(query) == "[title:\"Nine\"]")
    }

    @Test func `a refresh that keeps the stored value keeps what that was made from`() async throws {
        let dispatcher = try world.handlers.caching(in: .memory(limit: .entries(9)), tracking: world.database) {
            Cache(
                Select.self,
                .untilInvalidated,
                refresh: { [world] _, _, _ in
                    _ = try await world.database.read { try Int.fetchOne($0, sql: "SELECT seats FROM room") }
                    return nil
                }
            )
        }
        _ = try await dispatcher.dispatch(titles)
        _ = try await dispatcher.read(titles, .fresh)
        #expect(dispatcher.cache.peek(titles) != nil)
        try await dispatcher.dispatch(Execute("UPDATE room SET seats = 3"))
        #expect(dispatcher.cache.peek(titles) == nil)
        _ = try await dispatcher.read(titles, .fresh)
        try await dispatcher.dispatch(rename)
        #expect(dispatcher.cache.peek(titles) == nil)
    }

    // MARK: Owners

    @Test func `a read that nobody owns belongs to all loads, and one of a request to none`() async throws {
        let dispatcher = try world.caching()
        let gate = holdLoads()
        let load = Task { try await dispatcher.dispatch(titles) }
        await gate.arrivals(1)
        let seats = { @Sendable [world] in
            _ = try await world.database.read { try Int.fetchOne($0, sql: "SELECT seats FROM room") }
        }
        try await withServedRequest { try await seats() }
        try await withAuthority(.program("test")) { try await seats() }
        try await withoutTracking { try await seats() }
        let log = { @Sendable [world] in
            _ = try await world.database.read { try String.fetchOne($0, sql: "SELECT entry FROM log") }
        }
        try await Task.detached { try await log() }.value
        gate.open()
        let value = try await load.value
        try await dispatcher.dispatch(Execute("UPDATE room SET seats = 1"))
        #expect(dispatcher.cache.peek(titles) == value)
        try await dispatcher.dispatch(Execute("INSERT INTO log VALUES ('')"))
        #expect(dispatcher.cache.peek(titles) == nil)
    }

    @Test func `all tasks of a load note what they read`() async throws {
        world.handlers.stub(Select.self) { [world] query in
            async let seats = world.database.read { try Int.fetchOne($0, sql: "SELECT seats FROM room") }
            let rows = try await withThrowingTaskGroup(of: String.self) { group in
                group.addTask { try await world.database.read { try TrackedWorld.rows(query.sql, in: $0) } }
                return try await group.next() ?? ""
            }
            return try await "\(seats ?? 0) \(rows)"
        }
        let dispatcher = try world.caching()
        for write in [rename, Execute("UPDATE room SET seats = 5")] {
            let value = try await dispatcher.dispatch(titles)
            #expect(dispatcher.cache.peek(titles) == value)
            try await dispatcher.dispatch(write)
            #expect(dispatcher.cache.peek(titles) == nil)
        }
    }

    @Test func `a load that has also read something untracked is not kept without a policy`() async throws {
        world.handlers.stub(Select.self) { [world] query in
            CacheLoad.current?.readUntracked("rates")
            return try await world.database.read { try TrackedWorld.rows(query.sql, in: $0) }
        }
        let dispatcher = try world.caching()
        _ = try await dispatcher.dispatch(titles)
        #expect(dispatcher.cache.peek(titles) == nil)
    }

    // MARK: Narrowing

    @Test func `a rule says which values a command changes, at its commit`() async throws {
        let gate = Gate()
        let pages = [1, 2].map { Select("SELECT stars FROM talk WHERE id = \($0)") }
        world.handlers.stub(Rate.self) { [world] command in
            try await world.database.write { db in
                try db.execute(sql: "UPDATE talk SET stars = stars + 1 WHERE id = ?", arguments: [command.id])
            }
            try await gate.pass()
        }
        let dispatcher = try world.caching {
            Invalidate(Select.self, after: Rate.self) { $0.sql.hasSuffix("\($1.id)") }
        }
        var values: [String] = []
        for page in pages { values.append(try await dispatcher.dispatch(page)) }
        let command = Task { try await dispatcher.dispatch(Rate(id: 1)) }
        await gate.arrivals(1)
        #expect(dispatcher.cache.peek(pages[0]) == nil)
        #expect(dispatcher.cache.peek(pages[1]) == values[1])
        gate.open()
        try await command.value
        #expect(dispatcher.cache.peek(pages[1]) == values[1])
        // Others still change all.
        try await dispatcher.dispatch(Execute("UPDATE talk SET stars = 5 WHERE id = 1"))
        #expect(dispatcher.cache.peek(pages[1]) == nil)
        // The rule does not speak of commits after the end of the command.
        _ = try await dispatcher.dispatch(pages[1])
        let late = Mutex<Task<Void, any Error>?>(nil)
        let end = Gate()
        world.handlers.stub(Rate.self) { [world] _ in
            let task = Task {
                try await end.pass()
                try await world.database.write { try $0.execute(sql: "UPDATE talk SET stars = 7") }
            }
            late.withLock { $0 = task }
        }
        try await dispatcher.dispatch(Rate(id: 1))
        #expect(dispatcher.cache.peek(pages[1]) != nil)
        end.open()
        try await late.withLock(\.self)?.value
        #expect(dispatcher.cache.peek(pages[1]) == nil)
    }

    @Test func `a commit of a command that has ended is not what a rule of an outer one speaks of`() async throws {
        struct Outer: Command { let id: Int }
        let pages = [1, 2].map { Select("SELECT stars FROM talk WHERE id = \($0)") }
        let (end, done) = (Gate(), Gate())
        let dispatcher = try world.caching {
            Invalidate(Select.self, after: Outer.self) { $0.sql.hasSuffix("\($1.id)") }
        }
        world.handlers.stub(Rate.self) { [world] _ in
            Task {
                try await end.pass()
                try await world.database.write { try $0.execute(sql: "UPDATE talk SET stars = 7 WHERE id = 2") }
                done.open()
            }
        }
        world.handlers.stub(Outer.self) { _ in
            try await dispatcher.dispatch(Rate(id: 1))
            end.open()
            try await done.pass()
        }
        for page in pages { _ = try await dispatcher.dispatch(page) }
        try await dispatcher.dispatch(Outer(id: 1))
        #expect(dispatcher.cache.peek(pages[1]) == nil)
    }

    @Test func `a value of a load that was not awaited is not kept`() async throws {
        struct Slow: Query, Hashable { typealias Value = String }
        struct Page: Query, Hashable { typealias Value = String }
        let gate = Gate()
        world.handlers.stub(Slow.self) { [world] _ in
            try await gate.pass()
            return try await world.database.read { try TrackedWorld.rows("SELECT title FROM talk", in: $0) }
        }
        let dispatcher = try world.handlers.caching(
            in: .memory(limit: .entries(9)),
            tracking: world.database,
            clock: world.clock
        ) {
            Cache(Slow.self, .untilInvalidated.hardTimeout(.seconds(1)))
            Cache(Page.self)
        }
        world.handlers.stub(Page.self) { [world] _ in
            let seats = try await world.database.read { try Int.fetchOne($0, sql: "SELECT seats FROM room") ?? 0 }
            return "\(seats)" + ((try? await dispatcher.dispatch(Slow())) ?? "")
        }
        let page = Task { try await dispatcher.dispatch(Page()) }
        while await world.clock.nextSleeper() != .seconds(1) {}
        world.clock.advance(by: .seconds(1))
        #expect(try await page.value == "10")
        #expect(dispatcher.cache.peek(Page()) == nil)
        gate.open()
    }

    // MARK: Observers

    @Test func `observed loads that write what others read end`() async throws {
        let loads = Mutex(0)
        world.handlers.stub(Select.self) { [world] query in
            loads.withLock { $0 += 1 }
            return try await world.database.write { db in
                try db.execute(sql: "UPDATE talk SET stars = stars + 1")
                return try TrackedWorld.rows(query.sql, in: db)
            }
        }
        let dispatcher = try world.caching()
        let observers = [1, 2].map { id in
            let states = dispatcher.observe(Select("SELECT stars FROM talk WHERE id = \(id)"))
            return Task { for await _ in states {} }
        }
        // A value is loaded again after a pause.
        for _ in 0..<5_000 {
            world.clock.advance(by: .milliseconds(100))
            await Task.yield()
        }
        #expect(loads.withLock(\.self) < 64)
        for observer in observers { observer.cancel() }
    }

    @Test func `an observed value follows each commit`() async throws {
        let dispatcher = try world.caching()
        var states = dispatcher.observe(titles).values.makeAsyncIterator()
        _ = try await states.next()
        try await world.pool.write { [rename] in try $0.execute(sql: rename.sql) }
        #expect(try await states.next() == current(titles))
    }

    @Test func `an observed value that could not be loaded follows what its load has read`() async throws {
        world.handlers.stub(Select.self) { [world] query in
            let rows = try await world.database.read { try TrackedWorld.rows(query.sql, in: $0) }
            if rows.isEmpty { throw NotFound() }
            return rows
        }
        let dispatcher = try world.caching()
        var states = dispatcher.observe(Select("SELECT title FROM talk WHERE id = 9")).makeAsyncIterator()
        while try #require(await states.next()).error == nil {}
        try await dispatcher.dispatch(Execute("INSERT INTO talk VALUES (9, 'Nine', 0, 1)"))
        while try #require(await states.next()).value == nil {}
    }

    @Test func `a value that has the change of a running command does not get it twice`() async throws {
        let gate = Gate()
        let stars = Select("SELECT stars FROM talk WHERE id = 1")
        world.handlers.stub(Rate.self) { [world] _ in
            try await world.database.write { try $0.execute(sql: "UPDATE talk SET stars = stars + 1") }
            try await gate.pass()
        }
        let dispatcher = try world.caching {
            OptimisticUpdate(Select.self, by: Rate.self) { value, _, _ in value += "+1" }
        }
        var states = dispatcher.observe(stars).makeAsyncIterator()
        while try #require(await states.next()).isLoading {}
        let command = Task { try await dispatcher.dispatch(Rate(id: 1)) }
        while try #require(await states.next()).value != "[stars:0]+1" {}
        await gate.arrivals(1)
        // Another commit, and a read that loads the value.
        try await dispatcher.dispatch(Execute("UPDATE talk SET stars = stars + 10"))
        #expect(try await dispatcher.read(stars, .fresh.includingUnconfirmed()).value == "[stars:11]")
        #expect(try await dispatcher.read(stars, .cacheFirst.includingUnconfirmed()).value == "[stars:11]")
        gate.open()
        try await command.value
        var last = try #require(await states.next())
        while last.isStale || last.isLoading || last.isOptimistic { last = try #require(await states.next()) }
        #expect(last.value == "[stars:11]")
    }
}

private struct NotFound: Error {}

private struct Rate: Command {
    let id: Int
}
