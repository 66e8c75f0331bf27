import Duet
import DuetCaching
import DuetTesting
import Foundation
import Testing

/// Compares the observed value with a replay of the changes of running and successful commands.
@Suite(.timeLimit(.minutes(30)))
struct OptimisticUpdateModelTests {
    @Test(arguments: 1...4)
    func `any commands may fail, and all may end in any order`(count: Int) async throws {
        for order in permutations(Array(1...count)) {
            for failures in 0..<(1 << count) { try await run(order, failures) }
        }
    }

    @Test func `any of five commands may fail`() async throws {
        let seed = modelSeed ?? UInt64.random(in: 0..<1_000_000)
        var random = SeededGenerator(seed: seed)
        for failures in 0..<32 {
            for _ in 0..<6 { try await run((1...5).shuffled(using: &random), failures, "MODEL_SEED=\(seed): ") }
        }
    }

    /// Dispatches commands in ascending order, and ends them in another order.
    ///
    /// - Parameter failures: The bits of the commands that fail.
    private func run(_ order: [Int], _ failures: Int, _ prefix: String = "") async throws {
        let clock = ManualClock()
        let world = try ListWorld(clock: clock)
        var states = world.states()
        while await states.next()?.value != [0] {}
        world.server.holdsLoads = true
        var commands: [Int: Task<Void, any Error>] = [:]
        var survivors: [Int] = []
        for item in order.sorted() {
            commands[item] = try await world.begin(item)
            survivors.append(item)
            #expect(await states.next()?.value == [0] + survivors)
        }
        for (index, item) in order.enumerated() {
            let fails = failures & (1 << (item - 1)) != 0
            if fails { survivors.removeAll { $0 == item } }
            // Each load that a command causes begins at once.
            clock.advance(by: .seconds(1))
            if let command = commands[item] { await world.finish(item, command, succeeds: !fails) }
            let state = await states.next()
            let step = "\(prefix)\(order.prefix(index + 1)) of \(order.sorted()) have ended, failures: \(failures)"
            #expect(state?.value == [0] + survivors, "\(step)")
            #expect(state?.isOptimistic == !survivors.isEmpty, "\(step)")
        }
        world.server.holdsLoads = false
        var state = await states.next()
        while state?.isLoading == true { state = await states.next() }
        #expect(state?.value == world.server.items, "\(prefix)\(order), failures: \(failures)")
        #expect(state?.isOptimistic == false)
    }

    private func permutations(_ items: [Int]) -> [[Int]] {
        guard !items.isEmpty else { return [[]] }
        return items.flatMap { first in permutations(items.filter { $0 != first }).map { [first] + $0 } }
    }

    /// Checks guarantees that do not depend on the order in which concurrent commands and loads end.
    @Test func `a change that an observer has seen stays until a load contains it`() async throws {
        for round in 0..<100 {
            let world = try ListWorld {
                Cache(LoadList.self, .untilInvalidated)
                Invalidate(LoadList.self, after: Append.self)
                OptimisticUpdate(LoadList.self, by: Append.self) { items, _, command in
                    if !items.contains(command.item) { items.append(command.item) }
                }
            }
            let survivors = Set(1...8).filter { ($0 + round) % 3 != 0 }
            for item in 1...8 { world.server.finish(item, succeeds: survivors.contains(item)) }
            let observer = Task {
                var seen: [[Int]] = []
                for await state in world.dispatcher.observe(LoadList()) {
                    seen.append(state.value ?? [])
                    if !state.isOptimistic, !state.isLoading, survivors.isSubset(of: state.value ?? []) { break }
                }
                return seen
            }
            while world.dispatcher.cache.observerCount == 0 { await Task.yield() }
            await withTaskGroup { group in
                for item in 1...8 {
                    group.addTask { try? await world.dispatcher.dispatch(Append(item: item)) }
                    group.addTask { world.dispatcher.cache.refreshObserved() }
                }
            }
            let seen = await observer.value
            #expect(seen.allSatisfy { Set($0).count == $0.count }, "\(seen)")
            for (old, new) in zip(seen, seen.dropFirst()) {
                #expect(survivors.intersection(old).isSubset(of: new), "\(seen)")
            }
        }
    }

    @Test func `the observed value is a replay on the value that was loaded last`() async throws {
        try await Simulation.runAll()
    }
}

// MARK: The model

private struct Model {
    struct Load {
        let id: Int
        let items: [Int]
        /// The number of successful commands when it began.
        var successes = 0
        var isOutdated = false
    }

    struct Change {
        let item: Int
        /// The number of successful commands with this one; nil while it runs.
        var success: Int?
    }

    /// The value that was loaded last.
    var base: [Int]?
    /// Whether the base is fresh.
    var isFresh = false
    /// The changes that are shown, in the order of their dispatch.
    var changes: [Change] = []
    var loads: [Load] = []
    private var successes = 0
    /// The last load that has begun, and the last one that began before the base arrived.
    private var (lastLoad, newestLoad) = (0, 0)

    var running: [Int] { changes.filter { $0.success == nil }.map(\.item) }
    var value: [Int]? { base.map { $0 + changes.map(\.item) } }
    var isOptimistic: Bool { base != nil && !changes.isEmpty }
    /// Whether another load begins.
    ///
    /// An observer loads a value that is not fresh, and so does the end of a load.
    private(set) var needsLoad = true

    mutating func begin(_ load: Load) {
        loads.append(load)
        loads[loads.count - 1].successes = successes
        lastLoad = load.id
        needsLoad = false
    }

    /// Begins a load, unless one is running.
    mutating func load(unlessFresh: Bool = false) {
        needsLoad = loads.allSatisfy(\.isOutdated) && !(unlessFresh && isFresh)
    }

    mutating func invalidate() {
        isFresh = false
        needsLoad = true
        for index in loads.indices { loads[index].isOutdated = true }
    }

    mutating func end(_ item: Int, succeeds: Bool) {
        guard let index = changes.firstIndex(where: { $0.item == item }) else { return }
        if succeeds {
            successes += 1
            changes[index].success = successes
        } else {
            changes.remove(at: index)
        }
        invalidate()
    }

    mutating func removeAll() {
        base = nil
        newestLoad = lastLoad
        changes.removeAll { $0.success != nil }
        invalidate()
    }

    mutating func finish(_ load: Load, succeeds: Bool) {
        loads.removeAll { $0.id == load.id }
        // A load that is not outdated contains all commands that have ended.
        if succeeds, !load.isOutdated || load.id > newestLoad {
            base = load.items
            newestLoad = lastLoad
            isFresh = !load.isOutdated
            changes.removeAll { $0.success.map { $0 <= load.successes } ?? false }
        }
        if !succeeds || load.isOutdated { self.load(unlessFresh: true) }
    }
}

// MARK: The simulation

/// A cache with an observer, and a model that takes the same steps.
private struct Simulation: ModelSimulation {
    private enum End: CaseIterable {
        case success, failure, cancellation
    }

    private var random: SeededGenerator
    private var model = Model()
    private let clock = ManualClock()
    private let world: ListWorld
    private let observer: QueryStates<[Int]>.AsyncIterator
    private var commands: [Int: Task<Void, any Error>] = [:]
    private var readers: [Int: Task<[Int], any Error>] = [:]
    private var lastItem = 0
    private(set) var steps: [String] = []
    private(set) var difference: String?

    init(_ seed: UInt64) async throws {
        random = SeededGenerator(seed: seed)
        world = try ListWorld(clock: clock)
        world.server.holdsLoads = true
        observer = world.states()
        try await awaitLoad()
    }

    mutating func step() async throws {
        // Each load that an invalidation causes begins at once.
        clock.advance(by: .seconds(1))
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<5: try await begin()
        case 5..<11: await end(End.allCases.randomElement(using: &random) ?? .success)
        case 11..<15: try await finishLoad(succeeds: true)
        case 15, 16: try await finishLoad(succeeds: false)
        case 17: change()
        case 18: refresh()
        default: try await removeAll()
        }
        try await check()
        // The observer of the check has begun a load of a value that is not fresh.
        if model.needsLoad { try await awaitLoad() }
    }

    /// Ends all loads and commands, so that no task outlives the test.
    mutating func end() async {
        world.server.holdsLoads = false
        for (item, command) in commands { await world.finish(item, command) }
        for reader in readers.values { _ = await reader.result }
    }

    private mutating func check() async throws {
        let state = try await world.state()
        guard state.value != model.value || state.isOptimistic != model.isOptimistic else { return }
        difference = """
            expected \(String(describing: model.value)) (optimistic: \(model.isOptimistic)), \
            found \(String(describing: state.value)) (optimistic: \(state.isOptimistic))
            """
    }

    private mutating func begin() async throws {
        lastItem += 1
        steps.append("begin \(lastItem)")
        commands[lastItem] = try await world.begin(lastItem)
        model.changes.append(Model.Change(item: lastItem))
    }

    private mutating func end(_ end: End) async {
        guard let item = commands.keys.sorted().randomElement(using: &random),
            let command = commands.removeValue(forKey: item)
        else { return }
        steps.append("end \(item) with \(end)")
        if end == .cancellation { command.cancel() } else { world.server.finish(item, succeeds: end == .success) }
        _ = await command.result
        model.end(item, succeeds: end == .success)
    }

    /// Waits for a load, and adds a reader to it, which returns after the load has ended.
    private mutating func awaitLoad() async throws {
        let load = try await world.server.nextLoad()
        model.begin(Model.Load(id: load.id, items: load.items))
        let coalesced = world.dispatcher.cache.statistics(of: LoadList.self).coalesced
        readers[load.id] = Task { [world] in
            try await world.dispatcher.read(LoadList(), .fresh).value
        }
        while world.dispatcher.cache.statistics(of: LoadList.self).coalesced == coalesced { await Task.yield() }
    }

    private mutating func finishLoad(succeeds: Bool) async throws {
        guard let load = model.loads.randomElement(using: &random) else { return }
        steps.append("load \(load.id) (\(load.items)) \(succeeds ? "succeeds" : "fails")")
        world.server.finish(load: load.id, succeeds: succeeds)
        _ = await readers.removeValue(forKey: load.id)?.result
        model.finish(load, succeeds: succeeds)
    }

    /// Changes the list on the server without a command.
    private mutating func change() {
        lastItem += 1
        steps.append("add \(lastItem) on the server")
        world.server.items.append(lastItem)
    }

    private mutating func refresh() {
        steps.append("refresh")
        world.dispatcher.cache.refreshObserved()
        model.load()
    }

    private mutating func removeAll() async throws {
        steps.append("remove all")
        try await world.dispatcher.cache.removeAll()
        model.removeAll()
    }
}
