import Duet
import DuetCaching
import DuetTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Two queues of one store, as in two processes: one sends, and the other adds, lists, retries, drops and hands over.
@Suite
struct SharedQueueTests {
    private let store = FailingCommandStore()
    private let server = CommentServer()

    /// Returns a queue that sends, and one that does not.
    private func worlds() async throws -> (QueueWorld, QueueWorld) {
        let sender = try QueueWorld(store, server: server, concurrentSends: 1)
        await sender.queue.waitUntilLoaded()
        let other = try QueueWorld(store, server: server)
        await other.queue.waitUntilLoaded()
        return (sender, other)
    }

    @Test func `one queue sends the commands of both, each once`() async throws {
        let (sender, other) = try await worlds()
        for number in 1...20 {
            try await (number.isMultiple(of: 2) ? sender : other).post("\(number)", image: number)
        }
        await sender.commands(where: \.isEmpty)
        await other.commands(where: \.isEmpty)
        #expect(server.attempts.count == 20)
        #expect(server.mostSending == 1)
        #expect(await store.base.all() == [])
    }

    @Test func `a queue takes over when the other one ends, and sends each command once`() async throws {
        let gate = Gate()
        server.script("1", .gate(gate))
        var (sender, other): (QueueWorld?, QueueWorld) = try await worlds()
        try await sender?.post("1")
        await gate.arrivals(1)
        try await other.post("2")
        await other.commands { $0.map(\.state) == [.handedOver, .handedOver] }
        let queue = sender?.queue
        sender = nil
        await other.commands(where: \.isEmpty)
        #expect(server.carriedOut == ["1", "2"])
        #expect(server.mostSending == 1)
        withExtendedLifetime(queue) {}
    }

    @Test func `no queue takes over while an attempt may still reach the server`() async throws {
        let gate = Gate()
        let server = StubbornServer(gate: gate)
        func makeDispatcher(_ queue: CommandQueue) throws -> QueueingDispatcher {
            try server.queueing(in: queue) { Enqueue(PostComment.self, version: 1) }
        }
        var first: QueueingDispatcher? = try makeDispatcher(CommandQueue(in: store))
        try await first?.dispatch(PostComment())
        await gate.arrivals(1)
        first = nil
        let queue = CommandQueue(in: store)
        let second = try makeDispatcher(queue)
        await queue.waitUntilLoaded()
        #expect(await store.base.claimSending() == nil)
        gate.open()
        await queue.commands(where: \.isEmpty)
        #expect(server.attempts.withLock(\.self) == 1)
        withExtendedLifetime(second) {}
    }

    @Test func `commands are sent in the order in which both queues have added them`() async throws {
        let (sender, other) = try await worlds()
        server.isOffline = true
        for number in 1...9 { try await (number.isMultiple(of: 2) ? other : sender).post("\(number)") }
        server.isOffline = false
        await sender.queue.sendWithoutDelays(until: \.isEmpty)
        #expect(server.carriedOut == (1...9).map { "\($0)" })
    }

    @Test func `before a queue lists its own command, it reads those that others have added earlier`() async throws {
        store.isQuiet = true
        let (sender, other) = try await worlds()
        server.isOffline = true
        for number in 1...4 { try await (number.isMultiple(of: 2) ? other : sender).post("\(number)") }
        #expect(other.queue.commands.map(\.text) == ["1", "2", "3", "4"])
        #expect(sender.queue.commands.map(\.text) == ["1", "2", "3"])
    }

    @Test func `queues that do not send show optimistic changes, and then what was carried out`() async throws {
        func makeWorld() throws -> QueueWorld {
            try QueueWorld(store, server: server) {
                Enqueue(PostComment.self, version: 1)
            } caching: {
                Cache(LoadComments.self, .maxAge(.seconds(60)))
                Invalidate(LoadComments.self, after: PostComment.self)
                OptimisticUpdate(LoadComments.self, by: PostComment.self) { comments, _, command in
                    comments.append("\(command.text)…")
                }
            }
        }
        let gate = Gate()
        server.script("A", .gate(gate))
        let sender = try makeWorld()
        await sender.queue.waitUntilLoaded()
        let others = [try makeWorld(), try makeWorld()]
        var values = others.map { $0.dispatcher.observe(LoadComments()).values.makeAsyncIterator() }
        for index in others.indices { #expect(try await values[index].next() == []) }
        try await others[0].post("A")
        for index in others.indices { #expect(try await values[index].next() == ["A…"]) }
        gate.open()
        for index in others.indices { #expect(try await values[index].next() == ["A"]) }
        withExtendedLifetime(sender) {}
    }

    @Test func `what failed in the queue that sends has failed in the other, which lets it try again`() async throws {
        let (sender, other) = try await worlds()
        server.script("A", .failure(Rejected()), .failure(Rejected()))
        try await other.post("A")
        let failed = try #require(await other.commands { $0.first?.isFailed == true }.first)
        #expect(failed.state == .failed(reason: "\(Rejected())"))
        #expect(failed.attempts == 1)
        try await other.queue.retry(failed.id)
        await other.commands { $0.first?.isFailed == true && $0.first?.attempts == 2 }
        try await other.queue.retryAll()
        await other.commands(where: \.isEmpty)
        await sender.commands(where: \.isEmpty)
        #expect(server.attempts.count == 3)
        #expect(server.carriedOut == ["A"])
    }

    @Test func `a command that one queue drops is not sent by the other, also during its attempt`() async throws {
        let (sender, other) = try await worlds()
        let gate = Gate()
        server.script("A", .gate(gate))
        for text in ["A", "B", "C"] { try await sender.post(text) }
        await gate.arrivals(1)
        let list = await other.commands { $0.count == 3 }
        try await other.queue.drop(list[1].id)
        await sender.commands { $0.count == 2 }
        try await other.queue.drop(list[0].id)
        await sender.commands(where: \.isEmpty)
        #expect(server.carriedOut == ["C"])
    }

    @Test(.timeLimit(.minutes(1)))
    func `without a connection, no queue shows a command that another one has dropped`() async throws {
        let spy = SpyDispatcher()
        let server = server
        spy.stub(LoadComments.self) { _ in
            if let failure = server.failure { throw failure }
            return server.carriedOut
        }
        spy.stub(PostComment.self) { try await server.dispatch($0) }
        let values = InMemoryCacheStore()
        let queues = (0..<3).map { _ in CommandQueue(in: store, random: { 1 }) }
        var dispatchers: [CachingDispatcher] = []
        for queue in queues {
            let memory = CacheMemory.stored(in: values)
            let queueing = try spy.queueing(in: queue) { Enqueue(PostComment.self, version: 1) }
            let dispatcher = try queueing.caching(in: memory) {
                Cache(LoadComments.self, .maxAge(.days(1)).staleIfError(.days(30))).stored(version: 1)
                Invalidate(LoadComments.self, after: PostComment.self)
                OptimisticUpdate(LoadComments.self, by: PostComment.self) { comments, _, command in
                    if !comments.contains(command.text) { comments.append(command.text) }
                }
            }
            dispatchers.append(dispatcher)
            await queue.waitUntilLoaded()
        }
        var observers = dispatchers.map { $0.observe(LoadComments()).values.makeAsyncIterator() }
        for index in observers.indices { #expect(try await observers[index].next() == []) }
        server.isOffline = true
        try await dispatchers[0].dispatch(PostComment(text: "A"))
        for index in observers.indices { #expect(try await observers[index].next() == ["A"]) }
        let command = try #require(queues[1].commands.first)
        try await queues[1].drop(command.id)
        for index in observers.indices { #expect(try await observers[index].next() == []) }
        #expect(try await dispatchers[2].read(LoadComments()).value == [])
        withExtendedLifetime(dispatchers) {}
    }

    @Test func `removing everything in one queue empties the other`() async throws {
        let (sender, other) = try await worlds()
        server.isOffline = true
        for image in 1...3 { try await sender.post("\(image)", image: image) }
        try await other.queue.removeAll()
        await sender.commands(where: \.isEmpty)
        try await other.post("A")
        server.isOffline = false
        await sender.queue.sendWithoutDelays { _ in server.carriedOut == ["A"] }
    }

    @Test func `a queue that does not send hands over that commands are sent now`() async throws {
        let (sender, other) = try await worlds()
        server.isOffline = true
        for image in 1...3 { try await other.post("\(image)", image: image) }
        await sender.clock.nextSleeper()
        await other.commands { $0.count == 3 && $0.contains { $0.attempts == 1 } }
        server.isOffline = false
        other.queue.sendNow()
        await other.commands(where: \.isEmpty)
        #expect(server.carriedOut.sorted() == ["1", "2", "3"])
    }

    @Test func `a queue that does not send hands over that one command is sent first`() async throws {
        let (sender, other) = try await worlds()
        server.isOffline = true
        for image in 1...3 { try await sender.post("\(image)", image: image) }
        await sender.clock.nextSleeper()
        let list = await other.commands { $0.count == 3 }
        server.isOffline = false
        try await other.queue.retry(list[2].id)
        await other.commands(where: \.isEmpty)
        #expect(server.attempts.prefix(2) == ["1", "3"])
    }

    @Test func `a queue that is no sender lists and adds, and another one sends`() async throws {
        let queue = CommandQueue(in: store, isSender: false)
        let dispatcher = try server.queueing(in: queue) {
            Enqueue(PostComment.self, version: 1, inOrderOf: \.image)
        }
        try await dispatcher.dispatch(PostComment(text: "A"))
        #expect(queue.commands.map(\.state) == [.waiting(until: nil, reason: nil)])
        #expect(await store.base.claimSending() != nil)
        let sender = try QueueWorld(store, server: server)
        await queue.commands(where: \.isEmpty)
        #expect(server.carriedOut == ["A"])
        withExtendedLifetime(sender) {}
    }

    // MARK: Failures of the store

    @Test func `a claim that fails is reported and tried again after a delay, and commands are kept until then`()
        async throws
    {
        store.fail(.claimSending, times: 3)
        let world = try QueueWorld(store, server: server)
        #expect(await world.clock.nextSleeper() == .seconds(1))
        try await world.post("A")
        #expect(server.attempts == [])
        world.clock.advance(by: .seconds(1))
        #expect(await world.clock.nextSleeper() == .seconds(2))
        world.clock.advance(by: .seconds(2))
        await world.commands(where: \.isEmpty)
        #expect(world.failures.operations == [.claiming, .claiming])
        #expect(server.carriedOut == ["A"])
    }

    @Test func `a command that was stored is sent, even if the changes of others cannot be read`() async throws {
        store.isQuiet = true
        let world = try QueueWorld(store, server: server)
        await world.queue.waitUntilLoaded()
        try await world.post("A")
        await world.commands(where: \.isEmpty)
        store.fail(.revision)
        try await world.post("B")
        await world.commands(where: \.isEmpty)
        #expect(world.failures.operations == [.reading])
        #expect(server.carriedOut == ["A", "B"])
    }

    @Test func `a request that cannot be stored is reported`() async throws {
        let (sender, other) = try await worlds()
        server.isOffline = true
        try await other.post("A")
        await other.commands { $0.first?.attempts == 1 }
        store.fail(.requestSending)
        await #expect(throws: FailingCommandStore.Fault.self) { try await other.queue.retryAll() }
        store.fail(.requestSending)
        other.queue.sendNow()
        while other.failures.operations.isEmpty { await Task.yield() }
        #expect(other.failures.operations == [.requesting])
        #expect(sender.failures.operations == [])
    }

    // MARK: Many commands

    @Test func `8,000 commands are read once`() async throws {
        let counted = FailingCommandStore(limit: CommandStoreLimit(commands: 10_000))
        let world = try QueueWorld(counted, server: server)
        await world.queue.waitUntilLoaded()
        server.isOffline = true
        for number in 1...8_000 { try await world.post("\(number)", image: number % 10) }
        #expect(counted.count(of: .all) == 1)
        #expect(world.queue.commands.count == 8_000)
    }
}

/// A server whose attempts do not end when they are canceled.
private final class StubbornServer: Dispatcher {
    let gate: Gate
    let attempts = Mutex(0)

    init(gate: Gate) {
        self.gate = gate
    }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        attempts.withLock { $0 += 1 }
        let gate = gate
        try await Task { try await gate.pass() }.value
        guard let done = () as? M.Value else { throw Rejected() }
        return done
    }
}

extension QueuedCommand {
    fileprivate var text: String? { try? JSONDecoder().decode(PostComment.self, from: content).text }
}
