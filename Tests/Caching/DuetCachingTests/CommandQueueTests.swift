import Duet
import DuetCaching
import DuetContext
import DuetTesting
import Foundation
import TestSupport
import Testing

@Suite
struct CommandQueueTests {
    @Test func `a dispatch returns when the command is stored, and the command is sent later`() async throws {
        let store = InMemoryCommandStore()
        let world = try QueueWorld(store)
        let gate = Gate()
        world.server.script("A", .gate(gate))
        try await world.post("A")
        #expect(await store.all().map(\.name) == [PostComment.messageName])
        let sending = await world.commands { $0.first?.state == .sending }
        #expect(sending.map(\.attempts) == [1])
        #expect(sending.map(\.date) == [world.date.now()])
        #expect(sending.map(\.key) == ["1"])
        #expect(sending.map(\.name) == [PostComment.messageName])

        gate.open()
        await world.commands(where: \.isEmpty)
        #expect(world.server.carriedOut == ["A"])
        #expect(await store.all() == [])
    }

    @Test func `a temporary error is tried again after a delay that doubles up to 5 minutes`() async throws {
        let store = InMemoryCommandStore()
        let world = try QueueWorld(store)
        world.server.isOffline = true
        try await world.post("A")
        var delays: [Duration] = []
        for attempt in 1...11 {
            delays.append(await world.clock.nextSleeper())
            let command = try #require(await world.commands { $0.first?.attempts == attempt }.first)
            #expect(command.id.uuidString == world.server.keys.first)
            world.clock.advance(by: delays[attempt - 1])
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map { .seconds($0) })
        #expect(Set(world.server.keys).count == 1)
    }

    @Test func `a waiting command shows when it is sent again and why, and the store has its attempts`() async throws {
        let store = InMemoryCommandStore()
        let world = try QueueWorld(store)
        world.server.script("A", .failure(Offline()))
        try await world.post("A")
        await world.clock.nextSleeper()
        let waiting = QueuedCommand.State.waiting(until: world.date.now() + 1, reason: "\(Offline())")
        await world.commands { $0.first?.state == waiting }
        #expect(await store.all().map(\.attempts) == [1])
        #expect(await store.all().map(\.failure) == [nil])

        world.clock.advance(by: .seconds(1))
        await world.commands(where: \.isEmpty)
        #expect(world.server.attempts == ["A", "A"])
    }

    @Test func `a permanent error makes the command fail, and it stays in the store`() async throws {
        let store = InMemoryCommandStore()
        let world = try QueueWorld(store)
        world.server.script("A", .failure(Rejected()))
        try await world.post("A")
        await world.commands { $0.first?.state == .failed(reason: "\(Rejected())") }
        #expect(await store.all().map(\.failure) == ["\(Rejected())"])
        #expect(world.server.attempts == ["A"])
    }

    @Test(arguments: [true, false])
    func `an error decides by itself whether it is temporary`(isTemporary: Bool) async throws {
        let world = try QueueWorld()
        world.server.script("A", .failure(Offline(isTemporary: isTemporary)))
        try await world.post("A")
        let command = try #require(await world.commands { $0.first.map { $0.state.isDecided } ?? false }.first)
        #expect(command.isFailed == !isTemporary)
    }

    @Test func `a timeout of the dispatcher is temporary, and a missing handler is not`() {
        #expect(DispatchError.timedOut(message: "A", after: .seconds(1)).isTemporary)
        #expect(!DispatchError.handlerNotFound(message: "A").isTemporary)
    }

    @Test func `a cancellation by the dispatcher is not a failure`() async throws {
        let world = try QueueWorld()
        world.server.script("A", .failure(CancellationError()))
        try await world.post("A")
        await world.clock.nextSleeper()
        #expect(world.queue.commands.map(\.isFailed) == [false])
    }

    // MARK: Servers in trouble

    @Test(arguments: [nil, 30, 60, 1_000_000])
    func `the queue makes one attempt after each pause, whatever waits`(retryAfter: Int?) async throws {
        let world = try QueueWorld()
        world.server.failure = Offline(retryAfter: retryAfter.map { .seconds($0) })
        for image in 1...500 { try await world.post("\(image)", image: image) }
        var attempts: [Int] = []
        for number in 0...3 {
            // A day is the longest pause that a server can ask for.
            let pause = retryAfter.map { min($0, 86_400) + 1 } ?? 1 << number
            #expect(await world.clock.nextSleeper() == .seconds(pause))
            await world.commands { !$0.contains { $0.state == .sending } }
            attempts.append(world.server.attempts.count)
            let list = world.queue.commands
            #expect(list.allSatisfy { $0.state != .waiting(until: nil, reason: nil) })
            if number < 3 { world.clock.advance(by: .seconds(pause)) }
        }
        #expect(attempts[0] <= 4)
        #expect(attempts == (0...3).map { attempts[0] + $0 })
        world.server.failure = nil
        world.queue.sendNow()
        await world.commands(where: \.isEmpty)
        #expect(world.server.carriedOut.count == 500)
    }

    @Test func `no pause is shorter than half of its maximum`() async throws {
        let clock = ManualClock()
        let server = CommentServer()
        server.isOffline = true
        let queue = CommandQueue(in: InMemoryCommandStore(), clock: clock, random: { 0 })
        let dispatcher = try server.queueing(in: queue) { Enqueue(PostComment.self, version: 1) }
        try await dispatcher.dispatch(PostComment())
        for delay in [500, 1_000, 2_000] {
            #expect(await clock.nextSleeper() == .milliseconds(delay))
            clock.advance(by: .milliseconds(delay))
        }
    }

    @Test func `commands without a valid sign-in wait until they are sent now`() async throws {
        let world = try QueueWorld()
        let failure = Offline(isTemporary: false, needsSignIn: true)
        world.server.failure = failure
        try await world.post("A", image: 1)
        await world.commands { $0.first?.state == .waiting(until: nil, reason: "\(failure)") }
        try await world.post("B", image: 2)
        #expect(world.queue.commands.map(\.attempts) == [1, 0])
        #expect(world.queue.commands.last?.state == .waiting(until: nil, reason: "\(failure)"))
        world.server.failure = nil
        world.clock.advance(by: .seconds(100_000))
        #expect(world.server.attempts == ["A"])
        world.queue.sendNow()
        await world.commands(where: \.isEmpty)
        #expect(world.server.carriedOut.sorted() == ["A", "B"])
    }

    // MARK: Order

    @Test func `commands of one key are sent in order, and a failed one lets the others go on`() async throws {
        let world = try QueueWorld()
        let gate = Gate()
        world.server.script("A", .gate(gate))
        world.server.script("B", .failure(Rejected()))
        for text in ["A", "B", "C"] { try await world.post(text) }
        await gate.arrivals(1)
        #expect(world.server.attempts == ["A"])
        gate.open()
        await world.commands { $0.map(\.isFailed) == [true] }
        #expect(world.server.attempts == ["A", "B", "C"])
        #expect(world.server.mostSending == 1)
    }

    @Test func `later commands of a key wait while the first one waits for its next attempt`() async throws {
        let world = try QueueWorld()
        world.server.script("A", .failure(Offline()), .failure(Offline()))
        for text in ["A", "B"] { try await world.post(text) }
        for _ in 1...2 { world.clock.advance(by: await world.clock.nextSleeper()) }
        await world.commands(where: \.isEmpty)
        #expect(world.server.attempts == ["A", "A", "A", "B"])
    }

    @Test(arguments: [1, 2, 3])
    func `commands of different keys are sent concurrently, up to the limit`(limit: Int) async throws {
        let world = try QueueWorld(concurrentSends: limit)
        let gate = Gate()
        for image in 1...5 {
            world.server.script("\(image)", .gate(gate))
            try await world.post("\(image)", image: image)
        }
        await gate.arrivals(limit)
        await world.commands { $0.count { $0.state == .sending } == limit }
        #expect(world.server.attempts.count == limit)
        gate.open()
        await world.commands(where: \.isEmpty)
        #expect(world.server.mostSending == limit)
        #expect(world.server.carriedOut.sorted() == ["1", "2", "3", "4", "5"])
    }

    @Test func `a command that fails again and again waits longer than the others`() async throws {
        let world = try QueueWorld(concurrentSends: 1)
        let gate = Gate()
        world.server.script("A", .gate(gate, then: Offline()), .failure(Offline()))
        try await world.post("A", image: 1)
        await gate.arrivals(1)
        // It is next, because it is ready before A is again.
        try await world.post("B", image: 2)
        gate.open()
        #expect(await world.clock.nextSleeper() == .seconds(1))
        world.clock.advance(by: .seconds(1))
        // The server has carried out B, so the queue pauses for a second. The command itself has failed twice.
        #expect(await world.clock.nextSleeper() == .seconds(1))
        #expect(world.queue.commands.map(\.state) == [.waiting(until: world.date.now() + 2, reason: "\(Offline())")])
        try await world.post("C", image: 3)
        world.clock.advance(by: .seconds(1))
        await world.commands { $0.map(\.key) == ["1"] }
        #expect(world.server.attempts.count { $0 == "A" } == 2)
        world.clock.advance(by: .seconds(1))
        await world.commands(where: \.isEmpty)
        #expect(world.server.carriedOut == ["B", "C", "A"])
    }

    @Test func `without a key, all commands of the type are sent in order`() async throws {
        let world = try QueueWorld(InMemoryCommandStore()) { Enqueue(PostComment.self, version: 1) }
        let gate = Gate()
        world.server.script("A", .gate(gate))
        try await world.post("A", image: 1)
        try await world.post("B", image: 2)
        #expect(world.queue.commands.map(\.key) == [PostComment.messageName, PostComment.messageName])
        await gate.arrivals(1)
        #expect(world.server.attempts == ["A"])
        gate.open()
        await world.commands(where: \.isEmpty)
    }

    @Test func `commands of different types with equal keys are sent in order`() async throws {
        let world = try QueueWorld(InMemoryCommandStore()) {
            Enqueue(PostComment.self, version: 1, inOrderOf: { "image \($0.image)" })
            Enqueue(LikeImage.self, version: 1, inOrderOf: { "image \($0.image)" })
        }
        let gate = Gate()
        world.server.script("A", .gate(gate))
        try await world.post("A")
        try await world.dispatcher.dispatch(LikeImage())
        await gate.arrivals(1)
        #expect(world.server.attempts == ["A"])
        gate.open()
        await world.commands(where: \.isEmpty)
        #expect(world.server.attempts == ["A", "like"])
    }

    @Test func `a key is a text, or the JSON of a value`() async throws {
        struct Key: Hashable, Encodable {
            var b = 1
            var a = "x"
        }
        let id = UUID()
        for (rule, key) in [
            (Enqueue(PostComment.self, version: 1, inOrderOf: { $0.text }), "A"),
            (Enqueue(PostComment.self, version: 1, inOrderOf: { _ in id }), id.uuidString),
            (Enqueue(PostComment.self, version: 1, inOrderOf: { _ in Key() }), #"{"a":"x","b":1}"#),
        ] {
            let world = try QueueWorld(InMemoryCommandStore()) { rule }
            world.server.isOffline = true
            try await world.post("A")
            #expect(world.queue.commands.map(\.key) == [key])
        }
    }

    // MARK: The context

    @Test func `the idempotency key of the caller is used, and the deadline of the dispatch is not`() async throws {
        let world = try QueueWorld()
        world.server.script("A", .failure(Offline()))
        try await withIdempotencyKey("mine") {
            try await withDeadline(in: .seconds(1), clock: world.clock) { try await world.post("A") }
        }
        world.clock.advance(by: await world.clock.nextSleeper())
        await world.commands(where: \.isEmpty)
        #expect(world.server.keys == ["mine", "mine"])
        #expect(world.server.deadlines == 0)
    }

    @Test func `a caller finds its command by the idempotency key`() async throws {
        let world = try QueueWorld()
        world.server.isOffline = true
        try await world.post("A")
        try await withIdempotencyKey("mine") { try await world.post("B") }
        let commands = world.queue.commands
        #expect(commands.map(\.idempotencyKey) == [commands[0].id.uuidString, "mine"])
    }

    @Test func `a command shows the error of its last attempt in this launch`() async throws {
        let store = InMemoryCommandStore()
        let server = CommentServer()
        server.script("A", .failure(Offline()), .failure(Rejected()))
        do {
            let world = try QueueWorld(store, server: server)
            try await world.post("A")
            await world.clock.nextSleeper()
            #expect(world.queue.commands.first?.error as? Offline == Offline())
            world.queue.sendNow()
            #expect(await world.commands { $0.first?.isFailed == true }.first?.error is Rejected)
        }
        let world = try QueueWorld(store, server: server)
        let loaded = await world.commands { !$0.isEmpty }
        #expect(loaded.map(\.state) == [.failed(reason: "\(Rejected())")])
        #expect(loaded.first?.error == nil)
    }

    @Test func `a command is sent as the principal of its dispatch, also after a relaunch`() async throws {
        let store = InMemoryCommandStore()
        let server = CommentServer()
        server.isOffline = true
        let ann = Principal(id: "ann", scopes: ["comment"])
        var first: QueueWorld? = try QueueWorld(store, server: server)
        try await withPrincipal(ann) { try await first?.post("A") }
        try await first?.post("B")
        await first?.clock.nextSleeper()
        #expect(first?.queue.commands.map(\.principal) == [ann, nil])
        first = nil

        server.isOffline = false
        try await withPrincipal(Principal(id: "bob")) {
            let second = try QueueWorld(store, server: server)
            await second.commands(where: \.isEmpty)
        }
        #expect(server.principals == ["ann", "ann", nil])
    }

    @Test func `observers of the same principal see the optimistic change, also after a relaunch`() async throws {
        let store = InMemoryCommandStore()
        let server = CommentServer()
        server.isOffline = true
        for isRelaunch in [false, true] {
            let world = try QueueWorld(store, server: server) {
                Enqueue(PostComment.self, version: 1)
            } caching: {
                Cache(LoadComments.self, .maxAge(.seconds(60)))
                Invalidate(LoadComments.self, after: PostComment.self)
                OptimisticUpdate(LoadComments.self, by: PostComment.self) { comments, _, command in
                    comments.append(command.text)
                }
            }
            try await withPrincipal(Principal(id: "ann")) {
                if !isRelaunch { try await world.post("A") }
                for try await comments in world.dispatcher.observe(LoadComments()).values where comments == ["A"] {
                    break
                }
            }
        }
        #expect(await store.all().count == 1)
    }

    // MARK: Rules

    @Test func `the other rules are carried out when the command was sent`() async throws {
        let world = try QueueWorld()
        #expect(try await world.dispatcher.dispatch(LoadComments()) == [])
        let gate = Gate()
        world.server.script("A", .gate(gate))
        var invalidations = world.dispatcher.cache.invalidations.makeAsyncIterator()
        try await world.post("A")
        await gate.arrivals(1)
        #expect(world.dispatcher.cache.peek(LoadComments()) == [])
        gate.open()
        guard case .command = await invalidations.next() else {
            Issue.record("The rules were not carried out.")
            return
        }
        #expect(try await world.dispatcher.dispatch(LoadComments()) == ["A"])
    }

    @Test func `when a command is gone from the list, its rules have been carried out`() async throws {
        let world = try QueueWorld()
        for number in 1...20 {
            _ = try await world.dispatcher.dispatch(LoadComments())
            try await world.post("\(number)")
            await world.commands(where: \.isEmpty)
            #expect(try await world.dispatcher.dispatch(LoadComments()).count == number)
        }
    }

    @Test func `the rules that precede the dispatch have been carried out when it returns`() async throws {
        let world = try QueueWorld(concurrentSends: 1)
        let gate = Gate()
        world.server.script("A", .gate(gate))
        try await world.post("A", image: 1)
        try await world.post("B", image: 2)
        // The task of a command that waits for its turn has begun.
        #expect(world.queue.commands.map(\.state) == [.sending, .waiting(until: nil, reason: nil)])
        gate.open()
        await world.commands(where: \.isEmpty)
    }

    @Test func `a command without the rule is not queued`() async throws {
        let world = try QueueWorld()
        try await world.dispatcher.dispatch(LikeImage())
        #expect(world.server.carriedOut == ["like"])
    }

    @Test func `uncovered changes of a queued command are found`() async throws {
        let world = try QueueWorld(InMemoryCommandStore()) {
            Enqueue(PostComment.self, version: 1)
        } caching: {
            Cache(LoadComments.self, .maxAge(.seconds(60)))
        }
        _ = try await world.dispatcher.dispatch(LoadComments())
        #expect(try await world.dispatcher.uncoveredChanges(after: PostComment()).count == 1)
    }

    @Test func `faulty rules are listed`() throws {
        let server = CommentServer()
        func queue() -> CommandQueue { CommandQueue(in: InMemoryCommandStore()) }
        let error = #expect(throws: InvalidQueueRules.self) {
            _ = try server.queueing(in: queue()) {
                Enqueue(PostComment.self, version: 1)
                Enqueue(PostComment.self, version: 2)
            }
        }
        let name = PostComment.messageName
        #expect(error?.faults == ["\(name) has two Enqueue rules. Keep one."])
        let twin = #expect(throws: InvalidQueueRules.self) {
            _ = try server.queueing(in: queue()) {
                Enqueue(PostComment.self, version: 1)
                Enqueue(OtherComment.self, version: 1)
            }
        }
        #expect(
            twin?.faults == [
                "Two messages have the name \(name). Declare another messageName in one of them."
            ]
        )
        let idle = #expect(throws: InvalidQueueRules.self) { _ = try server.queueing(in: queue()) {} }
        #expect(idle?.faults == ["Nothing is queued. Add an Enqueue rule for a command, or remove the queue."])
        let world = try QueueWorld()
        let shared = #expect(throws: InvalidQueueRules.self) {
            _ = try server.queueing(in: world.queue) { Enqueue(PostComment.self, version: 1) }
        }
        #expect(shared?.faults.count == 1)
    }

    @Test func `a queue in front of a cache is refused with the right order, also around a layer`() throws {
        let cached = try CommentServer().caching(in: .memory(limit: .entries(1))) {
            Cache(LoadComments.self, .maxAge(.seconds(60)))
        }
        for dispatcher in [cached, cached.with(ValidationMiddleware())] as [any Dispatcher] {
            let error = #expect(throws: InvalidQueueRules.self) {
                _ = try dispatcher.queueing(in: CommandQueue(in: InMemoryCommandStore())) {
                    Enqueue(PostComment.self, version: 1)
                }
            }
            #expect(error?.description.contains(".queueing(in: queue) { … }.caching(in: …) { … }") == true)
        }
    }

    private struct OtherComment: Command, Codable {
        static let messageName = PostComment.messageName
    }

    @Test func `a rule describes itself`() throws {
        #expect(
            "\(Enqueue(PostComment.self, version: 1, inOrderOf: \.image))"
                == "\(PostComment.messageName) is queued and sent in the order of its key, stored with version 1"
        )
    }
}

extension QueuedCommand.State {
    /// Whether an attempt has ended.
    fileprivate var isDecided: Bool {
        switch self {
        case .waiting(let until, _): until != nil
        case .failed: true
        default: false
        }
    }
}
