import Duet
import DuetCaching
import DuetContext
import DuetTesting
import Foundation
import Synchronization

struct LoadPosts: Query, Hashable, Codable {
    typealias Value = [Int]
    let key: Int
}

struct Post: Command, Codable {
    let number: Int
    let key: Int
}

/// Two programs that put commands into one store and send them to one server, and the guarantees of the queue.
///
/// Programs are killed between any two of their steps and launched again. Responses are lost, commands are refused,
/// retried and dropped, somebody has to sign in, and dates jump.
final class QueueScenario: Interleaving {
    /// A program that runs until it is killed.
    private struct Program: Sendable {
        let life: Life
        let queue: CommandQueue
        let dispatcher: CachingDispatcher
        let observers: [Task<Void, Never>]
    }

    private struct State: Sendable {
        var random: SeededGenerator
        var programs: [Program] = []
        var lastNumber = 0
        /// The commands whose dispatch has returned.
        var accepted: [Int] = []
        var dropped: Set<Int> = []
        /// The commands in the order in which they were stored.
        var stored: [Int] = []
        /// The commands that have failed, also if they were sent later.
        var failed: Set<UUID> = []
        var numbers: [UUID: Int] = [:]
        /// The posts that each program shows of each key.
        var shown: [[Int: [Int]]] = [[:], [:]]
    }

    private static let keys = 0..<2

    let log = StepLog()
    private let state: Mutex<State>
    private let server: PostServer
    private let store = InMemoryCommandStore()
    private let values = InMemoryCacheStore()
    private let clock = ManualClock()
    private let date = Mutex(Date(timeIntervalSinceReferenceDate: 0))

    init(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        server = PostServer(Chance(SeededGenerator(seed: generator.next())))
        state = Mutex(State(random: generator))
        for index in 0...1 { try launch(index) }
    }

    var faults: [String] { log.faults + server.faults }

    private func pick(_ range: Range<Int>) -> Int { state.withLock { Int.random(in: range, using: &$0.random) } }

    private func program(_ index: Int) -> Program { state.withLock { $0.programs[index] } }

    private func noteInsertion(_ command: StoredCommand) {
        guard let number = command.bytes.post?.number else { return }
        state.withLock { state in
            state.stored.append(number)
            state.numbers[command.id] = number
        }
    }

    private func noteFailure(_ id: UUID) { state.withLock { _ = $0.failed.insert(id) } }

    private func launch(_ index: Int) throws {
        let life = Life()
        let queue = CommandQueue(
            in: MortalStore(base: store, life: life, onInsert: noteInsertion, onFailure: noteFailure),
            now: { self.date.withLock(\.self) },
            clock: clock,
            random: { 1 }
        )
        let dispatcher = try MortalServer(server: server, life: life)
            .queueing(in: queue) { Enqueue(Post.self, version: 1, inOrderOf: \.key).expiring(after: .days(30)) }
            .caching(in: .memory(limit: .entries(10)).backed(by: values), clock: clock) {
                Cache(LoadPosts.self, .untilInvalidated.staleIfError(.days(1))).stored(version: 1)
                Invalidate(LoadPosts.self, after: Post.self) { $0.key == $1.key }
                OptimisticUpdate(LoadPosts.self, by: Post.self) { posts, query, command in
                    if query.key == command.key, !posts.contains(command.number) { posts.append(command.number) }
                }
            }
        let observers = Self.keys.map { key in
            let states = dispatcher.observe(LoadPosts(key: key))
            return Task { [self] in
                for await posts in states where posts.value != nil && life.isAlive {
                    state.withLock { $0.shown[index][key] = posts.value }
                }
            }
        }
        let program = Program(life: life, queue: queue, dispatcher: dispatcher, observers: observers)
        state.withLock { state in
            state.shown[index] = [:]
            if state.programs.count > index { state.programs[index] = program } else { state.programs.append(program) }
        }
    }

    // MARK: The tasks

    func run() async {
        await runTasks(pick(2..<5), stepCount: { [self] in pick(1..<6) }) { [self] _ in await step(pick(0..<2)) }
    }

    private func step(_ index: Int) async {
        switch pick(0..<14) {
        case 0..<6: await post(index)
        case 6, 7:
            note("kill \(index)")
            kill(index)
        case 8:
            let commands = program(index).queue.commands
            let command = state.withLock { commands.randomElement(using: &$0.random) }
            note("retry in \(index): \(command?.content.text ?? "nothing")")
            if let command { try? await program(index).queue.retry(command.id) }
        case 9:
            let commands = program(index).queue.commands
            guard let command = state.withLock({ commands.randomElement(using: &$0.random) }) else { return }
            note("drop in \(index): \(command.content.text)")
            // A program may be killed after the store has dropped it.
            if let number = command.content.post?.number { state.withLock { _ = $0.dropped.insert(number) } }
            try? await program(index).queue.drop(command.id)
        case 10:
            note("sign in")
            server.signIn()
            program(index).queue.sendNow()
        case 11:
            let jump = pick(-40..<41)
            note("the date jumps by \(jump) days")
            date.withLock { $0 += Double(jump * 86_400) }
        default:
            note("time passes")
            clock.advance(by: .seconds(pick(1..<400)))
        }
    }

    private func post(_ index: Int) async {
        let post = state.withLock { state in
            state.lastNumber += 1
            return Post(number: state.lastNumber, key: Int.random(in: Self.keys, using: &state.random))
        }
        note("post \(post.number) of \(post.key) in \(index)")
        guard (try? await program(index).dispatcher.dispatch(post)) != nil else { return }
        state.withLock { $0.accepted.append(post.number) }
        note("accepted \(post.number)")
    }

    private func kill(_ index: Int) {
        let program = program(index)
        program.life.end()
        for observer in program.observers { observer.cancel() }
        try? launch(index)
    }

    // MARK: Afterward

    /// Lets pauses end.
    func passTime() {
        server.recover()
        clock.advance(by: .seconds(600))
        for program in state.withLock(\.programs) {
            program.queue.sendNow()
            program.dispatcher.cache.refreshObserved()
        }
    }

    func check() async {
        for program in state.withLock(\.programs) { await program.queue.waitUntilSettled() }
        let left = await store.all()
        let failed = Set(left.filter { $0.failure != nil }.compactMap { $0.bytes.post?.number })
        if left.contains(where: { $0.failure == nil }) {
            let states = state.withLock(\.programs).map { $0.queue.commands.map { "\($0.content.text): \($0.state)" } }
            fault("commands are left: \(states)")
        }
        let (accepted, dropped) = state.withLock { ($0.accepted, $0.dropped) }
        for number in accepted where !server.carriedOut.contains(number) {
            if !failed.contains(number), !dropped.contains(number) { fault("\(number) is lost") }
        }
        for key in Self.keys { checkOrder(of: server.posts(of: key)) }
        for (index, program) in state.withLock(\.programs).enumerated() {
            for key in Self.keys {
                let shown = state.withLock { $0.shown[index][key] }
                if let shown, shown != server.posts(of: key) {
                    fault("\(index) shows \(shown) of \(key), and not \(server.posts(of: key))")
                }
                let value = try? await program.dispatcher.read(LoadPosts(key: key))
                if let value, value.value != server.posts(of: key) {
                    fault("\(index) reads \(value.value) of \(key), and not \(server.posts(of: key))")
                }
            }
            program.life.end()
            for observer in program.observers { observer.cancel() }
        }
        state.withLock { $0.programs = [] }
    }
}

extension QueueScenario {
    /// Only a command that has failed may be carried out after a later one of its key.
    private func checkOrder(of posts: [Int]) {
        let (stored, failed) = state.withLock { state in
            (state.stored, Set(state.failed.compactMap { state.numbers[$0] }))
        }
        let places = posts.map { stored.firstIndex(of: $0) ?? -1 }
        for (index, place) in places.enumerated() where places[..<index].contains(where: { $0 > place }) {
            if !failed.contains(posts[index]) { fault("the order is \(posts), and was \(stored)") }
        }
    }
}

extension Data {
    fileprivate var post: Post? { try? JSONDecoder().decode(Post.self, from: self) }
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}

/// The life of a program, which ends between two of its steps.
final class Life: Sendable {
    struct Ended: Error {}

    private let claims = Mutex<[SendingClaim]>([])
    private let hasEnded = Atomic(false)

    var isAlive: Bool { !hasEnded.load(ordering: .acquiring) }

    func check() throws { if !isAlive { throw Ended() } }

    /// Keeps a claim, which the system ends with the program.
    func keep(_ claim: SendingClaim) { claims.withLock { $0.append(claim) } }

    func end() {
        hasEnded.store(true, ordering: .releasing)
        claims.withLock { $0 = [] }
    }
}

/// The store of commands as one program uses it.
private struct MortalStore: CommandStore {
    let base: InMemoryCommandStore
    let life: Life
    let onInsert: @Sendable (StoredCommand) -> Void
    let onFailure: @Sendable (UUID) -> Void

    private func use<Value>(_ operation: () async throws -> Value) async throws -> Value {
        await RandomExecutor.pause()
        try life.check()
        let value = try await operation()
        await RandomExecutor.pause()
        try life.check()
        return value
    }

    func insert(_ command: StoredCommand) async throws {
        try await use {
            try await base.insert(command)
            onInsert(command)
        }
    }

    func all() async throws -> [StoredCommand] { try await use { await base.all() } }

    func update(_ id: UUID, attempts: Int, failure: String?, isRetried: Bool) async throws {
        try await use {
            await base.update(id, attempts: attempts, failure: failure, isRetried: isRetried)
            if failure != nil { onFailure(id) }
        }
    }

    func remove(_ ids: [UUID]) async throws { try await use { await base.remove(ids) } }

    func requestSending(of ids: [UUID]) async throws { try await use { await base.requestSending(of: ids) } }

    func removeAll() async throws { try await use { await base.removeAll() } }

    func claimSending() async throws -> SendingClaim? {
        try await use {
            guard let claim = await base.claimSending() else { return nil }
            // It ends with the program, and with the queue's own reference.
            let kept = ClaimBox(claim)
            life.keep(SendingClaim { kept.end() })
            return SendingClaim { kept.end() }
        }
    }

    func revision() async throws -> Int { try await use { await base.revision() } }

    var changes: AsyncStream<Void> { base.changes }
}

private final class ClaimBox: Sendable {
    private let claim: Mutex<SendingClaim?>

    init(_ claim: SendingClaim) {
        self.claim = Mutex(claim)
    }

    func end() { claim.withLock { $0 = nil } }
}

/// The server as one program reaches it.
private struct MortalServer: Dispatcher {
    let server: PostServer
    let life: Life

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        await RandomExecutor.pause()
        try life.check()
        let value = try await server.dispatch(message, life)
        await RandomExecutor.pause()
        try life.check()
        return value
    }
}

/// A server that carries out each command with a key once.
private final class PostServer: Sendable {
    struct Unreachable: TemporaryError {
        var isTemporary = true
        var needsSignIn = false
        var concernsConnection = true
    }

    struct Refused: Error {}

    private struct State: Sendable {
        var posts: [Int: [Int]] = [:]
        var keys: Set<String> = []
        /// The programs that are sending commands of a key.
        var sending: [Int: [Life]] = [:]
        var needsSignIn = false
        var isReliable = false
        var faults: [String] = []
    }

    private let state = Mutex(State())
    private let chance: Chance

    init(_ chance: Chance) {
        self.chance = chance
    }

    var faults: [String] { state.withLock(\.faults) }
    var carriedOut: Set<Int> { state.withLock { Set($0.posts.values.flatMap(\.self)) } }

    func posts(of key: Int) -> [Int] { state.withLock { $0.posts[key] ?? [] } }

    func signIn() { state.withLock { $0.needsSignIn = false } }

    func recover() {
        state.withLock { state in
            state.needsSignIn = false
            state.isReliable = true
        }
    }

    func dispatch<M: Message>(_ message: M, _ life: Life) async throws -> M.Value {
        if let query = message as? LoadPosts {
            try fail()
            guard let value = posts(of: query.key) as? M.Value else { throw Refused() }
            return value
        }
        guard let post = message as? Post, let done = () as? M.Value else { throw Refused() }
        begin(post, life)
        defer { state.withLock { state in state.sending[post.key]?.removeAll { $0 === life } } }
        await RandomExecutor.pause()
        try life.check()
        try fail()
        if !state.withLock(\.isReliable), chance.isOneIn(8) { throw Refused() }
        carryOut(post)
        // The response is lost.
        if !state.withLock(\.isReliable), chance.isOneIn(6) { throw Unreachable() }
        return done
    }

    private func begin(_ post: Post, _ life: Life) {
        state.withLock { state in
            if state.sending[post.key]?.contains(where: \.isAlive) == true {
                state.faults.append("\(post.number) is sent beside another command of its key")
            }
            state.sending[post.key, default: []].append(life)
        }
    }

    private func fail() throws {
        guard !state.withLock(\.isReliable) else { return }
        if state.withLock(\.needsSignIn) { throw Unreachable(isTemporary: false, needsSignIn: true) }
        guard chance.isOneIn(5) else { return }
        if chance.isOneIn(6) {
            state.withLock { $0.needsSignIn = true }
            throw Unreachable(isTemporary: false, needsSignIn: true)
        }
        throw Unreachable(concernsConnection: chance.isOneIn(2))
    }

    private func carryOut(_ post: Post) {
        let key = IdempotencyKey.asSent ?? "none"
        state.withLock { state in
            guard state.keys.insert(key).inserted else { return }
            state.posts[post.key, default: []].append(post.number)
        }
    }
}
