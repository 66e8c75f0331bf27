import Duet
import DuetCaching
import DuetTesting
import Foundation
import TestSupport
import Testing

/// What people and programs do with a queue: observing, retrying, and dropping.
@Suite
struct CommandQueueControlTests {
    // MARK: Waiting

    @Test func `a queue has settled when each command was sent, has failed or waits`() async throws {
        let world = try QueueWorld()
        await world.queue.waitUntilSettled()
        world.server.script("A", .failure(Rejected()))
        for text in ["A", "B", "C"] { try await world.post(text) }
        await world.queue.waitUntilSettled()
        #expect(world.queue.commands.map(\.isFailed) == [true])
        #expect(world.server.carriedOut == ["B", "C"])

        world.server.isOffline = true
        for image in 2...9 { try await world.post("\(image)", image: image) }
        await world.queue.waitUntilSettled()
        let attempts = world.server.attempts.count
        #expect(world.queue.commands.count == 9)
        world.queue.sendNow()
        await world.queue.waitUntilSettled()
        #expect(world.server.attempts.count == attempts + 1)
        world.server.failure = Offline(needsSignIn: true)
        world.queue.sendNow()
        await world.queue.waitUntilSettled()
        #expect(world.server.attempts.count == attempts + 2)
        world.server.isOffline = false
        world.queue.sendNow()
        await world.queue.waitUntilSettled()
        #expect(world.queue.commands.map(\.isFailed) == [true])
    }

    @Test func `a queue has not settled while a command of another key is sent`() async throws {
        let world = try QueueWorld()
        let gate = Gate()
        world.server.script("A", .failure(Offline()), .failure(Offline()))
        world.server.script("B", .gate(gate))
        try await world.post("B", image: 2)
        await gate.arrivals(1)
        try await world.post("A")
        let waiting = await world.commands { $0.last?.attempts == 1 && $0.last?.state != .sending }
        #expect(waiting.count == 2)
        async let isDone: Void = world.queue.waitUntilSettled()
        gate.open()
        await isDone
        #expect(world.server.carriedOut == ["B"])
        #expect(world.queue.commands.map(\.attempts) == [1])
        // A command that fails by itself, while others succeed, has a delay: the queue does not wait for that.
        for text in ["C", "D"] {
            world.queue.sendNow()
            try await world.post(text, image: 3)
            await world.queue.waitUntilSettled()
        }
        #expect(world.server.carriedOut.sorted() == ["A", "B", "C", "D"])
    }

    @Test func `a settled queue has withdrawn the change of a failed command`() async throws {
        for _ in 1...50 {
            let world = try QueueWorld(InMemoryCommandStore()) {
                Enqueue(PostComment.self, version: 1)
            } caching: {
                Cache(LoadComments.self, .maxAge(.seconds(60)))
                Invalidate(LoadComments.self, after: PostComment.self)
                OptimisticUpdate(LoadComments.self, by: PostComment.self) { comments, _, command in
                    comments.append(command.text)
                }
            }
            let gate = Gate()
            world.server.script("A", .gate(gate, then: Offline(isTemporary: false)))
            _ = try await world.dispatcher.dispatch(LoadComments())
            try await world.post("A")
            let mode = ReadMode.cacheFirst.includingUnconfirmed()
            #expect(try await world.dispatcher.read(LoadComments(), mode).isOptimistic)
            gate.open()
            await world.queue.waitUntilSettled()
            #expect(world.queue.commands.map(\.isFailed) == [true])
            let result = try await world.dispatcher.read(LoadComments(), mode)
            #expect(result.value == [] && !result.isOptimistic)
        }
    }

    @Test func `waiting for a queue ends at once without a dispatcher, beside a sender, and in a canceled task`()
        async throws
    {
        let store = InMemoryCommandStore()
        await CommandQueue(in: store).waitUntilSettled()
        let first = try QueueWorld(store)
        let gate = Gate()
        first.server.script("A", .gate(gate))
        try await first.post("A")
        await gate.arrivals(1)
        let second = try QueueWorld(store)
        await second.queue.waitUntilSettled()
        #expect(second.queue.commands.map(\.state) == [.handedOver])
        let waiting = Task { await first.queue.waitUntilSettled() }
        waiting.cancel()
        await waiting.value
        gate.open()
        await first.queue.waitUntilSettled()
        #expect(first.queue.commands == [])
    }

    // MARK: Retrying

    @Test func `sending now makes one attempt, which the others follow, and leaves failed commands`() async throws {
        let world = try QueueWorld()
        world.server.script("A", .failure(Rejected()))
        try await world.post("A", image: 1)
        await world.commands { $0.first?.isFailed == true }
        world.server.isOffline = true
        for image in 2...4 { try await world.post("\(image)", image: image) }
        // Each delay is short again.
        #expect(await world.clock.nextSleeper() == .seconds(1))
        await world.commands { !$0.contains { $0.state == .sending } }
        let attempts = world.server.attempts.count
        for number in 1...3 {
            world.queue.sendNow()
            #expect(await world.clock.nextSleeper() == .seconds(1))
            #expect(world.server.attempts.count == attempts + number)
        }
        world.server.isOffline = false
        world.queue.sendNow()
        await world.commands { $0.map(\.isFailed) == [true] }
        #expect(world.server.carriedOut.sorted() == ["2", "3", "4"])
    }

    @Test func `sending now during an attempt makes the next delay of its command short again`() async throws {
        let world = try QueueWorld()
        let gate = Gate()
        world.server.script("A", .failure(Offline()), .failure(Offline()), .gate(gate, then: Offline()))
        try await world.post("A")
        for _ in 1...2 { world.clock.advance(by: await world.clock.nextSleeper()) }
        await gate.arrivals(1)
        world.queue.sendNow()
        gate.open()
        let waiting = await world.commands { $0.first?.attempts == 3 && $0.first?.state != .sending }
        guard case .waiting(let end, _)? = waiting.first?.state else { throw CancellationError() }
        #expect(end == world.date.now() + 1)
    }

    @Test func `a failed command is sent again when it is retried, with the same key`() async throws {
        let store = InMemoryCommandStore()
        let world = try QueueWorld(store)
        world.server.script("A", .failure(Rejected()), .failure(Rejected()))
        try await world.post("A")
        let failed = try #require(await world.commands { $0.first?.isFailed == true }.first)
        try await world.queue.retry(failed.id)
        await world.commands { $0.first?.isFailed == true && $0.first?.attempts == 2 }
        #expect(await store.all().map(\.failure) == ["\(Rejected())"])
        try await world.queue.retryAll()
        await world.commands(where: \.isEmpty)
        #expect(Set(world.server.keys) == [failed.id.uuidString])
        #expect(world.server.keys.count == 3)
    }

    @Test func `a retried command is sent before later ones of its key`() async throws {
        let world = try QueueWorld()
        let gate = Gate()
        world.server.script("A", .failure(Rejected()))
        world.server.script("B", .gate(gate))
        for text in ["A", "B", "C"] { try await world.post(text) }
        let first = await world.commands { $0.map(\.isFailed) == [true, false, false] }[0]
        await gate.arrivals(1)
        try await world.queue.retry(first.id)
        gate.open()
        await world.commands(where: \.isEmpty)
        #expect(world.server.attempts == ["A", "B", "A", "C"])
    }

    @Test func `a waiting command that is retried is sent before those of other keys`() async throws {
        let world = try QueueWorld(concurrentSends: 1)
        world.server.isOffline = true
        for image in 1...3 { try await world.post("\(image)", image: image) }
        await world.clock.nextSleeper()
        world.server.isOffline = false
        try await world.queue.retry(UUID())
        try await world.queue.retry(world.queue.commands[2].id)
        await world.commands(where: \.isEmpty)
        #expect(world.server.attempts.prefix(2) == ["1", "3"])
        #expect(world.server.carriedOut.count == 3)
    }

    @Test func `an unknown command is neither retried nor dropped`() async throws {
        let world = try QueueWorld()
        try await world.queue.retry(UUID())
        try await world.queue.drop(UUID())
        #expect(world.queue.commands == [])
    }

    // MARK: Dropping

    @Test func `a sign-out in a canceled task removes the commands, too`() async throws {
        let store = InMemoryCommandStore()
        let world = try QueueWorld(store)
        world.server.isOffline = true
        try await world.post("A")
        let gate = Gate()
        let signOut = Task {
            try? await gate.pass()
            try await world.dispatcher.cache.signOut(dropping: {}, queue: world.queue)
        }
        signOut.cancel()
        try await signOut.value
        #expect(await store.all().isEmpty)
    }

    @Test func `a dropped command is gone from the list and the store, and the next one is sent`() async throws {
        let store = InMemoryCommandStore()
        let world = try QueueWorld(store)
        world.server.script("A", .failure(Offline()))
        for text in ["A", "B"] { try await world.post(text) }
        await world.clock.nextSleeper()
        try await world.queue.drop(try #require(world.queue.commands.first).id)
        world.clock.advance(by: .seconds(1))
        await world.commands(where: \.isEmpty)
        #expect(world.server.attempts == ["A", "B"])
        #expect(await store.all() == [])
    }

    @Test func `dropping a command that is being sent cancels its attempt`() async throws {
        let world = try QueueWorld()
        let gate = Gate()
        world.server.script("A", .gate(gate))
        for text in ["A", "B"] { try await world.post(text) }
        await gate.arrivals(1)
        let first = await world.commands { $0.first?.state == .sending }[0]
        try await world.queue.drop(first.id)
        await world.commands(where: \.isEmpty)
        #expect(world.server.carriedOut == ["B"])
    }

    @Test func `a command that waits for its turn can be dropped`() async throws {
        let world = try QueueWorld()
        let gate = Gate()
        world.server.script("A", .gate(gate))
        for text in ["A", "B", "C"] { try await world.post(text) }
        await gate.arrivals(1)
        try await world.queue.drop(world.queue.commands[1].id)
        gate.open()
        await world.commands(where: \.isEmpty)
        #expect(world.server.carriedOut == ["A", "C"])
    }

    @Test func `removing everything leaves nothing, and the queue can be used afterward`() async throws {
        let store = InMemoryCommandStore()
        let world = try QueueWorld(store)
        world.server.isOffline = true
        for text in ["A", "B"] { try await world.post(text) }
        try await world.queue.removeAll()
        #expect(world.queue.commands == [])
        #expect(await store.all() == [])
        world.server.isOffline = false
        try await world.post("C")
        await world.commands(where: \.isEmpty)
        #expect(world.server.carriedOut == ["C"])
    }

    // MARK: Observing

    @Test func `states begin with the current list and end with the queue`() async throws {
        var queue: CommandQueue? = CommandQueue(in: InMemoryCommandStore())
        var states = try #require(queue).states.makeAsyncIterator()
        var dispatcher: QueueingDispatcher? = try CommentServer()
            .queueing(in: #require(queue)) { Enqueue(PostComment.self, version: 1) }
        #expect(await states.next() == [])
        await queue?.waitUntilLoaded()
        #expect(dispatcher != nil)
        (queue, dispatcher) = (nil, nil)
        #expect(await states.next() == nil)
    }

    @Test func `states begin when the store was read`() async throws {
        let store = FailingCommandStore()
        let server = CommentServer()
        server.isOffline = true
        var first: QueueWorld? = try QueueWorld(store, server: server)
        try await first?.post("A")
        first = nil
        store.fail(.all)
        let second = try QueueWorld(store, server: server)
        var states = second.queue.states.makeAsyncIterator()
        await second.clock.nextSleeper()
        async let list = states.next()
        second.clock.advance(by: .seconds(1))
        #expect(await list?.count == 1)
    }

    @Test func `a slow reader skips to the newest list`() async throws {
        let world = try QueueWorld()
        world.server.isOffline = true
        var states = world.queue.states.makeAsyncIterator()
        #expect(await states.next() == [])
        try await world.post("A")
        await world.clock.nextSleeper()
        await world.commands { $0.first?.attempts == 1 && $0.first?.state != .sending }
        #expect(await states.next() == world.queue.commands)
    }

    @Test @MainActor func `a model shows the commands, and retries and drops them`() async throws {
        let store = FailingCommandStore()
        let world = try QueueWorld(store)
        world.server.script("A", .failure(Rejected()), .failure(Rejected()))
        let model = CommandQueueModel(world.queue)
        #expect(model.commands == [])
        let screen = Task { await model.run() }
        try await world.post("A")
        while model.failed.isEmpty { await Task.yield() }
        let id = model.failed[0].id
        await model.retry(id)
        while model.failed.first?.attempts != 2 { await Task.yield() }
        store.fail(.remove)
        await model.drop(id)
        #expect(model.error is FailingCommandStore.Fault)
        #expect(model.commands.count == 1)
        await model.drop(id)
        #expect(model.error == nil)
        while !model.commands.isEmpty { await Task.yield() }
        screen.cancel()
        await screen.value
    }
}
