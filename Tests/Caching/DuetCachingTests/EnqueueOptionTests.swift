import Duet
import DuetCaching
import DuetTesting
import Foundation
import TestSupport
import Testing

/// Commands that wait for failed ones, and commands that expire.
@Suite
struct EnqueueOptionTests {
    private let store = InMemoryCommandStore()
    private let server = CommentServer()

    /// - Parameter option: Adds an option to the rule of comments.
    private func world(
        concurrentSends: Int = 4,
        _ option: (Enqueue<PostComment>) -> Enqueue<PostComment> = { $0 }
    ) throws -> QueueWorld {
        try QueueWorld(store, server: server, concurrentSends: concurrentSends) {
            option(Enqueue(PostComment.self, version: 1, inOrderOf: { "\($0.image)" }))
            Enqueue(LikeImage.self, version: 1, inOrderOf: { "\($0.image)" })
        } caching: {
            Cache(LoadComments.self, .maxAge(.seconds(60)))
            Invalidate(LoadComments.self, after: PostComment.self)
            OptimisticUpdate(LoadComments.self, by: PostComment.self) { comments, _, command in
                comments.append("\(command.text)…")
            }
        }
    }

    // MARK: Waiting for failed commands

    @Test(arguments: [false, true])
    func `an option decides whether commands wait for an earlier one that has failed`(waits: Bool) async throws {
        let world = try world { waits ? $0.waitingForFailedCommands() : $0 }
        server.script("A", .failure(Rejected()))
        for text in ["A", "B", "C"] { try await world.post(text) }
        try await world.post("D", image: 2)
        let list = await world.commands { $0.count == (waits ? 3 : 1) && $0.contains(where: \.isFailed) }
        #expect(list.dropFirst().map(\.state) == (waits ? [.blocked(by: list[0].id), .blocked(by: list[0].id)] : []))
        #expect(Set(server.attempts) == (waits ? ["A", "D"] : ["A", "B", "C", "D"]))

        try await world.queue.retry(list[0].id)
        await world.commands(where: \.isEmpty)
        let order = server.carriedOut.filter { $0 != "D" }
        #expect(order == (waits ? ["A", "B", "C"] : ["B", "C", "A"]))
    }

    @Test func `commands that wait are sent when the failed one is dropped`() async throws {
        let world = try world { $0.waitingForFailedCommands() }
        server.script("A", .failure(Rejected()))
        server.script("B", .failure(Rejected()))
        for text in ["A", "B", "C"] { try await world.post(text) }
        let first = await world.commands { $0.first?.isFailed == true }[0]
        try await world.queue.drop(first.id)
        let list = await world.commands { $0.first?.isFailed == true }
        #expect(list.map(\.state) == [.failed(reason: "\(Rejected())"), .blocked(by: list[0].id)])
        try await world.queue.drop(list[0].id)
        await world.commands(where: \.isEmpty)
        #expect(server.attempts == ["A", "B", "C"])
    }

    @Test func `the rule of the later command decides, and later ones stay behind it`() async throws {
        let world = try world { $0.waitingForFailedCommands() }
        server.script("A", .failure(Rejected()))
        try await world.post("A")
        try await world.dispatcher.dispatch(LikeImage())
        let failed = await world.commands { $0.map(\.isFailed) == [true] }[0]
        #expect(server.attempts == ["A", "like"])
        try await world.post("B")
        try await world.dispatcher.dispatch(LikeImage())
        let states = world.queue.commands.dropFirst().map(\.state)
        #expect(states == [.blocked(by: failed.id), .waiting(until: nil, reason: nil)])
        try await world.queue.retry(failed.id)
        await world.commands(where: \.isEmpty)
        #expect(server.carriedOut == ["like", "A", "B", "like"])
    }

    @Test(arguments: [StoredCommand.comment(version: 7), .comment(failure: "Rejected")])
    func `commands wait behind one of an earlier launch that has failed or cannot be read`(first: StoredCommand)
        async throws
    {
        try await store.insert(first)
        let world = try world { $0.waitingForFailedCommands() }
        try await world.post("B")
        #expect(world.queue.commands.last?.state == .blocked(by: first.id))
        try await world.queue.retry(first.id)
        if first.failure == nil { try await world.queue.drop(first.id) }
        await world.commands(where: \.isEmpty)
        #expect(server.carriedOut == (first.failure == nil ? ["B"] : ["A", "B"]))
    }

    // MARK: Expiring

    @Test(arguments: [(59.9, true), (60, false), (61, false)])
    func `a command is not sent from an age on, and a retry sends it nevertheless`(age: Double, isSent: Bool)
        async throws
    {
        let world = try world { $0.expiring(after: .minutes(1)) }
        var values = world.dispatcher.observe(LoadComments()).values.makeAsyncIterator()
        #expect(try await values.next() == [])
        server.script("A", .failure(Offline()))
        try await world.post("A")
        #expect(try await values.next() == ["A…"])
        await world.clock.nextSleeper()
        world.clock.advance(by: .seconds(age))
        if !isSent {
            let failed = try #require(await world.commands { $0.first?.isFailed == true }.first)
            let reason = """
                \(PostComment.messageName) was not sent within 1 minute, and has expired. \
                Retry it to send it nevertheless, or drop it.
                """
            #expect(failed.state == .failed(reason: reason))
            #expect(failed.attempts == 1)
            #expect(await store.all().map(\.failure) == [reason])
            #expect(server.attempts == ["A"])
            #expect(try await values.next() == [])
            try await world.queue.retry(failed.id)
        }
        await world.commands(where: \.isEmpty)
        #expect(server.carriedOut == ["A"])
    }

    @Test func `a command of an earlier launch that has expired is not sent, also while the queue pauses`() async throws
    {
        try await store.insert(.comment(number: 1, text: "A", key: "1"))
        try await store.insert(.comment(number: 2, text: "B", key: "2", age: 60))
        server.isOffline = true
        let world = try world(concurrentSends: 1) { $0.expiring(after: .minutes(1)) }
        // The first list already shows it as failed.
        #expect(await world.commands { _ in true }.map(\.isFailed) == [false, true])
        let list = await world.commands {
            $0.map(\.isFailed) == [false, true] && $0[0].attempts == 1 && $0[0].state != .sending
        }
        #expect(list[1].attempts == 0)
        #expect(server.attempts == ["A"])
        #expect(await store.all().map { $0.failure == nil } == [true, false])
    }

    @Test func `a failure at launch that cannot be stored is reported, and the command can be retried`() async throws {
        let store = FailingCommandStore()
        try await store.insert(.comment(age: 60))
        store.fail(.update)
        let world = try QueueWorld(store, server: server) {
            Enqueue(PostComment.self, version: 1).expiring(after: .minutes(1))
        }
        await world.queue.waitUntilLoaded()
        #expect(world.queue.commands.map(\.isFailed) == [true])
        #expect(world.failures.operations == [.updating])
        try await world.queue.retryAll()
        await world.commands(where: \.isEmpty)
        #expect(server.attempts == ["A"])
    }

    @Test(arguments: [false, true])
    func `an expired command that was retried is sent by the next launch, and by a queue that takes over`(
        takesOver: Bool
    ) async throws {
        try await store.insert(.comment(age: 60))
        server.isOffline = true
        var first: QueueWorld? = try world { $0.expiring(after: .minutes(1)) }
        let failed = try #require(await first?.commands { $0.first?.isFailed == true }.first)
        var second = takesOver ? try world { $0.expiring(after: .minutes(1)) } : nil
        await second?.commands { $0.first?.isFailed == true }
        try await first?.queue.retry(failed.id)
        await first?.commands { $0.first?.attempts == 1 && $0[0].state != .sending }
        server.isOffline = false
        first = nil
        if second == nil { second = try world { $0.expiring(after: .minutes(1)) } }
        await second?.commands(where: \.isEmpty)
        #expect(server.carriedOut == ["A"])
    }

    @Test func `a command that has expired for the queue that sends has expired for all`() async throws {
        try await store.insert(.comment(age: 60))
        let world = try world { $0.expiring(after: .minutes(1)) }
        #expect(await world.commands { _ in true }.map(\.isFailed) == [true])
        let now = world.date.now
        let other = CommandQueue(in: store, now: { now().addingTimeInterval(-60) }, clock: world.clock)
        let dispatcher = try server.queueing(in: other) {
            Enqueue(PostComment.self, version: 1).expiring(after: .minutes(1))
        }
        await other.waitUntilLoaded()
        #expect(other.commands.map(\.isFailed) == [true])
        withExtendedLifetime(dispatcher) {}
    }

    @Test func `another queue lets an expired command be sent nevertheless`() async throws {
        let world = try world { $0.expiring(after: .minutes(1)) }
        await world.queue.waitUntilLoaded()
        let other = try self.world()
        try await store.insert(.comment(age: 60))
        let failed = try #require(await other.commands { $0.first?.isFailed == true }.first)
        try await other.queue.retry(failed.id)
        await world.commands(where: \.isEmpty)
        #expect(server.attempts == ["A"])
    }

    @Test(arguments: [(Duration.zero, "0 milliseconds"), (.seconds(-1), "minus 1 second")])
    func `an age that is not positive is a faulty rule`(age: Duration, text: String) throws {
        let error = #expect(throws: InvalidQueueRules.self) { _ = try world { $0.expiring(after: age) } }
        #expect(
            error?.faults == [
                "\(PostComment.messageName) would expire at once: after \(text). Choose a positive time."
            ]
        )
    }

    @Test func `a rule describes its options`() throws {
        let rule = Enqueue(PostComment.self, version: 1).waitingForFailedCommands().expiring(after: .days(2))
        #expect("\(rule)".hasSuffix(", waits for failed commands of its key, expires after 2 days"))
    }
}

extension StoredCommand {
    fileprivate static func comment(
        number: UInt8 = 1,
        text: String = "A",
        version: Int = 1,
        key: String = "1",
        age: Double = 0,
        failure: String? = nil
    ) -> StoredCommand {
        StoredCommand(
            id: UUID(uuid: (number, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
            name: PostComment.messageName,
            version: version,
            key: key,
            date: Date(timeIntervalSinceReferenceDate: -age),
            idempotencyKey: "key \(number)",
            bytes: Data(#"{"text":"\#(text)","image":1}"#.utf8),
            failure: failure
        )
    }
}
