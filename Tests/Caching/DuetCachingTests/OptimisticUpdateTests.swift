import Duet
import DuetCaching
import DuetContext
import DuetContracts
import DuetTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OptimisticUpdateTests {
    // MARK: The life of a change

    @Test func `an observer sees a change before the command has ended`() async throws {
        let world = try ListWorld()
        var states = world.states()
        var values = world.dispatcher.observe(LoadList()).values.makeAsyncIterator()
        while await states.next()?.value != [0] {}
        #expect(try await values.next() == [0])
        let command = try await world.begin(1)
        let state = try #require(await states.next())
        #expect(state.value == [0, 1])
        #expect(state.isOptimistic)
        #expect(!state.isLoading)
        #expect(try await values.next() == [0, 1])
        await world.finish(1, command)
    }

    @Test(arguments: [false, true])
    func `the change of a failed or canceled command is withdrawn`(isCanceled: Bool) async throws {
        let world = try ListWorld()
        var values = world.dispatcher.observe(LoadList()).values.makeAsyncIterator()
        #expect(try await values.next() == [0])
        let command = try await world.begin(1)
        #expect(try await values.next() == [0, 1])
        world.server.holdsLoads = true
        if isCanceled {
            command.cancel()
            await #expect(throws: CancellationError.self) { try await command.value }
        } else {
            world.server.finish(1, succeeds: false)
            await #expect(throws: NoConnection()) { try await command.value }
        }
        // The load after the failed command is still held.
        let load = try await world.server.nextLoad()
        #expect(try await values.next() == [0])
        let state = try await world.state()
        #expect(!state.isOptimistic)
        #expect(state.isLoading)
        world.server.finish(load: load.id)
    }

    struct Entry: Equatable {
        let id: Int?
        let key: String
    }

    struct LoadEntries: Query, Hashable {
        typealias Value = [Entry]
    }

    struct AddEntry: Command {
        let key: String
    }

    @Test func `an item whose ID the server chooses is shown once if the server returns the key of its command`()
        async throws
    {
        let saved = Mutex<[Entry]>([])
        let (spy, response) = (SpyDispatcher(), Gate())
        spy.stub(LoadEntries.self) { _ in saved.withLock(\.self) }
        spy.stub(AddEntry.self) { command in
            saved.withLock { $0.append(Entry(id: 17, key: command.key)) }
            try await response.pass()
        }
        let dispatcher = try spy.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadEntries.self, .untilInvalidated)
            Invalidate(LoadEntries.self, after: AddEntry.self)
            OptimisticUpdate(LoadEntries.self, by: AddEntry.self) { entries, _, command in
                guard !entries.contains(where: { $0.key == command.key }) else { return }
                entries.append(Entry(id: nil, key: command.key))
            }
        }
        var states = dispatcher.observe(LoadEntries()).makeAsyncIterator()
        while await states.next()?.value != [] {}
        let command = Task { try await dispatcher.dispatch(AddEntry(key: "a")) }
        #expect(await states.next()?.value == [Entry(id: nil, key: "a")])
        await response.arrivals(1)
        // A refresh before the response.
        _ = try await dispatcher.read(LoadEntries(), .fresh)
        var state = try #require(await states.next())
        while state.isLoading { state = try #require(await states.next()) }
        #expect(state.value == [Entry(id: 17, key: "a")])
        #expect(!state.isOptimistic)
        response.open()
        try await command.value
        #expect(try await dispatcher.dispatch(LoadEntries()) == [Entry(id: 17, key: "a")])
    }

    @Test func `a change does not vanish between the success of its command and the load after it`() async throws {
        let world = try ListWorld()
        var states = world.states()
        while await states.next()?.value != [0] {}
        let command = try await world.begin(1)
        #expect(await states.next()?.value == [0, 1])
        world.server.holdsLoads = true
        await world.finish(1, command)
        let confirmed = try #require(await states.next())
        #expect(confirmed.value == [0, 1])
        #expect(confirmed.isOptimistic)
        #expect(confirmed.isStale)
        let load = try await world.server.nextLoad()
        #expect(try await world.state().value == [0, 1])
        world.server.finish(load: load.id)
        let loaded = try #require(await states.next())
        #expect(loaded.value == [0, 1])
        #expect(!loaded.isOptimistic)
        #expect(!loaded.isStale)
    }

    @Test func `observed values do not change between the success of a command and the load after it`() async throws {
        let world = try ListWorld()
        var values = world.dispatcher.observe(LoadList()).values.makeAsyncIterator()
        #expect(try await values.next() == [0])
        let command = try await world.begin(1)
        #expect(try await values.next() == [0, 1])
        await world.finish(1, command)
        // A refresh would share the load after the command.
        while world.dispatcher.cache.peek(LoadList()) != [0, 1] { await Task.yield() }
        world.server.items = [0, 1, 2]
        world.dispatcher.cache.refreshObserved()
        #expect(try await values.next() == [0, 1, 2])
    }

    @Test func `a change stays if the load after its command fails, until a later one succeeds`() async throws {
        let world = try ListWorld()
        var states = world.states()
        while await states.next()?.value != [0] {}
        let command = try await world.begin(1)
        world.server.holdsLoads = true
        await world.finish(1, command)
        world.server.finish(load: try await world.server.nextLoad().id, succeeds: false)
        var failed = try #require(await states.next())
        while failed.isLoading || failed.error == nil { failed = try #require(await states.next()) }
        #expect(failed.value == [0, 1])
        #expect(failed.isOptimistic)
        world.server.holdsLoads = false
        #expect(try await world.dispatcher.read(LoadList()).value == [0, 1])
        let loaded = try #require(await states.next())
        #expect(loaded.value == [0, 1])
        #expect(!loaded.isOptimistic)
    }

    @Test func `changes are made again on a value that is loaded while their commands run`() async throws {
        let world = try ListWorld()
        var values = world.dispatcher.observe(LoadList()).values.makeAsyncIterator()
        #expect(try await values.next() == [0])
        let first = try await world.begin(1)
        let second = try await world.begin(2)
        world.server.items = [7]
        world.dispatcher.cache.refreshObserved()
        while try await values.next() != [7, 1, 2] {}
        world.server.holdsLoads = true
        await world.finish(1, first, succeeds: false)
        #expect(try await values.next() == [7, 2])
        world.server.holdsLoads = false
        await world.finish(2, second)
        world.server.items = [7, 2, 3]
        world.dispatcher.cache.refreshObserved()
        #expect(try await values.next() == [7, 2, 3])
    }

    @Test func `an observer that begins while commands run sees their changes in order`() async throws {
        let world = try ListWorld()
        let commands = [try await world.begin(2), try await world.begin(1)]
        var values = world.dispatcher.observe(LoadList()).values.makeAsyncIterator()
        #expect(try await values.next() == [0, 2, 1])
        await world.finish(2, commands[0])
        await world.finish(1, commands[1])
    }

    @Test func `a load that began before the success of a command does not end its change`() async throws {
        let world = try ListWorld()
        var values = world.dispatcher.observe(LoadList()).values.makeAsyncIterator()
        #expect(try await values.next() == [0])
        world.server.holdsLoads = true
        world.dispatcher.cache.refreshObserved()
        let old = try await world.server.nextLoad()
        let command = try await world.begin(1)
        #expect(try await values.next() == [0, 1])
        await world.finish(1, command)
        let new = try await world.server.nextLoad()
        world.server.finish(load: old.id)
        #expect(try await world.state().value == [0, 1])
        #expect(try await world.state().isOptimistic)
        world.server.finish(load: new.id)
        while try await world.state().isOptimistic {}
        #expect(try await world.state().value == [0, 1])
    }

    @Test func `removing all values leaves the changes of running commands`() async throws {
        let world = try ListWorld()
        var states = world.states()
        while await states.next()?.value != [0] {}
        let first = try await world.begin(1)
        let second = try await world.begin(2)
        world.server.holdsLoads = true
        await world.finish(1, first)
        world.server.items = [9]
        try await world.dispatcher.cache.removeAll()
        let removed = try await world.state()
        #expect(removed.value == nil)
        #expect(!removed.isOptimistic)
        world.server.holdsLoads = false
        var state = removed
        while state.value == nil { state = try #require(await states.next()) }
        #expect(state.value == [9, 2])
        await world.finish(2, second, succeeds: false)
    }

    // MARK: Readers

    @Test func `readers and the store receive loaded values only`() async throws {
        let store = InMemoryCacheStore()
        let world = try ListWorld(in: .stored(in: store)) {
            Cache(LoadList.self, .untilInvalidated).stored(version: 1)
            Invalidate(LoadList.self, after: Append.self)
            OptimisticUpdate(LoadList.self, by: Append.self) { items, _, command in items.append(command.item) }
        }
        var values = world.dispatcher.observe(LoadList()).values.makeAsyncIterator()
        #expect(try await values.next() == [0])
        let command = try await world.begin(1)
        #expect(try await values.next() == [0, 1])
        #expect(try await world.dispatcher.dispatch(LoadList()) == [0])
        #expect(try await world.dispatcher.read(LoadList()).value == [0])
        #expect(world.dispatcher.cache.peek(LoadList()) == [0])
        _ = try await world.dispatcher.read(LoadList(), .fresh)
        try await world.dispatcher.cache.flush()
        for key in try await CacheStoreSubject(store).keys(ofQuery: LoadList.messageName) {
            let bytes = try #require(await store.value(for: key)).bytes
            #expect(try JSONDecoder().decode([Int].self, from: bytes) == [0])
        }
        #expect(store.count == 1)
        await world.finish(1, command)
    }

    @Test func `a change concerns the scope of the command's caller`() async throws {
        let world = try ListWorld()
        var ann = await withPrincipal(Principal(id: "ann")) { world.states() }
        var ben = await withPrincipal(Principal(id: "ben")) { world.states() }
        while await ann.next()?.value != [0] {}
        while await ben.next()?.value != [0] {}
        let command = try await withPrincipal(Principal(id: "ann")) { try await world.begin(1) }
        #expect(await ann.next()?.value == [0, 1])
        #expect(try await withPrincipal(Principal(id: "ann")) { try await world.state().value } == [0, 1])
        let other = try await withPrincipal(Principal(id: "ben")) { try await world.state() }
        #expect(other.value == [0])
        #expect(!other.isOptimistic)
        // An observer that begins later sees the changes of its scope, too.
        var carl = await withPrincipal(Principal(id: "carl")) { world.states() }
        var state = try #require(await carl.next())
        while state.value == nil { state = try #require(await carl.next()) }
        #expect(state.value == [0])
        await world.finish(1, command)
        // The rules of the command cross scopes.
        while await ben.next()?.value != [0, 1] {}
    }

    @Test @MainActor func `a query model shows that its value is optimistic`() async throws {
        let world = try ListWorld()
        let model = QueryModel(LoadList(), in: world.dispatcher)
        let screen = Task { await model.run() }
        while model.value != [0] { await Task.yield() }
        #expect(!model.isOptimistic)
        let command = try await world.begin(1)
        while model.value != [0, 1] { await Task.yield() }
        #expect(model.isOptimistic)
        await world.finish(1, command)
        while model.isOptimistic { await Task.yield() }
        #expect(model.value == [0, 1])
        screen.cancel()
        await screen.value
    }

    // MARK: Values that stay fresh

    @Test func `a value that an update leaves as it is stays as it is`() async throws {
        let world = try ListWorld()
        var states = world.states("work")
        while await states.next()?.value != [] {}
        let command = try await world.begin(1)
        await world.finish(1, command)
        #expect(world.server.loads == 1)
        world.dispatcher.cache.invalidate(LoadList.self)
        // The state before this one is the first.
        #expect(await states.next()?.isStale == true)
    }

    private func worldWithoutInvalidations() throws -> ListWorld {
        try ListWorld {
            Cache(LoadList.self, .untilInvalidated)
            Invalidate(LoadList.self, after: Append.self) { _, _ in false }
            OptimisticUpdate(LoadList.self, by: Append.self) { items, _, command in items.append(command.item) }
        }
    }

    @Test(arguments: [false, true])
    func `a changed value is stale without its observer even if the rules leave it fresh`(isLoading: Bool) async throws
    {
        let world = try worldWithoutInvalidations()
        var states: QueryStates<[Int]>.AsyncIterator? = world.states()
        while await states?.next()?.value != [0] {}
        world.server.holdsLoads = true
        if isLoading { world.dispatcher.cache.refreshObserved() }
        let old = isLoading ? try await world.server.nextLoad() : nil
        let command = try await world.begin(1)
        await world.finish(1, command)
        if let old { world.server.finish(load: old.id) }
        _ = try await world.server.nextLoad()
        states = nil
        while world.dispatcher.cache.observerCount > 0 { await Task.yield() }
        #expect(try await world.dispatcher.read(LoadList(), .cacheOnly).isStale)
        world.server.holdsLoads = false
        #expect(try await world.dispatcher.dispatch(LoadList()) == [0, 1])
    }

    @Test func `a changed value is loaded again even if the rules of the command leave it fresh`() async throws {
        let world = try worldWithoutInvalidations()
        var states = world.states()
        while await states.next()?.value != [0] {}
        world.server.holdsLoads = true
        world.dispatcher.cache.refreshObserved()
        let old = try await world.server.nextLoad()
        let command = try await world.begin(1)
        await world.finish(1, command)
        world.server.finish(load: old.id)
        let new = try await world.server.nextLoad()
        #expect(try await world.state().value == [0, 1])
        world.server.finish(load: new.id)
        var state = try #require(await states.next())
        while state.isOptimistic { state = try #require(await states.next()) }
        #expect(state.value == [0, 1])
    }

    @Test func `the change of a value that cannot be compared ends with the command if the value stays fresh`()
        async throws
    {
        let server = SpyDispatcher()
        let gate = Gate()
        server.stub(LoadOpaqueList.self) { _ in OpaqueList(items: [0]) }
        server.stub(Append.self) { _ in try await gate.pass() }
        let dispatcher = try server.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadOpaqueList.self, .untilInvalidated)
            Invalidate(LoadOpaqueList.self, after: Append.self) { _, _ in false }
            OptimisticUpdate(LoadOpaqueList.self, by: Append.self) { list, _, command in
                list.items.append(command.item)
            }
        }
        var values = dispatcher.observe(LoadOpaqueList()).values.makeAsyncIterator()
        #expect(try await values.next()?.items == [0])
        let command = Task { try await dispatcher.dispatch(Append(item: 1)) }
        #expect(try await values.next()?.items == [0, 1])
        gate.open()
        try await command.value
        #expect(try await values.next()?.items == [0])
        #expect(server.messages(of: LoadOpaqueList.self).count == 1)
    }

    // MARK: Memory

    enum End: CaseIterable {
        case success, failure, cancellation
    }

    @Test(arguments: End.allCases, [false, true])
    func `an ended command is released`(end: End, isObserved: Bool) async throws {
        let world = try ListWorld()
        let leaks = LeakTracker()
        var states: QueryStates<[Int]>.AsyncIterator? = isObserved ? world.states() : nil
        while isObserved, await states?.next()?.value != [0] {}
        if isObserved { world.server.holdsLoads = true }
        try await run(end, leaks, world)
        // The observer leaves before a load confirms the change.
        states = nil
        while world.dispatcher.cache.observerCount > 0 { await Task.yield() }
        world.server.holdsLoads = false
        #expect(leaks.count == 1)
        #expect(leaks.alive == [])
    }

    @Test func `a confirmed change is released by the load that confirms it`() async throws {
        let world = try ListWorld()
        let leaks = LeakTracker()
        var states = world.states()
        while await states.next()?.value != [0] {}
        try await run(.success, leaks, world)
        var state = try #require(await states.next())
        while state.isOptimistic { state = try #require(await states.next()) }
        #expect(state.value == [0, 1])
        #expect(leaks.alive == [])
    }

    private func run(_ end: End, _ leaks: LeakTracker, _ world: ListWorld) async throws {
        let command = try await world.begin(Append(item: 1, token: leaks.track(Append.Token())))
        #expect(leaks.alive.count == 1)
        if end == .cancellation { command.cancel() } else { world.server.finish(1, succeeds: end == .success) }
        _ = await command.result
    }
}

private struct OpaqueList: Sendable {
    var items: [Int]
}

private struct LoadOpaqueList: Query, Hashable {
    typealias Value = OpaqueList
}
