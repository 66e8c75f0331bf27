import Duet
import DuetCaching
import DuetTesting
import Foundation
import Synchronization

/// Tasks that read, observe, change and remove a few values at the same time, and the promises that the cache must keep.
final class Scenario: Sendable {
    /// What a read that begins now must return at least.
    private struct Model: Sendable {
        /// The versions that a value must have to be fresh.
        var fresh = [Int](repeating: 0, count: VersionSource.keys.count)
        /// The versions that a value must have to be returned at all, even as stale.
        var any = [Int](repeating: 0, count: VersionSource.keys.count)

        mutating func invalidate(_ key: Int, _ version: Int) { fresh[key] = max(fresh[key], version) }

        mutating func remove(_ key: Int, _ version: Int) {
            invalidate(key, version)
            any[key] = max(any[key], version)
        }

        /// The fault of a read that began with this model.
        func fault(_ key: Int, _ version: Int, isStale: Bool) -> String? {
            if version < any[key] { return "version \(version) of \(key), although \(any[key]) was there when it was removed" }
            if !isStale, version < fresh[key] { return "version \(version) of \(key) as fresh, although \(fresh[key]) was there" }
            return nil
        }
    }

    private struct Observer: Sendable {
        let key: Int
        let task: Task<Void, Never>
        var last: Int?
        var isFinished = false
    }

    private struct State: Sendable {
        var model = Model()
        var random: SeededGenerator
        var readers: [Task<Void, Never>] = []
        var observers: [Int: Observer] = [:]
        var lastObserver = 0
        var faults: [String] = []
        var steps: [String] = []
    }

    private let state: Mutex<State>
    private let source: VersionSource
    private let store: InterruptedStore
    private let dispatcher: CachingDispatcher
    private let sourceFails: Bool
    private let storeFails: Bool

    init(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        sourceFails = Int.random(in: 0..<3, using: &generator) == 0
        storeFails = Int.random(in: 0..<3, using: &generator) == 0
        let chance = Chance(SeededGenerator(seed: generator.next()))
        source = VersionSource { [sourceFails] in sourceFails && chance.isOneIn(4) }
        store = InterruptedStore { [storeFails] in storeFails && chance.isOneIn(4) }
        state = Mutex(State(random: generator))
        dispatcher = try Self.launch(source, store)
    }

    private static func launch(_ source: VersionSource, _ store: InterruptedStore) throws -> CachingDispatcher {
        // One value replaces the other, so that the store is often asked.
        let memory = CacheMemory.memory(limit: .entries(1), evicting: LRUPolicy.self).backed(by: store)
        return try source.caching(in: memory, clock: ManualClock()) {
            Cache(LoadVersion.self, .untilInvalidated, tags: { ["key:\($0.key)"] }).stored(version: 1)
            Invalidate(LoadVersion.self, after: ChangeKey.self) { $0.key == $1.key }
            Invalidate(tags: { ["key:\($0.key)"] }, after: ChangeTagged.self)
            Invalidate(LoadVersion.self, after: ChangeAll.self)
            Invalidate(everythingAfter: SignOut.self)
        }
    }

    /// What went wrong.
    var faults: [String] { state.withLock(\.faults) }
    /// What the tasks did, in order.
    var steps: [String] { state.withLock(\.steps) }

    private func note(_ step: String) { state.withLock { $0.steps.append(step) } }

    private func fault(_ fault: String) {
        state.withLock { state in
            state.faults.append(fault)
            state.steps.append("FAULT: \(fault)")
        }
    }

    private func pick(_ range: Range<Int>) -> Int { state.withLock { Int.random(in: range, using: &$0.random) } }

    // MARK: The tasks

    /// Runs several tasks, each of which does a few things.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for task in 1...pick(2..<6) {
                group.addTask { [self] in
                    for _ in 0...pick(0..<4) { await step(task) }
                }
            }
        }
        for reader in state.withLock(\.readers) { await reader.value }
    }

    private func step(_ task: Int) async {
        let key = pick(VersionSource.keys)
        switch pick(0..<16) {
        case 0..<5: await read(key, task)
        case 5: observe(key, task)
        case 6, 7:
            let reader = Task { await read(key, task) }
            state.withLock { $0.readers.append(reader) }
        case 8:
            note("\(task) cancels a reader")
            state.withLock { $0.readers.randomElement(using: &$0.random) }?.cancel()
        case 9, 10: await change(ChangeKey(key: key), key..<key + 1, task)
        case 11: await change(ChangeTagged(key: key), key..<key + 1, task)
        case 12: await change(ChangeAll(), VersionSource.keys, task)
        case 13: await change(SignOut(), VersionSource.keys, task)
        case 14:
            note("\(task) invalidates \(key)")
            let version = source.version(key)
            dispatcher.cache.invalidate(LoadVersion.self) { $0.key == key }
            state.withLock { $0.model.invalidate(key, version) }
        default:
            note("\(task) removes everything")
            let versions = VersionSource.keys.map(source.version)
            try? await dispatcher.cache.removeAll()
            note("\(task) has removed everything")
            state.withLock { state in
                for (key, version) in zip(VersionSource.keys, versions) { state.model.remove(key, version) }
            }
        }
    }

    private func read(_ key: Int, _ task: Int) async {
        let mode = [ReadMode.cacheFirst, .cacheFirst, .cacheFirst, .fresh, .freshOrStale, .cacheOnly][pick(0..<6)]
        let model = state.withLock(\.model)
        note("\(task) reads \(key), \(mode)")
        guard let result = try? await dispatcher.result(of: LoadVersion(key: key), reading: mode) else {
            return note("\(task) could not read \(key)")
        }
        note("\(task) has read \(key): \(result.value), \(result.isStale ? "stale" : "fresh"), \(result.origin)")
        if let fault = model.fault(key, result.value, isStale: result.isStale) { self.fault("\(task) has read \(fault)") }
    }

    private func observe(_ key: Int, _ task: Int) {
        let (id, model) = state.withLock { state in
            state.lastObserver += 1
            return (state.lastObserver, state.model)
        }
        let values = dispatcher.observe(LoadVersion(key: key))
        let observation = Task { [self] in
            do {
                note("\(task) observes \(key)")
                for try await version in values {
                    note("\(task) has observed \(key): \(version)")
                    let last = state.withLock { state in
                        defer { state.observers[id]?.last = version }
                        return state.observers[id]?.last
                    }
                    if let last, version < last { fault("\(task) observed \(version) of \(key) after \(last)") }
                    // A value in place of an error may be stale.
                    if let fault = model.fault(key, version, isStale: sourceFails) {
                        self.fault("\(task) has observed \(fault)")
                    }
                }
            } catch {
                note("\(task) observed an error of \(key)")
            }
            state.withLock { $0.observers[id]?.isFinished = true }
        }
        state.withLock { $0.observers[id] = Observer(key: key, task: observation) }
    }

    private func change(_ command: some Change, _ keys: Range<Int>, _ task: Int) async {
        note("\(task) sends \(type(of: command)) of \(keys)")
        let receipt = Receipt()
        try? await Receipt.$current.withValue(receipt) { try await dispatcher.dispatch(command) }
        note("\(task) has changed \(keys): \(receipt.versions)")
        state.withLock { state in
            for (key, version) in receipt.versions { state.model.invalidate(key, version) }
        }
    }

    // MARK: Afterward

    /// Compares what the cache has with the source, when all tasks have ended or wait for a change.
    func check() async {
        // Loads of observed values may still be behind a failed one.
        for observer in state.withLock(\.observers).values where !observer.isFinished && !sourceFails {
            let version = source.version(observer.key)
            if observer.last != version {
                fault("an observer has \(observer.last.map(String.init) ?? "nothing") of \(observer.key), and not \(version)")
            }
        }
        for observer in state.withLock(\.observers).values {
            note("check cancels observer"); observer.task.cancel()
            await observer.task.value
        }
        note("check flushes"); if dispatcher.cache.observerCount > 0 { fault("observers are left") }
        try? await dispatcher.cache.flush()
        note("check at rest"); await check(dispatcher, "at rest"); note("check next")
        // A value that the store could not remove may be found by the next process.
        guard !storeFails, let next = try? Self.launch(source, store) else { return }
        await check(next, "in the next launch")
    }

    private func check(_ dispatcher: CachingDispatcher, _ when: String) async {
        for key in VersionSource.keys {
            let version = source.version(key)
            let result = try? await dispatcher.result(of: LoadVersion(key: key), reading: .cacheOnly)
            if let result, !result.isStale, result.value != version {
                fault("\(when), version \(result.value) of \(key) is fresh, and not \(version)")
            }
            let value = try? await dispatcher.dispatch(LoadVersion(key: key))
            if let value, value != version { fault("\(when), version \(value) of \(key) is loaded, and not \(version)") }
        }
    }
}

/// Decides by chance.
final class Chance: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(_ generator: SeededGenerator) {
        self.generator = Mutex(generator)
    }

    func isOneIn(_ count: Int) -> Bool { generator.withLock { Int.random(in: 0..<count, using: &$0) == 0 } }
}
