import Duet
import DuetCaching
import DuetTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Servers and routes in trouble, processes that end, and clocks that jump.
@Suite
struct QueuePauseTests {
    private let store = InMemoryCommandStore()
    private let server = CommentServer()

    private func world(
        concurrentSends: Int = 4,
        _ option: (Enqueue<PostComment>) -> Enqueue<PostComment> = { $0 }
    ) throws -> QueueWorld {
        try QueueWorld(store, server: server, concurrentSends: concurrentSends) {
            option(Enqueue(PostComment.self, version: 1, inOrderOf: { "comment \($0.image)" }))
            Enqueue(LikeImage.self, version: 1, inOrderOf: { "like \($0.image)" })
        }
    }

    // MARK: One route in trouble

    @Test(arguments: [nil, 3_600])
    func `a failure that does not concern the connection holds up only commands of its name`(retryAfter: Int?)
        async throws
    {
        let world = try world()
        let failure = Offline(retryAfter: retryAfter.map { .seconds($0) }, concernsConnection: false)
        for number in 1...20 { server.fail("\(number)", failure) }
        for number in 1...20 { try await world.post("\(number)", image: number) }
        for image in 1...5 { try await world.dispatcher.dispatch(LikeImage(image: image)) }
        await world.commands { $0.count == 20 && !$0.contains { $0.state == .sending } }
        let attempts = server.attempts.filter { $0 != "like" }.count
        #expect(attempts <= 4)
        let pause = retryAfter.map { $0 + 1 } ?? 1
        #expect(
            world.queue.commands.allSatisfy {
                $0.state == .waiting(until: world.date.now() + Double(pause), reason: "\(failure)")
            }
        )
        // One command finds out whether the others can be sent.
        world.clock.advance(by: .seconds(pause))
        await world.commands { commands in
            commands.reduce(0) { $0 + $1.attempts } == attempts + 1 && !commands.contains { $0.state == .sending }
        }

        for number in 1...20 { server.fail("\(number)", nil) }
        world.queue.sendNow()
        await world.commands(where: \.isEmpty)
        #expect(server.carriedOut.count == 25)
    }

    @Test(.timeLimit(.minutes(1)))
    func `after a failed connection, a command of another name is tried`() async throws {
        let world = try world(concurrentSends: 1)
        for number in 1...20 { server.fail("\(number)", Offline()) }
        for number in 1...20 { try await world.post("\(number)", image: number) }
        try await world.dispatcher.dispatch(LikeImage())
        #expect(await world.clock.nextSleeper() == .seconds(1))
        #expect(server.attempts == ["1"])
        world.clock.advance(by: .seconds(1))
        await world.commands { $0.count == 20 }
        #expect(server.attempts.prefix(2) == ["1", "like"])
    }

    // MARK: Processes that end

    /// A command during whose last attempts the process has ended.
    private func interrupted(_ text: String, image: Int, times: Int) -> StoredCommand {
        StoredCommand(
            id: UUID(),
            name: PostComment.messageName,
            version: 1,
            key: "comment \(image)",
            date: Date(timeIntervalSinceReferenceDate: 0),
            idempotencyKey: text,
            bytes: Data(#"{"text":"\#(text)","image":\#(image)}"#.utf8),
            attempts: times * 1_000_000
        )
    }

    @Test func `an attempt is noted before it begins and when it has ended`() async throws {
        let world = try world()
        let gate = Gate()
        server.script("A", .gate(gate, then: Offline()))
        try await world.post("A")
        await gate.arrivals(1)
        #expect(await store.all().map(\.attempts) == [1_000_000])
        #expect(world.queue.commands.map(\.attempts) == [1])
        gate.open()
        await world.clock.nextSleeper()
        #expect(await store.all().map(\.attempts) == [1])
        #expect(world.queue.commands.map(\.attempts) == [1])
    }

    @Test(arguments: [1, 4])
    func `a command whose last attempts have not ended is sent last, and alone`(times: Int) async throws {
        let gate = Gate()
        try await store.insert(interrupted("poison", image: 1, times: times))
        for image in 1...3 { try await store.insert(interrupted("\(image)", image: image, times: 0)) }
        server.script("poison", .gate(gate))
        let world = try world()
        await gate.arrivals(1)
        #expect(server.carriedOut.sorted() == ["2", "3"])
        try await world.post("4", image: 4)
        #expect(world.queue.commands.map(\.state).count { $0 == .sending } == 1)
        gate.open()
        await world.commands(where: \.isEmpty)
        #expect(server.carriedOut.suffix(3).first == "poison")
        #expect(server.carriedOut.count == 5)
    }

    @Test func `a command fails after five attempts that have not ended, and can be retried`() async throws {
        try await store.insert(interrupted("poison", image: 1, times: 5))
        try await store.insert(interrupted("A", image: 1, times: 0))
        let world = try world()
        let failed = try #require(await world.commands { $0.map(\.isFailed) == [true] }.first)
        guard case .failed(let reason) = failed.state else { return }
        #expect(reason.hasPrefix("The process has ended during each of the last 5 attempts to send "))
        #expect(failed.attempts == 5)
        #expect(await store.all().map(\.failure) == [reason])
        #expect(server.attempts == ["A"])
        try await world.queue.retry(failed.id)
        await world.commands(where: \.isEmpty)
        #expect(server.carriedOut == ["A", "poison"])
    }

    // MARK: Clocks that jump

    @Test func `a date that jumps makes no command expire, and time does`() async throws {
        let world = try world { $0.expiring(after: .days(7)) }
        server.isOffline = true
        try await world.post("A")
        await world.clock.nextSleeper()
        world.date.advance(by: 8 * 86_400)
        world.clock.advance(by: .seconds(1))
        await world.commands { $0.first?.attempts == 2 && $0.first?.state != .sending }
        world.date.advance(by: -8 * 86_400)
        world.clock.advance(by: .days(7))
        await world.commands { $0.first?.isFailed == true }
    }

    @Test func `a command from the future is new, and an expiry that is not over is taken back`() async throws {
        let options: (Enqueue<PostComment>) -> Enqueue<PostComment> = { $0.expiring(after: .days(7)) }
        server.isOffline = true
        var first: QueueWorld? = try world(options)
        first?.date.advance(by: 365 * 86_400)
        try await first?.post("A", image: 1)
        first?.date.advance(by: -365 * 86_400)
        try await first?.post("B", image: 2)
        await first?.clock.nextSleeper()
        first?.clock.advance(by: .days(7))
        await first?.commands { $0.map(\.isFailed) == [true, true] }
        first = nil
        server.isOffline = false
        // The clock of the first launch was wrong.
        let second = try world(options)
        await second.commands(where: \.isEmpty)
        #expect(server.carriedOut.sorted() == ["A", "B"])
    }

    // MARK: Caches

    @Test func `a queue needs no cache`() async throws {
        let queue = CommandQueue(in: store)
        let dispatcher = try server.queueing(in: queue) { Enqueue(PostComment.self, version: 1) }
        try await dispatcher.dispatch(PostComment())
        await queue.waitUntilSettled()
        #expect(server.carriedOut == ["Nice"])
        try await dispatcher.dispatch(LikeImage())
        #expect(try await dispatcher.dispatch(LoadComments()) == ["Nice", "like"])
    }

    @Test func `a cache that comes late carries out the rules of commands of an earlier launch`() async throws {
        let values = InMemoryCacheStore()
        func caching(_ dispatcher: some Dispatcher) throws -> CachingDispatcher {
            try dispatcher.caching(in: .stored(in: values)) {
                Cache(LoadComments.self, .untilInvalidated).stored(version: 1)
                Invalidate(LoadComments.self, after: PostComment.self)
            }
        }
        let first = try caching(server)
        #expect(try await first.dispatch(LoadComments()) == [])
        try await first.cache.flush()
        try await store.insert(interrupted("A", image: 1, times: 0))
        let queue = CommandQueue(in: store)
        let queueing = try server.queueing(in: queue) { Enqueue(PostComment.self, version: 1) }
        await queue.commands(where: \.isEmpty)
        #expect(try await caching(queueing).dispatch(LoadComments()) == ["A"])
    }

    @Test func `a command that is dropped while its failure is noted is withdrawn`() async throws {
        let gate = Gate()
        let world = try QueueWorld(SlowRemovals(base: store, gate: gate), server: server) {
            Enqueue(PostComment.self, version: 1)
        } caching: {
            Cache(LoadComments.self, .untilInvalidated)
            Invalidate(LoadComments.self, after: PostComment.self)
            OptimisticUpdate(LoadComments.self, by: PostComment.self) { $0.append($2.text) }
        }
        var states = world.dispatcher.observe(LoadComments()).makeAsyncIterator()
        let attempt = Gate()
        server.script("A", .gate(attempt, then: Offline()))
        try await world.post("A")
        while await states.next()?.value != ["A"] {}
        await attempt.arrivals(1)
        let id = try #require(world.queue.commands.first).id
        async let drop: Void = world.queue.drop(id)
        await gate.arrivals(1)
        attempt.open()
        gate.open()
        try await drop
        while await states.next()?.value != [] {}
        #expect(world.queue.commands == [])
    }

    @Test func `a command that the queue refuses makes no value stale`() async throws {
        let full = InMemoryCommandStore(limit: CommandStoreLimit(commands: 1))
        let world = try QueueWorld(full, server: server)
        #expect(try await world.dispatcher.dispatch(LoadComments()) == [])
        server.isOffline = true
        try await world.post("A")
        await #expect(throws: CommandStoreFull.self) { try await world.post("B") }
        #expect(world.dispatcher.cache.peek(LoadComments()) == [])
    }

    @Test func `a queued command makes its change once, however many wait`() async throws {
        let calls = Mutex(0)
        let world = try QueueWorld(store, server: server) {
            Enqueue(PostComment.self, version: 1)
        } caching: {
            Cache(LoadComments.self, .untilInvalidated)
            Invalidate(LoadComments.self, after: PostComment.self)
            OptimisticUpdate(LoadComments.self, by: PostComment.self) { comments, _, command in
                calls.withLock { $0 += 1 }
                comments.append(command.text)
            }
        }
        var states = world.dispatcher.observe(LoadComments()).makeAsyncIterator()
        while await states.next()?.value != [] {}
        server.isOffline = true
        for number in 1...200 { try await world.post("\(number)") }
        while await states.next()?.value?.count != 200 {}
        #expect(calls.withLock(\.self) == 200)
    }

    @Test func `each cache in front of a queue shows a change and carries out its rules, through any layer`()
        async throws
    {
        let queue = CommandQueue(in: store, clock: ManualClock())
        let queueing = try server.queueing(in: queue) { Enqueue(PostComment.self, version: 1) }
        func cached(_ dispatcher: some Dispatcher) throws -> CachingDispatcher {
            try dispatcher.caching(in: .memory(limit: .entries(10))) {
                Cache(LoadComments.self, .untilInvalidated)
                Invalidate(LoadComments.self, after: PostComment.self)
                OptimisticUpdate(LoadComments.self, by: PostComment.self) { comments, _, command in
                    comments.append("\(command.text)…")
                }
            }
        }
        let caches = [
            try cached(queueing), try cached(queueing.with(ValidationMiddleware())), try cached(Hiding(queueing)),
        ]
        for cache in caches { #expect(try await cache.dispatch(LoadComments()) == []) }
        server.isOffline = true
        try await caches[2].dispatch(PostComment(text: "A"))
        for cache in caches {
            let result = try await cache.read(LoadComments(), .cacheOnly.includingUnconfirmed())
            #expect(result.value == ["A…"])
        }
        server.isOffline = false
        queue.sendNow()
        await queue.commands(where: \.isEmpty)
        for cache in caches { #expect(try await cache.dispatch(LoadComments()) == ["A"]) }
    }
}

/// A layer of another program, which hides what is behind it.
private struct Hiding: Dispatcher {
    private let base: any Dispatcher

    init(_ base: some Dispatcher) {
        self.base = base
    }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value { try await base.dispatch(message) }
}

/// A store whose removals wait.
private struct SlowRemovals: CommandStore {
    let base: InMemoryCommandStore
    let gate: Gate

    func insert(_ command: StoredCommand) async throws { try await base.insert(command) }

    func all() async throws -> [StoredCommand] { await base.all() }

    func update(_ id: UUID, attempts: Int, failure: String?, isRetried: Bool) async throws {
        await base.update(id, attempts: attempts, failure: failure, isRetried: isRetried)
    }

    func remove(_ ids: [UUID]) async throws {
        try await gate.pass()
        await base.remove(ids)
    }

    func requestSending(of ids: [UUID]) async throws { await base.requestSending(of: ids) }

    func removeAll() async throws { await base.removeAll() }

    func claimSending() async throws -> SendingClaim? { await base.claimSending() }

    func revision() async throws -> Int { await base.revision() }

    var changes: AsyncStream<Void> { base.changes }
}
