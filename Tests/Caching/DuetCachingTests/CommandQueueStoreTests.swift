import Duet
import DuetCaching
import DuetContracts
import DuetTesting
import Foundation
import TestSupport
import Testing

/// Relaunches, and stores that are full or fail.
@Suite
struct CommandQueueStoreTests {
    // MARK: Relaunches

    @Test func `commands of an earlier launch are sent in order with the same keys, as soon as there is a dispatcher`()
        async throws
    {
        let store = InMemoryCommandStore()
        let server = CommentServer()
        server.isOffline = true
        var first: QueueWorld? = try QueueWorld(store, server: server)
        for text in ["A", "B"] { try await first?.post(text) }
        await first?.commands { $0.first?.attempts == 1 && $0.first?.state != .sending }
        let ids = first?.queue.commands.map(\.id) ?? []
        first = nil

        server.isOffline = false
        let second = try QueueWorld(store, server: server)
        try await second.post("C")
        await second.commands(where: \.isEmpty)
        #expect(server.attempts == ["A", "A", "B", "C"])
        #expect(server.keys.prefix(3) == [ids[0].uuidString, ids[0].uuidString, ids[1].uuidString])
        #expect(await store.all() == [])
    }

    @Test func `a command that is sent while its dispatcher ends makes stored values stale before it is removed`()
        async throws
    {
        let (commands, values) = (InMemoryCommandStore(), InMemoryCacheStore())
        let server = CommentServer()
        let gate = Gate()
        // It ignores the cancellation that comes with the end of the dispatcher.
        let spy = SpyDispatcher()
        spy.stub(LoadComments.self) { _ in server.carriedOut }
        spy.stub(PostComment.self) { command in
            try await Task { try await gate.pass() }.value
            try await server.dispatch(command)
        }
        func launch(_ queue: CommandQueue) throws -> CachingDispatcher {
            try spy.queueing(in: queue) { Enqueue(PostComment.self, version: 1) }.caching(in: .stored(in: values)) {
                Cache(LoadComments.self, .maxAge(.minutes(10))).stored(version: 1)
                Invalidate(LoadComments.self, after: PostComment.self)
            }
        }
        let queue = CommandQueue(in: commands)
        var first: CachingDispatcher? = try launch(queue)
        #expect(try await first?.dispatch(LoadComments()) == [])
        try await first?.cache.flush()
        try await first?.dispatch(PostComment(text: "A"))
        await gate.arrivals(1)
        first = nil
        gate.open()
        await queue.commands(where: \.isEmpty)
        #expect(await commands.all() == [])
        let second = try launch(CommandQueue(in: commands))
        #expect(try await second.dispatch(LoadComments()) == ["A"])
    }

    @Test func `a failed command has failed after a relaunch, too, and can be retried`() async throws {
        let store = InMemoryCommandStore()
        let server = CommentServer()
        server.script("A", .failure(Rejected()))
        var first: QueueWorld? = try QueueWorld(store, server: server)
        try await first?.post("A")
        await first?.commands { $0.first?.isFailed == true }
        first = nil

        let second = try QueueWorld(store, server: server)
        let failed = try #require(await second.commands { !$0.isEmpty }.first)
        #expect(failed.state == .failed(reason: "\(Rejected())"))
        #expect(failed.attempts == 1)
        try await second.queue.retry(failed.id)
        await second.commands(where: \.isEmpty)
        #expect(server.carriedOut == ["A"])
    }

    @Test func `sending stops with the last reference to the dispatcher, and the queue keeps the list`() async throws {
        let store = InMemoryCommandStore()
        let server = CommentServer()
        let leaks = LeakTracker()
        let queue: CommandQueue
        do {
            let world = try QueueWorld(store, server: server)
            leaks.track(world.dispatcher.cache)
            leaks.track(world.queue)
            let gate = Gate()
            server.script("A", .gate(gate))
            server.script("X", .failure(Offline()))
            for text in ["A", "B"] { try await world.post(text) }
            try await world.post("X", image: 2)
            await gate.arrivals(1)
            await world.clock.nextSleeper()
            queue = world.queue
        }
        // An attempt keeps the cache until it has ended.
        while leaks.alive.count > 1 { await Task.yield() }
        let reasons = [nil, nil, "\(Offline())"]
        #expect(queue.commands.map(\.state) == reasons.map { .waiting(until: nil, reason: $0) })
        #expect(server.carriedOut == [])
        #expect(await store.all().count == 3)
    }

    @Test func `when the dispatcher is gone, unsent commands make no values stale`() async throws {
        let leaks = LeakTracker()
        let reader: Task<Void, Never>
        do {
            let world = try QueueWorld(server: leaks.track(CommentServer()))
            world.server.isOffline = true
            let invalidations = world.dispatcher.cache.invalidations
            reader = Task { for await invalidation in invalidations { Issue.record("\(invalidation)") } }
            for text in ["A", "B"] { try await world.post(text) }
            await world.clock.nextSleeper()
        }
        // Each command keeps the server until its rules have been carried out.
        while !leaks.alive.isEmpty { await Task.yield() }
        reader.cancel()
        await reader.value
    }

    @Test func `a queue can be used again after its dispatcher is gone`() async throws {
        let store = InMemoryCommandStore()
        let server = CommentServer()
        let queue = CommandQueue(in: store, clock: ManualClock())
        server.isOffline = true
        func makeDispatcher() throws -> QueueingDispatcher {
            try server.queueing(in: queue) { Enqueue(PostComment.self, version: 1) }
        }
        do {
            let dispatcher = try makeDispatcher()
            try await dispatcher.dispatch(PostComment(text: "A"))
        }
        server.isOffline = false
        let dispatcher = try makeDispatcher()
        try await dispatcher.dispatch(PostComment(text: "B"))
        await queue.commands(where: \.isEmpty)
        #expect(server.carriedOut == ["A", "B"])
    }

    // MARK: Encodings

    @Test func `a command of another version fails with a reason, and stays in the store`() async throws {
        let store = InMemoryCommandStore()
        try await store.insert(stored(version: 1))
        let world = try QueueWorld(store, version: 2)
        let command = try #require(await world.commands { !$0.isEmpty }.first)
        let reason = """
            The command cannot be read: it has version 1, and the Enqueue rule has version 2. \
            Retry it with a program that can read it, or drop it.
            """
        #expect(command.state == .failed(reason: reason))
        try await world.queue.retry(command.id)
        #expect(world.queue.commands.map(\.state) == [.failed(reason: reason)])
        #expect(await store.all() == [stored(version: 1)])
        #expect(world.server.attempts == [])
    }

    @Test func `a command of another version is upgraded if the rule can do that`() async throws {
        let store = InMemoryCommandStore()
        try await store.insert(stored(version: 1, bytes: #"{"words":"Old"}"#))
        let world = try QueueWorld(store) {
            Enqueue(
                PostComment.self,
                version: 2,
                upgrading: { bytes, version in
                    let old = try JSONDecoder().decode([String: String].self, from: bytes)
                    return PostComment(text: "\(old["words"] ?? "") from version \(version)")
                }
            )
        }
        await world.commands { _ in world.server.carriedOut == ["Old from version 1"] }
    }

    @Test(arguments: [("Unknown", "{}"), (PostComment.messageName, "{}"), (PostComment.messageName, "")])
    func `a command with an unknown name or encoding fails, and others are sent`(name: String, bytes: String)
        async throws
    {
        let store = InMemoryCommandStore()
        try await store.insert(stored(name: name, bytes: bytes))
        let world = try QueueWorld(store)
        try await world.post("A")
        await world.commands { $0.map(\.isFailed) == [true] }
        #expect(world.server.carriedOut == ["A"])
        #expect(await store.all().map(\.failure) == [nil])
        try await world.queue.drop(try #require(world.queue.commands.first).id)
        #expect(await store.all() == [])
    }

    private func stored(
        name: String = PostComment.messageName,
        version: Int = 1,
        bytes: String = #"{"text":"A","image":1}"#
    ) -> StoredCommand {
        StoredCommand(
            id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
            name: name,
            version: version,
            key: "1",
            date: Date(timeIntervalSinceReferenceDate: 0),
            idempotencyKey: "key",
            bytes: Data(bytes.utf8)
        )
    }

    // MARK: Stores that are full or fail

    @Test(arguments: CommandStoreContract.allCases)
    func `the store in memory keeps the contract of stores of commands`(clause: CommandStoreContract) async throws {
        try await clause.verify(isDurable: false) { InMemoryCommandStore(limit: $0) }
    }

    @Test(arguments: WrongCommandStore.Fault.allCases)
    func `the contract detects a store that does one thing wrong`(fault: WrongCommandStore.Fault) async throws {
        let description = WrongCommandStore.clause(for: fault)
        let clause = try #require(CommandStoreContract.allCases.first { $0.description == description })
        await #expect(throws: ContractViolation.self) {
            try await clause.verify(isDurable: false) { WrongCommandStore(fault, $0) }
        }
    }

    @Test func `a full store refuses a command, which is not sent`() async throws {
        let world = try QueueWorld(InMemoryCommandStore(limit: CommandStoreLimit(commands: 1)))
        world.server.isOffline = true
        try await world.post("A")
        let error = await #expect(throws: CommandStoreFull.self) { try await world.post("B") }
        #expect(
            error?.description == """
                \(PostComment.messageName) was not queued: the store has room for 1 commands and 16777216 bytes. \
                Wait until queued commands are sent, drop failed ones, or raise the limit.
                """
        )
        #expect(world.queue.commands.count == 1)
    }

    @Test func `a store that cannot insert fails the dispatch, and nothing is sent`() async throws {
        let store = FailingCommandStore()
        let world = try QueueWorld(store)
        store.fail(.insert)
        await #expect(throws: FailingCommandStore.Fault.self) { try await world.post("A") }
        #expect(world.queue.commands == [])
        try await world.post("B")
        await world.commands(where: \.isEmpty)
        #expect(world.server.attempts == ["B"])
    }

    @Test func `a store that cannot be read at first is read later`() async throws {
        let store = FailingCommandStore()
        try await store.base.insert(stored())
        store.fail(.all, times: 2)
        let world = try QueueWorld(store)
        for delay in 1...2 {
            #expect(await world.clock.nextSleeper() == .seconds(delay))
            world.clock.advance(by: .seconds(delay))
        }
        await world.commands { _ in world.server.carriedOut == ["A"] }
        #expect(world.failures.operations == [.reading, .reading])
    }

    @Test func `while earlier commands cannot be read, a dispatch fails`() async throws {
        let store = FailingCommandStore()
        store.fail(.all, times: 2)
        let world = try QueueWorld(store)
        await world.clock.nextSleeper()
        await #expect(throws: FailingCommandStore.Fault.self) { try await world.post("A") }
        try await world.post("B")
        await world.commands(where: \.isEmpty)
        #expect(world.server.carriedOut == ["B"])
    }

    @Test func `a command that was sent but not removed is not sent twice, and is removed with the next one`()
        async throws
    {
        let store = FailingCommandStore()
        let world = try QueueWorld(store)
        store.fail(.remove)
        try await world.post("A")
        await world.commands(where: \.isEmpty)
        #expect(world.failures.operations == [.removing])
        #expect(await store.base.all().count == 1)
        try await world.post("B")
        await world.commands(where: \.isEmpty)
        #expect(world.server.attempts == ["A", "B"])
        #expect(await store.base.all() == [])
    }

    @Test func `an attempt that cannot be noted changes nothing else`() async throws {
        let store = FailingCommandStore()
        let world = try QueueWorld(store)
        store.fail(.update)
        world.server.script("A", .failure(Rejected()))
        try await world.post("A")
        let failed = try #require(await world.commands { $0.first?.isFailed == true }.first)
        #expect(world.failures.operations == [.updating])
        store.fail(.update)
        await #expect(throws: FailingCommandStore.Fault.self) { try await world.queue.retry(failed.id) }
        #expect(world.queue.commands.map(\.isFailed) == [true])
        store.fail(.remove)
        await #expect(throws: FailingCommandStore.Fault.self) { try await world.queue.drop(failed.id) }
        store.fail(.removeAll)
        await #expect(throws: FailingCommandStore.Fault.self) { try await world.queue.removeAll() }
        #expect(world.queue.commands.map(\.isFailed) == [true])
    }
}
