import Duet
import DuetCaching
import DuetTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Compares the cache step by step with a model of a few lines, in generated interleavings of loads, invalidations,
/// expirations, cancellations, failures and restarts, over memory and a store.
@Suite
struct ModelTests {
    @Test(.timeLimit(.minutes(30)))
    func `the cache behaves like the model`() async throws {
        try await Simulation.runAll()
    }
}

// MARK: The model

/// A model of a cache without concurrency, whose values are versions of their keys at the source.
private struct Model {
    struct Stored {
        var version: Int
        var loaded: Double
        var isInvalid = false
        /// Whether the value was too old to be served at some time.
        ///
        /// It may be removed then, even if the clock is set back.
        var mayBeGone = false
    }

    struct Load {
        let key: Int
        let version: Int
        var isOutdated = false
        var readers: Set<Int> = []
    }

    enum Reading: Equatable {
        case value(version: Int, isStale: Bool)
        case joins(load: Int)
        case begins
    }

    static let keys = 3
    static let maximumAge = 10.0
    static let grace = 20.0

    var now = 0.0
    var source = [Int](repeating: 0, count: keys)
    var memory: [Int: Stored] = [:]
    var store: [Int: Stored] = [:]
    var loads: [Int: Load] = [:]

    func isFresh(_ stored: Stored) -> Bool {
        !stored.isInvalid && now >= stored.loaded && now < stored.loaded + Self.maximumAge
    }

    mutating func read(_ key: Int) -> Reading {
        if let found = memory[key], isFresh(found) { return .value(version: found.version, isStale: false) }
        if let load = loads.first(where: { $0.value.key == key && !$0.value.isOutdated }) {
            return .joins(load: load.key)
        }
        if let found = store[key], found.loaded > memory[key]?.loaded ?? -.infinity {
            memory[key] = found
            let mayBeGone = fallback(key) == nil
            memory[key]?.mayBeGone = mayBeGone
        }
        if let found = memory[key], isFresh(found) { return .value(version: found.version, isStale: false) }
        return .begins
    }

    /// The value that replaces a failed load.
    func fallback(_ key: Int) -> Int? {
        memory[key].flatMap { now < $0.loaded + Self.maximumAge + Self.grace ? $0.version : nil }
    }

    mutating func advance(by seconds: Double) {
        now += seconds
        for key in memory.keys where fallback(key) == nil { memory[key]?.mayBeGone = true }
    }

    mutating func finish(_ load: Load, succeeds: Bool) {
        guard succeeds, !load.isOutdated else { return }
        memory[load.key] = Stored(version: load.version, loaded: now)
        store[load.key] = memory[load.key]
    }

    mutating func invalidate(_ keys: [Int], erasing: Bool) {
        for key in keys {
            memory[key]?.isInvalid = true
            store[key]?.isInvalid = true
            if erasing { store[key] = nil }
            for id in loads.keys where loads[id]?.key == key { loads[id]?.isOutdated = true }
        }
    }
}

// MARK: The simulation

/// A cache and a model that take the same steps.
private struct Simulation: ModelSimulation {
    private var random: SeededGenerator
    private var model = Model()
    private let source = VersionSource()
    private let store = InMemoryCacheStore()
    private let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))
    private var dispatcher: CachingDispatcher
    private var readers: [Int: Task<ReadResult<Int>, any Error>] = [:]
    private var lastReader = 0
    private var coalesced = 0
    private(set) var steps: [String] = []
    private(set) var difference: String?

    init(_ seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        dispatcher = try Self.launch(source, store, date)
    }

    private static func launch(
        _ source: VersionSource,
        _ store: InMemoryCacheStore,
        _ date: TestDate
    ) throws -> CachingDispatcher {
        try source.caching(in: .stored(in: store), now: date.now) {
            Cache(
                LoadVersion.self,
                .maxAge(.seconds(Model.maximumAge)).staleIfError(.seconds(Model.grace)),
                tags: { ["key:\($0.key)"] }
            ).stored(version: 1)
            Invalidate(LoadVersion.self, after: ChangeKey.self) { $0.key == $1.key }
            Invalidate(LoadVersion.self, after: ChangeAll.self)
            Invalidate(everythingAfter: SignOut.self)
        }
    }

    mutating func step() async throws {
        let key = Int.random(in: 0..<Model.keys, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8: try await read(key)
        case 8..<12: try await finishLoad(succeeds: true)
        case 12: try await finishLoad(succeeds: false)
        case 13..<16: try await invalidate(key)
        case 16: await cancelReader()
        case 17, 18: advance(by: [-3, 5, 10, 30].randomElement(using: &random) ?? 5)
        default: try await restart()
        }
        try await dispatcher.cache.flush()
        check(store.count, is: model.store.count, "values in the store")
    }

    /// Ends all loads, so that no task outlives the test.
    mutating func end() async {
        for id in model.loads.keys.sorted() { source.finish(id, succeeds: false) }
        for reader in readers.values { _ = await reader.result }
    }

    private mutating func check<Value: Equatable>(_ found: Value, is expected: Value, _ what: String) {
        guard found != expected, difference == nil else { return }
        difference = "\(what): expected \(expected), found \(found)"
    }

    private mutating func read(_ key: Int) async throws {
        let expected = model.read(key)
        steps.append("read \(key) (\(expected))")
        lastReader += 1
        let reader = Task { [dispatcher] in try await dispatcher.read(LoadVersion(key: key)) }
        switch expected {
        case .value(let version, let isStale):
            let result = try await reader.value
            check(result.value, is: version, "the value of \(key)")
            check(result.isStale, is: isStale, "the staleness of \(key)")
        case .joins(let load):
            coalesced += 1
            while dispatcher.cache.statistics(of: LoadVersion.self).coalesced < coalesced { await Task.yield() }
            model.loads[load]?.readers.insert(lastReader)
            readers[lastReader] = reader
        case .begins:
            let id = await source.nextLoad()
            model.loads[id] = Model.Load(key: key, version: model.source[key], readers: [lastReader])
            readers[lastReader] = reader
        }
    }

    private mutating func finishLoad(succeeds: Bool) async throws {
        guard let id = model.loads.keys.sorted().randomElement(using: &random), let load = model.loads[id] else {
            return
        }
        steps.append("load \(id) of \(load.key) \(succeeds ? "succeeds" : "fails")")
        model.loads[id] = nil
        model.finish(load, succeeds: succeeds)
        let fallback = model.fallback(load.key)
        source.finish(id, succeeds: succeeds)
        for reader in load.readers.sorted() {
            switch await readers.removeValue(forKey: reader)?.result {
            case .success(let result) where succeeds:
                check(result.value, is: load.version, "the loaded value of \(load.key)")
                check(result.isStale, is: load.isOutdated, "the staleness of the loaded value of \(load.key)")
            case .success(let result):
                check(result.value, is: fallback, "the value of \(load.key) in place of an error")
                check(result.isStale, is: model.memory[load.key].map(model.isFresh) != true, "its staleness")
            case .failure:
                check(succeeds, is: false, "the success of load \(id)")
                if model.memory[load.key]?.mayBeGone != true {
                    check(nil, is: fallback, "the error of load \(id) in place of a stale value")
                }
            case nil: break
            }
        }
    }

    private mutating func invalidate(_ key: Int) async throws {
        let way = Int.random(in: 0..<6, using: &random)
        steps.append("invalidate \(key), way \(way)")
        let isOfOneKey = way < 4
        for key in isOfOneKey ? [key] : Array(0..<Model.keys) { model.source[key] += 1 }
        source.set(model.source)
        switch way {
        case 0, 1: try await dispatcher.dispatch(ChangeKey(key: key))
        case 2: dispatcher.cache.invalidate(tag: "key:\(key)")
        case 3: dispatcher.cache.invalidate(LoadVersion.self) { $0.key == key }
        case 4: try await dispatcher.dispatch(ChangeAll())
        default: try await dispatcher.dispatch(SignOut())
        }
        model.invalidate(isOfOneKey ? [key] : Array(0..<Model.keys), erasing: way == 5)
    }

    private mutating func cancelReader() async {
        guard let reader = readers.keys.sorted().randomElement(using: &random) else { return }
        steps.append("cancel reader \(reader)")
        let task = readers.removeValue(forKey: reader)
        task?.cancel()
        // The task has left its load when it ends.
        _ = await task?.result
        for id in model.loads.keys {
            model.loads[id]?.readers.remove(reader)
            if model.loads[id]?.readers.isEmpty == true { model.loads[id] = nil }
        }
    }

    private mutating func advance(by seconds: Double) {
        steps.append("advance by \(seconds)")
        model.advance(by: seconds)
        date.advance(by: seconds)
    }

    private mutating func restart() async throws {
        while !model.loads.isEmpty { try await finishLoad(succeeds: true) }
        try await dispatcher.cache.flush()
        steps.append("restart")
        model.memory = [:]
        coalesced = 0
        dispatcher = try Self.launch(source, store, date)
    }
}

// MARK: The source

private struct LoadVersion: Query, Hashable, Codable {
    typealias Value = Int
    let key: Int
}

private struct ChangeKey: Command {
    let key: Int
}

private struct ChangeAll: Command {}

/// Holds each load until the simulation ends it.
private final class VersionSource: Dispatcher {
    private struct State: Sendable {
        var versions = [Int](repeating: 0, count: Model.keys)
        var lastLoad = 0
        var arrived: [Int] = []
        var outcomes: [Int: Bool] = [:]
    }

    private let monitor = Monitor(State())

    func set(_ versions: [Int]) { monitor.update { $0.versions = versions } }

    /// Waits for the next load, and returns its number.
    func nextLoad() async -> Int {
        (try? await monitor.wait { $0.arrived.isEmpty ? nil : $0.arrived.removeFirst() }) ?? -1
    }

    func finish(_ load: Int, succeeds: Bool) { monitor.update { $0.outcomes[load] = succeeds } }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard let query = message as? LoadVersion else {
            guard let done = () as? M.Value else { throw NoConnection() }
            return done
        }
        let (id, version) = monitor.update { state in
            state.lastLoad += 1
            state.arrived.append(state.lastLoad)
            return (state.lastLoad, state.versions[query.key])
        }
        guard try await monitor.wait(for: { $0.outcomes.removeValue(forKey: id) }), let value = version as? M.Value
        else {
            throw NoConnection()
        }
        return value
    }
}
