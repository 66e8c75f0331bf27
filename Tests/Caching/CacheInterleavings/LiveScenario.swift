import Duet
import DuetCaching
import DuetTesting
import Foundation
import Synchronization

/// A client's cache in front of servers with caches: late responses, stored ones, and streams of changes
/// that may be silent.
final class LiveScenario: Interleaving {
    private struct Observer: Sendable {
        let key: Int
        let task: Task<Void, Never>
        var last: QueryState<Int>?
    }

    private struct State: Sendable {
        var random: SeededGenerator
        /// The newest versions that the commands of this client have made.
        var own = [0, 0]
        var observers: [Int: Observer] = [:]
        var lastObserver = 0
    }

    private let state: Mutex<State>
    private let source = VersionSource { false }
    let log = StepLog()
    private let network: Network
    private let client: CachingDispatcher
    private let clock = ManualClock()

    init(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        network = try Network(source, Chance(SeededGenerator(seed: generator.next())), clock, log)
        state = Mutex(State(random: generator))
        client = try network.caching(in: .memory(limit: .entries(10)), clock: clock) { Network.rules }
    }

    private func pick(_ range: Range<Int>) -> Int { state.withLock { Int.random(in: range, using: &$0.random) } }

    // MARK: The tasks

    func run() async {
        note(network.description)
        await runTasks(pick(2..<5), stepCount: { [self] in pick(0..<5) }) { [self] in await step($0) }
    }

    private func step(_ task: Int) async {
        let key = pick(VersionSource.keys)
        switch pick(0..<13) {
        case 0..<3: await read(key, task)
        case 3..<6: observe(key, task)
        case 6..<9: await change(ChangeKey(key: key), task)
        case 9: await change(ChangeAll(), task)
        case 10:
            note("somebody else changes \(key)")
            try? await network.changeElsewhere(key)
        case 11:
            note("a server restarts")
            network.restart()
        default:
            note("\(task) removes everything")
            try? await client.cache.removeAll()
        }
    }

    private func read(_ key: Int, _ task: Int) async {
        let own = state.withLock { $0.own[key] }
        note("\(task) reads \(key)")
        guard let result = try? await client.read(LoadVersion(key: key)) else {
            return note("\(task) could not read \(key)")
        }
        note("\(task) has read \(key): \(result.value), \(result.isStale ? "stale" : "fresh")")
        if !result.isStale, result.value < own, network.keepsOwnChanges {
            fault("\(task) has read \(result.value) of \(key) as fresh after its own change to \(own)")
        }
    }

    private func observe(_ key: Int, _ task: Int) {
        let id = state.withLock { state in
            state.lastObserver += 1
            return state.lastObserver
        }
        let states = client.observe(LoadVersion(key: key))
        let observation = Task { [self] in
            note("\(task) observes \(key)")
            for await state in states { see(state, of: key, by: id) }
        }
        state.withLock { $0.observers[id] = Observer(key: key, task: observation) }
    }

    private func see(_ new: QueryState<Int>, of key: Int, by observer: Int) {
        let last = state.withLock { state in
            defer { state.observers[observer]?.last = new }
            return state.observers[observer]?.last
        }
        note("observer \(observer) has \(key): \(describe(new))")
        guard network.isComparable, let value = new.value, let lastValue = last?.value, value < lastValue else {
            return
        }
        fault("observer \(observer) has \(value) of \(key) after \(lastValue)")
    }

    private func change(_ command: some Change, _ task: Int) async {
        note("\(task) sends \(type(of: command)) of \(command.keys)")
        let receipt = Receipt()
        try? await Receipt.$current.withValue(receipt) { try await client.dispatch(command) }
        note("\(task) has changed \(receipt.versions)")
        state.withLock { state in
            for (key, version) in receipt.versions { state.own[key] = max(state.own[key], version) }
        }
    }

    // MARK: Afterward

    /// Ends the pauses before observed values are loaded again, and before streams are followed again, on a network
    /// that works.
    func passTime() {
        note("two seconds pass")
        network.heal()
        clock.advance(by: .seconds(2))
    }

    /// Compares what the observers have with the source, after all tasks have ended or wait for a change.
    func check() async {
        for observer in state.withLock(\.observers).values {
            let key = observer.key
            let newest = network.isSilent ? state.withLock { $0.own[key] } : source.version(key)
            let value = observer.last?.value
            if (value ?? -1) < newest, !network.fails {
                fault("an observer has \(value.map(String.init) ?? "nothing") of \(key), and not \(newest)")
            }
            if observer.last?.isLoading != false { fault("\(key) is loading forever") }
        }
        for observer in state.withLock(\.observers).values {
            observer.task.cancel()
            await observer.task.value
        }
        for _ in 1...1_000 where client.cache.observerCount > 0 { await Task.yield() }
        if client.cache.observerCount > 0 { fault("observers are left") }
        for key in VersionSource.keys {
            let own = state.withLock { $0.own[key] }
            if let result = try? await client.read(LoadVersion(key: key)), !result.isStale, result.value < own,
                network.keepsOwnChanges
            {
                fault("at rest, \(result.value) of \(key) is fresh, and not \(own)")
            }
        }
        network.end()
    }
}

private func describe(_ state: QueryState<some Any>) -> String {
    """
    \(state.value.map { "\($0)" } ?? "nothing")\(state.isStale ? ", stale" : "")\(state.isLoading ? ", loading" : "")\
    \(state.version.map { ", version \($0.number)" } ?? "")
    """
}

/// One or two servers with caches, behind a network that is late and may return stored responses.
private final class Network: Dispatcher, CustomStringConvertible {
    private typealias Response = (value: Int, version: CacheVersion?)

    private struct State: Sendable {
        var servers: [CachingDispatcher] = []
        var stored: [Int: Response] = [:]
        /// The connections between the caches of the servers.
        var connections: [Task<Void, Never>] = []
        var isHealthy = false
        /// The ends of the streams of changes.
        var streams: [@Sendable () -> Void] = []
    }

    @ListBuilder<CacheRule> static var rules: [CacheRule] {
        Cache(LoadVersion.self, .untilInvalidated)
        Invalidate(LoadVersion.self, after: ChangeKey.self) { $0.key == $1.key }
        Invalidate(LoadVersion.self, after: ChangeAll.self)
    }

    private let source: VersionSource
    private let clock: ManualClock
    private let chance: Chance
    private let log: StepLog
    private let serverCount: Int
    private let hasVersions: Bool
    private let storesResponses: Bool
    private let mayRestart: Bool
    /// Whether streams report only the first value.
    let isSilent: Bool
    /// Whether some requests fail.
    let fails: Bool
    private let state = Mutex(State())

    init(_ source: VersionSource, _ chance: Chance, _ clock: ManualClock, _ log: StepLog) throws {
        self.source = source
        self.clock = clock
        self.log = log
        self.chance = chance
        serverCount = chance.isOneIn(4) ? 2 : 1
        hasVersions = !chance.isOneIn(5)
        mayRestart = chance.isOneIn(4)
        // A stored response of another server, or without a version, cannot be known to be old.
        storesResponses = serverCount == 1 && hasVersions && !mayRestart && chance.isOneIn(2)
        isSilent = chance.isOneIn(4)
        fails = chance.isOneIn(4)
        for _ in 1...serverCount { try addServer() }
    }

    /// Whether all values come from one cache, and say so.
    var isComparable: Bool { serverCount == 1 && hasVersions && !mayRestart }

    /// Whether each load after a command returns its effect, or shows that it does not.
    ///
    /// After a load that has failed, a report without a version counts as new, as the documentation says.
    var keepsOwnChanges: Bool { serverCount == 1 && !mayRestart && (hasVersions || !fails) }

    var description: String {
        """
        \(serverCount) servers\(hasVersions ? "" : " without versions")\(storesResponses ? ", stored responses" : "")\
        \(mayRestart ? ", restarts" : "")\(isSilent ? ", silent streams" : "")\(fails ? ", failures" : "")
        """
    }

    // MARK: Servers

    private func addServer() throws {
        let server = try source.caching(in: .memory(limit: .entries(10)), clock: clock) { Self.rules }
        for other in state.withLock(\.servers) { connect(server, other) }
        state.withLock { $0.servers.append(server) }
    }

    /// Carries out the invalidations of each of two caches in the other one, late.
    private func connect(_ one: CachingDispatcher, _ other: CachingDispatcher) {
        for (from, to) in [(one.cache, other.cache), (other.cache, one.cache)] {
            let invalidations = from.invalidations
            let connection = Task {
                for await invalidation in invalidations {
                    await RandomExecutor.pause()
                    to.apply(invalidation)
                }
            }
            state.withLock { $0.connections.append(connection) }
        }
    }

    /// Replaces a server, whose streams end.
    func restart() {
        guard mayRestart, (try? addServer()) != nil else { return }
        let streams = state.withLock { state in
            defer { state.streams = [] }
            return state.streams
        }
        for end in streams { end() }
    }

    /// One of the servers that run.
    private var server: CachingDispatcher? {
        let servers = state.withLock { $0.servers.suffix(serverCount) }
        return chance.isOneIn(2) ? servers.first : servers.last
    }

    /// Ends all failures.
    func heal() { state.withLock { $0.isHealthy = true } }

    func changeElsewhere(_ key: Int) async throws { try await server?.dispatch(ChangeKey(key: key)) }

    func end() {
        let (connections, streams) = state.withLock { ($0.connections, $0.streams) }
        for connection in connections { connection.cancel() }
        for end in streams { end() }
    }

    // MARK: Messages

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        await RandomExecutor.pause()
        if fails, chance.isOneIn(3), !state.withLock(\.isHealthy) { throw Failed() }
        let value: Any
        if let query = message as? LoadVersion {
            let response = try await response(to: query, isFresh: Reading.current(of: M.self)?.mode == .fresh)
            Reading.current(of: M.self)?.note(response.version)
            value = response.value
        } else {
            try await send(message)
            value = ()
        }
        guard let value = value as? M.Value else { throw Failed() }
        return value
    }

    private func response(to query: LoadVersion, isFresh: Bool) async throws -> Response {
        if storesResponses, !isFresh, let stored = state.withLock({ $0.stored[query.key] }), chance.isOneIn(2) {
            return stored
        }
        guard let (value, version) = try await server?.versioned(query) else { throw Failed() }
        let response = (value, hasVersions ? version : nil)
        state.withLock { $0.stored[query.key] = response }
        log.note("\(query) is answered with \(value), version \(version?.number ?? -1)")
        await RandomExecutor.pause()
        return response
    }

    private func send(_ command: some Message) async throws {
        guard let server else { throw Failed() }
        let version = try await CommandVersion().reached {
            switch command {
            case let command as ChangeKey: try await server.dispatch(command)
            case let command as ChangeAll: try await server.dispatch(command)
            default: throw Failed()
            }
        }
        if hasVersions { CommandVersion.current?.note(version) }
        log.note("\(command) has led to version \(version?.number ?? -1)")
        await RandomExecutor.pause()
    }

    func isLive<Q: Query>(_ query: Q.Type) -> Bool { true }

    func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        QueryStates { [self] in
            let (stream, continuation) = AsyncStream.makeStream(
                of: QueryState<Q.Value>.self,
                bufferingPolicy: .bufferingNewest(1)
            )
            let states = server?.observe(query)
            let forwarding = Task {
                guard let states else { return }
                for await var state in states {
                    await RandomExecutor.pause()
                    if !hasVersions { state.version = nil }
                    log.note("\(query) is reported as \(describe(state))")
                    continuation.yield(state)
                    if isSilent, state.value != nil, !state.isStale, !state.isLoading { break }
                }
            }
            continuation.onTermination = { _ in forwarding.cancel() }
            self.state.withLock { $0.streams.append { continuation.finish() } }
            var iterator = stream.makeAsyncIterator()
            return { await iterator.next(isolation: #isolation) }
        }
    }
}
