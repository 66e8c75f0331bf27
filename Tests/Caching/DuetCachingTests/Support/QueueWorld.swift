import Duet
import DuetCaching
import DuetContext
import DuetTesting
import Foundation
import Synchronization
import TestSupport

struct PostComment: Command, Codable, Equatable {
    var text = "Nice"
    var image = 1
}

struct LikeImage: Command, Codable {
    var image = 1
}

struct LoadComments: Query, Hashable, Codable {
    typealias Value = [String]
    var image = 1
}

/// An error that a queue of these tests treats as temporary, like a missing connection.
struct Offline: TemporaryError, Equatable {
    var isTemporary = true
    var retryAfter: Duration?
    var needsSignIn = false
    var concernsConnection = true
}

struct Rejected: Error, Equatable {}

/// A dispatcher in place of a server, which records commands and decides about each attempt.
final class CommentServer: Dispatcher {
    /// What happens to an attempt.
    enum Outcome: Sendable {
        case success
        case failure(any Error)
        /// Waits, and then succeeds or fails.
        case gate(Gate, then: Offline? = nil)
    }

    private struct State {
        var outcomes: [String: [Outcome]] = [:]
        var attempts: [String] = []
        var keys: [String] = []
        var carriedOut: [String] = []
        var sending = 0
        var mostSending = 0
        var failure: Offline?
        var failures: [String: Offline] = [:]
        var deadlines = 0
        var principals: [String?] = []
        var marks: [Bool] = []
    }

    private let state = Mutex(State())

    /// The texts of the commands, one for each attempt.
    var attempts: [String] { state.withLock(\.attempts) }
    /// The idempotency keys of the attempts.
    var keys: [String] { state.withLock(\.keys) }
    /// The texts of the commands that succeeded.
    var carriedOut: [String] { state.withLock(\.carriedOut) }
    /// The largest number of attempts at a time.
    var mostSending: Int { state.withLock(\.mostSending) }
    /// The number of attempts that had a deadline.
    var deadlines: Int { state.withLock(\.deadlines) }

    /// The identifiers of the principals of the attempts.
    var principals: [String?] { state.withLock(\.principals) }

    /// Whether the attempts to send commands are for a client of the program.
    var marks: [Bool] { state.withLock(\.marks) }

    /// The error of all attempts.
    var failure: Offline? {
        get { state.withLock(\.failure) }
        set { state.withLock { $0.failure = newValue } }
    }

    var isOffline: Bool {
        get { failure != nil }
        set { failure = newValue ? Offline() : nil }
    }

    /// Lets all attempts to send a text fail; nil for no longer.
    func fail(_ text: String, _ failure: Offline?) { state.withLock { $0.failures[text] = failure } }

    /// Decides about the next attempts to send a text.
    func script(_ text: String, _ outcomes: Outcome...) {
        state.withLock { $0.outcomes[text, default: []] += outcomes }
    }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        if let value = carriedOut as? M.Value { return value }
        let text = (message as? PostComment)?.text ?? "like"
        let outcome: Outcome = state.withLock { state in
            state.attempts.append(text)
            state.keys.append(IdempotencyKey.asSent ?? "none")
            if Deadline.current != nil { state.deadlines += 1 }
            state.principals.append(Principal.current?.id)
            if message is any Command { state.marks.append(Task.isServingRequest) }
            state.sending += 1
            state.mostSending = max(state.mostSending, state.sending)
            if let failure = state.failure ?? state.failures[text] { return .failure(failure) }
            guard state.outcomes[text]?.isEmpty == false else { return .success }
            return state.outcomes[text]?.removeFirst() ?? .success
        }
        defer { state.withLock { $0.sending -= 1 } }
        switch outcome {
        case .success: break
        case .failure(let error): throw error
        case .gate(let gate, let failure):
            try await gate.pass()
            if let failure { throw failure }
        }
        state.withLock { $0.carriedOut.append(text) }
        guard let done = () as? M.Value else { throw Rejected() }
        return done
    }
}

/// A server behind a cache with a queue of commands.
struct QueueWorld {
    let server: CommentServer
    let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))
    let clock = ManualClock()
    let failures = StoreFailures()
    let queue: CommandQueue
    let dispatcher: CachingDispatcher

    /// - Parameter ids: The identifiers of the commands, one for each dispatch; random ones without.
    init(
        _ store: any CommandStore = InMemoryCommandStore(),
        server: CommentServer = CommentServer(),
        concurrentSends: Int = 4,
        version: Int = 1
    ) throws {
        try self.init(store, server: server, concurrentSends: concurrentSends) {
            Enqueue(PostComment.self, version: version, inOrderOf: \.image)
        }
    }

    init(
        _ store: any CommandStore,
        server: CommentServer = CommentServer(),
        concurrentSends: Int = 4,
        @ListBuilder<QueueRule> rules: () -> [QueueRule]
    ) throws {
        try self.init(store, server: server, concurrentSends: concurrentSends, rules: rules) {
            Cache(LoadComments.self, .maxAge(.seconds(60)))
            Invalidate(LoadComments.self, after: PostComment.self) { $0.image == $1.image }
        }
    }

    init(
        _ store: any CommandStore,
        server: CommentServer = CommentServer(),
        concurrentSends: Int = 4,
        @ListBuilder<QueueRule> rules: () -> [QueueRule],
        @ListBuilder<CacheRule> caching: () -> [CacheRule]
    ) throws {
        self.server = server
        queue = CommandQueue(
            in: store,
            concurrentSends: concurrentSends,
            onStoreError: failures.add,
            now: date.now,
            clock: clock,
            random: { 1 }
        )
        dispatcher = try server.queueing(in: queue, rules)
            .caching(in: .memory(limit: .entries(100)), now: date.now, clock: clock, caching)
    }

    func post(_ text: String, image: Int = 1) async throws {
        try await dispatcher.dispatch(PostComment(text: text, image: image))
    }

    /// Waits until the list of commands meets a condition, and returns it.
    @discardableResult
    func commands(where condition: ([QueuedCommand]) -> Bool) async -> [QueuedCommand] {
        await queue.commands(where: condition)
    }
}

extension CommandQueue {
    @discardableResult
    func commands(where condition: ([QueuedCommand]) -> Bool) async -> [QueuedCommand] {
        for await commands in states where condition(commands) { return commands }
        return []
    }

    /// Ends each delay when it begins, until the list of commands meets a condition.
    func sendWithoutDelays(until condition: ([QueuedCommand]) -> Bool) async {
        for await commands in states {
            if condition(commands) { return }
            sendNow()
        }
    }
}

/// Records the failures of a store.
final class StoreFailures: Sendable {
    private let log = Mutex<[CommandStoreFailure.Operation]>([])

    var operations: [CommandStoreFailure.Operation] { log.withLock(\.self) }

    @Sendable func add(_ failure: CommandStoreFailure) { log.withLock { $0.append(failure.operation) } }
}

/// A store that fails on command.
final class FailingCommandStore: CommandStore {
    enum Operation: Sendable {
        case insert, all, update, remove, requestSending, removeAll, claimSending, revision
    }

    struct Fault: Error {}

    let base: InMemoryCommandStore
    private let failing = Mutex<[Operation: Int]>([:])
    private let counts = Mutex<[Operation: Int]>([:])
    private let quiet = Mutex(false)

    init(limit: CommandStoreLimit = CommandStoreLimit()) {
        base = InMemoryCommandStore(limit: limit)
    }

    /// Whether the store does not say that something has changed.
    var isQuiet: Bool {
        get { quiet.withLock(\.self) }
        set { quiet.withLock { $0 = newValue } }
    }

    /// The number of calls of a function.
    func count(of operation: Operation) -> Int { counts.withLock { $0[operation, default: 0] } }

    /// Lets the next calls of a function fail.
    func fail(_ operation: Operation, times: Int = 1) { failing.withLock { $0[operation] = times } }

    private func check(_ operation: Operation) throws {
        counts.withLock { $0[operation, default: 0] += 1 }
        try failing.withLock { failing in
            guard let times = failing[operation], times > 0 else { return }
            failing[operation] = times - 1
            throw Fault()
        }
    }

    func insert(_ command: StoredCommand) async throws {
        try check(.insert)
        try await base.insert(command)
    }

    func all() async throws -> [StoredCommand] {
        try check(.all)
        return await base.all()
    }

    func update(_ id: UUID, attempts: Int, failure: String?, isRetried: Bool) async throws {
        try check(.update)
        await base.update(id, attempts: attempts, failure: failure, isRetried: isRetried)
    }

    func remove(_ ids: [UUID]) async throws {
        try check(.remove)
        await base.remove(ids)
    }

    func requestSending(of ids: [UUID]) async throws {
        try check(.requestSending)
        await base.requestSending(of: ids)
    }

    func removeAll() async throws {
        try check(.removeAll)
        await base.removeAll()
    }

    func claimSending() async throws -> SendingClaim? {
        try check(.claimSending)
        return await base.claimSending()
    }

    func revision() async throws -> Int {
        try check(.revision)
        return await base.revision()
    }

    var changes: AsyncStream<Void> { isQuiet ? AsyncStream { _ in } : base.changes }
}
