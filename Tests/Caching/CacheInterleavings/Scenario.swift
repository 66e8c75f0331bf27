import Duet
import DuetCaching
import DuetTesting
import Foundation
import Synchronization

/// Concurrent tasks that read, observe, change and remove a few values, and the guarantees that the cache must keep.
final class Scenario: Interleaving {
    /// The oldest versions that a read may return if it begins now.
    private struct Model: Sendable {
        /// The versions that commands have made.
        private var changed = [0, 0]
        /// The oldest versions, and their sum, that are fresh.
        private var fresh = [0, 0, 0]
        /// The oldest versions, and their sum, that may be returned as stale.
        private var any = [0, 0, 0]

        mutating func change(_ versions: [Int: Int]) {
            for (key, version) in versions {
                changed[key] = max(changed[key], version)
                invalidate(key, version)
            }
            invalidate(Scenario.sum, changed[0] + changed[1])
        }

        mutating func invalidate(_ key: Int, _ version: Int) { fresh[key] = max(fresh[key], version) }

        mutating func remove(_ versions: [Int]) {
            for (key, version) in versions.enumerated() {
                invalidate(key, version)
                any[key] = max(any[key], version)
            }
        }

        /// Returns the fault of a read that began with this model, or nil.
        func fault(_ key: Int, _ version: Int, isStale: Bool) -> String? {
            if version < any[key] {
                return "version \(version) of \(key), although \(any[key]) was there when it was removed"
            }
            if !isStale, version < fresh[key] {
                return "version \(version) of \(key) as fresh, although \(fresh[key]) was there"
            }
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
    }

    /// The key of the sum.
    private static let sum = 2

    let log = StepLog()
    private let state: Mutex<State>
    private let source: VersionSource
    private let store: InterruptedStore
    private let dispatcher: CachingDispatcher
    private let clock = ManualClock()
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
        dispatcher = try Self.launch(source, store, clock)
        source.cache.withLock { $0 = dispatcher }
    }

    private static func launch(
        _ source: VersionSource,
        _ store: InterruptedStore,
        _ clock: ManualClock
    ) throws -> CachingDispatcher {
        // One value replaces the other, so that the store is often read.
        let memory = CacheMemory.memory(limit: .entries(1)).backed(by: store)
        return try source.caching(in: memory, clock: clock) {
            // Stale values are kept in the store.
            Cache(LoadVersion.self, .untilInvalidated.staleIfError(.days(1)), tags: { ["key:\($0.key)"] })
                .stored(version: 1)
            Cache(LoadSum.self, .untilInvalidated).stored(version: 1)
            // This rule comes before the rules for the values of which the sum is made.
            Invalidate(LoadSum.self, after: ChangeKey.self, ChangeAnswered.self, ChangeTagged.self, ChangeAll.self)
            Invalidate(LoadVersion.self, after: ChangeKey.self) { $0.key == $1.key }
            Invalidate(tags: { ["key:\($0.key)"] }, after: ChangeTagged.self)
            Invalidate(LoadVersion.self, after: ChangeAll.self)
            Invalidate(everythingAfter: SignOut.self)
        }
    }

    private func pick(_ range: Range<Int>) -> Int { state.withLock { Int.random(in: range, using: &$0.random) } }

    // MARK: The tasks

    func run() async {
        await runTasks(pick(2..<6), stepCount: { [self] in pick(0..<4) }) { [self] in await step($0) }
        for reader in state.withLock(\.readers) { await reader.value }
    }

    private func step(_ task: Int) async {
        let key = pick(VersionSource.keys)
        let readKey = pick(0..<Self.sum + 1)
        switch pick(0..<18) {
        case 0..<5: await read(readKey, task)
        case 5: observe(readKey, task)
        case 6, 7:
            let reader = Task { await read(readKey, task) }
            state.withLock { $0.readers.append(reader) }
        case 8:
            note("\(task) cancels a reader")
            state.withLock { $0.readers.randomElement(using: &$0.random) }?.cancel()
        case 9, 10: await change(ChangeKey(key: key), task)
        case 11: await change(ChangeTagged(key: key), task)
        case 12: await change(ChangeAll(), task)
        case 13: await change(SignOut(), task)
        case 14:
            note("\(task) invalidates \(key)")
            let version = source.version(key)
            dispatcher.cache.invalidate(LoadVersion.self) { $0.key == key }
            state.withLock { $0.model.invalidate(key, version) }
        case 15: await change(ChangeAnswered(key: key), task)
        case 16: await answer(ChangeAnswered(key: key), task)
        default:
            note("\(task) removes everything")
            let versions = (0...Self.sum).map(version)
            try? await dispatcher.cache.removeAll()
            note("\(task) has removed everything")
            state.withLock { $0.model.remove(versions) }
        }
    }

    private func read(_ key: Int, _ task: Int) async {
        let mode = [ReadMode.cacheFirst, .cacheFirst, .cacheFirst, .fresh, .freshOrStale, .cacheOnly][pick(0..<6)]
        let model = state.withLock(\.model)
        note("\(task) reads \(key), \(mode)")
        guard let result = try? await result(key, mode, dispatcher) else {
            return note("\(task) could not read \(key)")
        }
        note("\(task) has read \(key): \(result.value), \(result.isStale ? "stale" : "fresh"), \(result.origin)")
        if let fault = model.fault(key, result.value, isStale: result.isStale) {
            self.fault("\(task) has read \(fault)")
        }
    }

    private func observe(_ key: Int, _ task: Int) {
        let (id, model) = state.withLock { state in
            state.lastObserver += 1
            return (state.lastObserver, state.model)
        }
        let values =
            key == Self.sum ? dispatcher.observe(LoadSum()).values : dispatcher.observe(LoadVersion(key: key)).values
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
                    // A value that replaces an error may be stale.
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

    private func change(_ command: some Change, _ task: Int) async {
        note("\(task) sends \(type(of: command)) of \(command.keys)")
        let receipt = Receipt()
        try? await Receipt.$current.withValue(receipt) { try await dispatcher.dispatch(command) }
        note("\(task) has changed \(command.keys): \(receipt.versions)")
        state.withLock { $0.model.change(receipt.versions) }
    }

    /// Sends a command whose answer must contain its own change.
    private func answer(_ command: ChangeAnswered, _ task: Int) async {
        note("\(task) asks for the answer of a change of \(command.key)")
        let receipt = Receipt()
        let answer = try? await Receipt.$current.withValue(receipt) { try await dispatcher.answer(to: command) }
        note("\(task) has the answer \(answer.map(String.init) ?? "of nobody") to \(receipt.versions)")
        state.withLock { $0.model.change(receipt.versions) }
        if let answer, let version = receipt.versions[command.key], answer < version {
            fault("\(task) has the answer \(answer) to the change \(version) of \(command.key)")
        }
    }

    private func result(
        _ key: Int,
        _ mode: ReadMode,
        _ dispatcher: CachingDispatcher
    ) async throws -> ReadResult<Int> {
        key == Self.sum
            ? try await dispatcher.read(LoadSum(), mode)
            : try await dispatcher.read(LoadVersion(key: key), mode)
    }

    private func version(_ key: Int) -> Int {
        key == Self.sum ? source.version(0) + source.version(1) : source.version(key)
    }

    // MARK: Afterward

    /// Ends the pauses before observed values are loaded again.
    func passTime() { clock.advance(by: .milliseconds(100)) }

    /// Compares the cache with the source after all tasks have ended or wait for a change.
    func check() async {
        // Observed values may still have to be loaded after a failed load.
        for observer in state.withLock(\.observers).values where !observer.isFinished && !sourceFails {
            let version = version(observer.key)
            if observer.last != version {
                fault(
                    "an observer has \(observer.last.map(String.init) ?? "nothing") of \(observer.key), and not \(version)"
                )
            }
        }
        for observer in state.withLock(\.observers).values {
            observer.task.cancel()
            await observer.task.value
        }
        // An observer leaves in a separate task.
        for _ in 1...1_000 where dispatcher.cache.observerCount > 0 { await Task.yield() }
        if dispatcher.cache.observerCount > 0 { fault("observers are left") }
        try? await dispatcher.cache.flush()
        await check(dispatcher, "at rest")
        // A value that the store could not remove may be found by the next process.
        guard !storeFails, let next = try? Self.launch(source, store, clock) else {
            return source.cache.withLock { $0 = nil }
        }
        source.cache.withLock { $0 = next }
        await check(next, "in the next launch")
        source.cache.withLock { $0 = nil }
    }

    private func check(_ dispatcher: CachingDispatcher, _ when: String) async {
        for key in 0...Self.sum {
            let version = version(key)
            if let result = try? await result(key, .cacheOnly, dispatcher), !result.isStale, result.value != version {
                fault("\(when), version \(result.value) of \(key) is fresh, and not \(version)")
            }
            if let result = try? await result(key, .cacheFirst, dispatcher), !(result.isStale && sourceFails),
                result.value != version
            {
                fault("\(when), version \(result.value) of \(key) is loaded, and not \(version)")
            }
        }
    }
}

/// Makes random decisions.
final class Chance: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(_ generator: SeededGenerator) {
        self.generator = Mutex(generator)
    }

    func isOneIn(_ count: Int) -> Bool { generator.withLock { Int.random(in: 0..<count, using: &$0) == 0 } }
}
