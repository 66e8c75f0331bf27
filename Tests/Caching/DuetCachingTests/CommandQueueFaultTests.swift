import Duet
import DuetCaching
import DuetTesting
import Foundation
import Synchronization
import Testing

/// Faults of the store at each of its calls, and random outcomes of attempts.
@Suite
struct CommandQueueFaultTests {
    @Test(arguments: 1...12)
    func `each failing call of the store loses no command`(fault: Int) async throws {
        let store = CountingCommandStore(failingAt: fault)
        let server = CommentServer()
        server.script("A", .failure(Offline()))
        server.script("B", .failure(Rejected()))
        var acknowledged: [String] = []
        do {
            let world = try QueueWorld(store, server: server)
            for text in ["A", "B", "C"] {
                if (try? await world.post(text)) != nil { acknowledged.append(text) }
            }
            await world.queue.sendWithoutDelays { $0.allSatisfy(\.isFailed) }
        }
        let world = try QueueWorld(store, server: server)
        // Again, if the fault is here.
        if (try? await world.post("D")) == nil { try await world.post("D") }
        if (try? await world.queue.retryAll()) == nil { try await world.queue.retryAll() }
        await world.queue.sendWithoutDelays(until: \.isEmpty)
        #expect(Set(server.carriedOut) == Set(acknowledged + ["D"]))
        #expect(await store.base.all() == [])
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `whatever happens to attempts, each command is carried out once, in the order of its key`(seed: UInt64)
        async throws
    {
        var generator = SeededGenerator(seed: seed)
        let limit = Int.random(in: 1...4, using: &generator)
        let world = try QueueWorld(concurrentSends: limit)
        var expected: [Int: [String]] = [:]
        for number in 1...40 {
            let image = Int.random(in: 1...5, using: &generator)
            let text = "\(image):\(number)"
            for _ in 0..<Int.random(in: 0...2, using: &generator) { world.server.script(text, .failure(Offline())) }
            expected[image, default: []].append(text)
            try await world.post(text, image: image)
        }
        await world.queue.sendWithoutDelays(until: \.isEmpty)
        for (image, texts) in expected {
            #expect(world.server.carriedOut.filter { $0.hasPrefix("\(image):") } == texts, "seed \(seed)")
        }
        #expect(world.server.carriedOut.count == 40)
        #expect(world.server.mostSending <= limit)
    }

    @Test func `a thousand commands are sent`() async throws {
        let world = try QueueWorld()
        world.server.isOffline = true
        for number in 1...1_000 { try await world.post("\(number)", image: number % 10) }
        world.server.isOffline = false
        await world.queue.sendWithoutDelays(until: \.isEmpty)
        #expect(world.server.carriedOut.count == 1_000)
    }
}

/// A store whose call of one number fails.
private final class CountingCommandStore: CommandStore {
    struct Fault: Error {}

    let base = InMemoryCommandStore()
    private let rest: Mutex<Int>

    init(failingAt number: Int) {
        rest = Mutex(number)
    }

    private func check() throws {
        let isDue = rest.withLock { rest in
            rest -= 1
            return rest == 0
        }
        if isDue { throw Fault() }
    }

    func insert(_ command: StoredCommand) async throws {
        try check()
        try await base.insert(command)
    }

    func all() async throws -> [StoredCommand] {
        try check()
        return await base.all()
    }

    func update(_ id: UUID, attempts: Int, failure: String?, isRetried: Bool) async throws {
        try check()
        await base.update(id, attempts: attempts, failure: failure, isRetried: isRetried)
    }

    func remove(_ ids: [UUID]) async throws {
        try check()
        await base.remove(ids)
    }

    func requestSending(of ids: [UUID]) async throws {
        try check()
        await base.requestSending(of: ids)
    }

    func removeAll() async throws {
        try check()
        await base.removeAll()
    }

    func claimSending() async throws -> SendingClaim? {
        try check()
        return await base.claimSending()
    }

    func revision() async throws -> Int {
        try check()
        return await base.revision()
    }

    var changes: AsyncStream<Void> { base.changes }
}
