import Duet
import DuetCaching
import DuetTesting
import Foundation
import Observation
import Synchronization
import TestSupport
import Testing

@Suite @MainActor
struct ScreenModelTests {
    @Test func `a query model shows loading, the value, a refresh and an error`() async throws {
        let world = try World()
        let gate = world.server.holdNext()
        let model = QueryModel(LoadNotes(), in: world.dispatcher)
        #expect(model.value == nil)
        let screen = Task { await model.run() }
        await gate.arrivals(1)
        await until { model.isLoading }
        #expect(!model.isRefreshing)
        gate.open()
        await until { model.value == ["Milk"] }
        #expect(!model.isLoading)
        #expect(model.date == world.date.now())

        let second = world.server.holdNext()
        world.server.failure = NoConnection()
        let refresh = Task { await model.refresh() }
        await second.arrivals(1)
        await until { model.isRefreshing }
        second.open()
        await refresh.value
        await until { model.error is NoConnection }
        #expect(model.value == ["Milk"])
        screen.cancel()
        await screen.value
    }

    @Test func `a query model has a value in memory in its first frame`() async throws {
        let world = try World()
        #expect(QueryModel(LoadNotes(), in: world.dispatcher).value == nil)
        _ = try await world.notes()
        let fresh = QueryModel(LoadNotes(), in: world.dispatcher)
        #expect(fresh.value == ["Milk"] && fresh.date == world.date.now())
        #expect(!fresh.isStale && !fresh.isRefreshing)
        world.dispatcher.cache.invalidate(LoadNotes.self)
        let stale = QueryModel(LoadNotes(), in: world.dispatcher)
        #expect(stale.value == ["Milk"] && stale.isStale)
        #expect(world.server.loads == 1)
        #expect(world.dispatcher.cache.observerCount == 0)
    }

    @Test(arguments: [false, true])
    func `a query model is not loading when its task was canceled during a load`(hasValue: Bool) async throws {
        let world = try World()
        if hasValue { _ = try await world.notes() }
        world.date.advance(by: 60)
        let gate = world.server.holdNext()
        let model = QueryModel(LoadNotes(), in: world.dispatcher)
        let screen = Task { await model.run() }
        await gate.arrivals(1)
        await until { hasValue ? model.isRefreshing : model.isLoading }
        screen.cancel()
        await screen.value
        #expect(!model.isLoading && !model.isRefreshing)
    }

    @Test func `an equal value does not notify the observers of a model's value`() async throws {
        let world = try World()
        let model = QueryModel(LoadNotes(), in: world.dispatcher)
        let screen = Task { await model.run() }
        await until { model.value == ["Milk"] && !model.isLoading }
        let redraws = Counter()
        withObservationTracking {
            _ = (model.value, model.error == nil, model.isLoading, model.isStale, model.isOptimistic)
        } onChange: {
            _ = redraws.next()
        }
        for _ in 1...5 {
            world.date.advance(by: 1)
            await model.refresh()
            await until { model.date == world.date.now() && !model.isRefreshing }
        }
        #expect(redraws.count == 0)
        world.server.notes = ["Bread"]
        await model.refresh()
        await until { model.value == ["Bread"] }
        #expect(redraws.count == 1)
        screen.cancel()
        await screen.value
    }

    @Test func `equal pages do not notify the observers of a paged model's items`() async throws {
        let numbers = Mutex([1, 2])
        let model = try pages { query in numbers.withLock(\.self).filter { $0 > query.after }.map { Number(id: $0) } }
        await model.load()
        let redraws = Counter()
        withObservationTracking {
            _ = (model.items, model.hasMore, model.error == nil)
        } onChange: {
            _ = redraws.next()
        }
        for _ in 1...5 { await model.refresh() }
        #expect(redraws.count == 0)
        numbers.withLock { $0.append(3) }
        await model.refresh()
        #expect(model.items.map(\.id) == [1, 2, 3])
        #expect(redraws.count == 1)
    }

    @Test func `a command model shows that a command is running, and its error`() async throws {
        let spy = SpyDispatcher()
        let gate = Gate()
        spy.stub(AddNote.self) { _ in
            try await gate.pass()
            throw NoConnection()
        }
        let model = CommandModel(AddNote.self, in: spy)
        let run = Task { await model.run(AddNote()) }
        await gate.arrivals(1)
        #expect(model.isRunning)
        gate.open()
        await run.value
        #expect(!model.isRunning)
        #expect(model.error is NoConnection)
        spy.stub(AddNote.self)
        await model.run(AddNote())
        #expect(model.error == nil)
    }

    struct Number: Identifiable, Sendable, Equatable {
        let id: Int
    }

    struct LoadNumbers: Query, Hashable {
        typealias Value = [Number]
        var after = 0
    }

    private func pages(
        _ load: @escaping @Sendable @concurrent (LoadNumbers) async throws -> [Number]
    ) throws -> PagedModel<LoadNumbers, Number> {
        let spy = SpyDispatcher()
        spy.stub(LoadNumbers.self) { query in try await load(query) }
        let dispatcher = try spy.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadNumbers.self, .untilInvalidated)
        }
        return PagedModel(LoadNumbers(), in: dispatcher, items: \.self) { _, page in
            page.last.map { LoadNumbers(after: $0.id) }
        }
    }

    @Test func `a paged model appends pages until the last, and shows each item once`() async throws {
        let model = try pages { query in
            switch query.after {
            case 0: [Number(id: 1), Number(id: 2)]
            case 2: [Number(id: 2), Number(id: 3)]
            default: []
            }
        }
        await model.load()
        #expect(model.items.map(\.id) == [1, 2])
        #expect(model.hasMore)
        await model.loadMore()
        #expect(model.items.map(\.id) == [1, 2, 3])
        await model.loadMore()
        #expect(!model.hasMore)
        await model.loadMore()
        #expect(model.items.map(\.id) == [1, 2, 3])
    }

    @Test func `a refresh drops a further page of the older list`() async throws {
        let gate = Gate()
        let model = try pages { query in
            if query.after > 0 { try await gate.pass() }
            return query.after == 0 ? [Number(id: 1)] : [Number(id: 9)]
        }
        await model.load()
        let more = Task { await model.loadMore() }
        await gate.arrivals(1)
        await model.refresh()
        gate.open()
        await more.value
        #expect(model.items.map(\.id) == [1])
        #expect(!model.isLoadingMore)
    }

    struct LoadPage: Query, Hashable {
        typealias Value = [Number]
        var page = 1
    }

    @Test func `a page that was cached before an earlier page was loaded is loaded again`() async throws {
        let server = ListServer()
        server.items = Array(1...6)
        let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))
        let spy = SpyDispatcher()
        spy.stub(LoadPage.self) { query in
            date.advance(by: 1)
            return server.items.dropFirst(query.page * 2 - 2).prefix(2).map { Number(id: $0) }
        }
        let dispatcher = try spy.caching(in: .memory(limit: .entries(10)), now: date.now) {
            Cache(LoadPage.self, .maxAge(.seconds(300)))
        }
        let model = PagedModel(LoadPage(), in: dispatcher, items: \.self) { query, page in
            page.isEmpty ? nil : LoadPage(page: query.page + 1)
        }
        func expect(_ ids: [Int], loads: Int) async {
            await model.load()
            for _ in 1...2 { await model.loadMore() }
            #expect(model.items.map(\.id) == ids)
            #expect(spy.messages(of: LoadPage.self).count == loads)
        }
        await model.load()
        date.advance(by: 240)
        await model.loadMore()
        date.advance(by: 10)
        await model.loadMore()
        #expect(model.items.map(\.id) == Array(1...6))
        // All pages are as old as before.
        await expect(Array(1...6), loads: 3)
        server.items.insert(0, at: 0)
        date.advance(by: 51)
        await expect(Array(0...5), loads: 6)
        await expect(Array(0...5), loads: 6)
        // A later page is older than the second one.
        server.items.insert(-1, at: 0)
        _ = try await dispatcher.read(LoadPage(page: 2), .fresh)
        await expect([0, 1, 2, 3, 4], loads: 8)
    }

    @Test(arguments: [false, true])
    func `a refresh that failed or was canceled does not show an older page behind a newer one`(
        isCanceled: Bool
    ) async throws {
        let server = ListServer()
        server.items = [1, 2, 3, 4]
        let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))
        let isOffline = Mutex(false)
        let gate = Gate()
        let spy = SpyDispatcher()
        spy.stub(LoadPage.self) { query in
            if isOffline.withLock({ $0 }) {
                try await gate.pass()
                throw NoConnection()
            }
            return server.items.dropFirst(query.page * 2 - 2).prefix(2).map { Number(id: $0) }
        }
        let dispatcher = try spy.caching(in: .memory(limit: .entries(10)), now: date.now) {
            Cache(LoadPage.self, .maxAge(.seconds(300)))
        }
        let model = PagedModel(LoadPage(), in: dispatcher, items: \.self) { query, page in
            page.isEmpty ? nil : LoadPage(page: query.page + 1)
        }
        await model.load()
        date.advance(by: 240)
        await model.loadMore()
        server.items.insert(0, at: 0)
        date.advance(by: 61)
        await model.load()
        #expect(model.items.map(\.id) == [0, 1])

        isOffline.withLock { $0 = true }
        let refresh = Task { await model.refresh() }
        await gate.arrivals(1)
        if isCanceled { refresh.cancel() } else { gate.open() }
        await refresh.value
        #expect(model.error is NoConnection == !isCanceled && !model.isLoading)
        isOffline.withLock { $0 = false }

        await model.loadMore()
        #expect(model.items.map(\.id) == [0, 1, 2, 3])
    }

    @Test func `an item that is twice on a page is shown once`() async throws {
        let model = try pages { query in query.after == 0 ? [1, 2, 1].map { Number(id: $0) } : [] }
        await model.load()
        #expect(model.items.map(\.id) == [1, 2])
    }

    /// Waits until the model, which another task on this actor updates, meets a condition.
    private func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }
}
