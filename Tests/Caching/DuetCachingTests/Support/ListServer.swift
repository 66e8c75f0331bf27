import Duet
import DuetCaching
import DuetTesting

struct LoadList: Query, Hashable, Codable {
    typealias Value = [Int]
    var name = "home"
}

/// Appends an item to a list.
struct Append: Command {
    let item: Int
    var list = "home"
    /// An object that exists as long as the command does.
    var token: Token?

    final class Token: Sendable {}
}

/// A dispatcher in place of a server, which lets a test decide how and when each command and each load ends.
final class ListServer: Dispatcher {
    struct Load: Sendable {
        let id: Int
        /// The list when the load began.
        let items: [Int]
    }

    private struct State: Sendable {
        var lists: [String: [Int]] = ["home": [0]]
        var holdsLoads = false
        var isFailing = false
        var lastLoad = 0
        var arrivedLoads: [Load] = []
        var loadOutcomes: [Int: Bool] = [:]
        var arrivedCommands: Set<Int> = []
        var commandOutcomes: [Int: Bool] = [:]
    }

    private let monitor = Monitor(State())

    var loads: Int { monitor.read(\.lastLoad) }

    var items: [Int] {
        get { monitor.read { $0.lists["home"] ?? [] } }
        set { monitor.update { $0.lists["home"] = newValue } }
    }

    /// Whether loads wait for ``finish(load:succeeds:)``, or until this is false.
    var holdsLoads: Bool {
        get { monitor.read(\.holdsLoads) }
        set { monitor.update { $0.holdsLoads = newValue } }
    }

    /// Whether loads fail that do not wait.
    var isFailing: Bool {
        get { monitor.read(\.isFailing) }
        set { monitor.update { $0.isFailing = newValue } }
    }

    /// Waits for the next load that is held.
    func nextLoad() async throws -> Load {
        try await monitor.wait { $0.arrivedLoads.isEmpty ? nil : $0.arrivedLoads.removeFirst() }
    }

    func finish(load: Int, succeeds: Bool = true) { monitor.update { $0.loadOutcomes[load] = succeeds } }

    /// Waits until a command has arrived.
    func arrival(of item: Int) async throws {
        try await monitor.wait { $0.arrivedCommands.contains(item) ? () : nil }
    }

    /// Ends the command with an item, which changes the list if it succeeds.
    func finish(_ item: Int, succeeds: Bool = true) { monitor.update { $0.commandOutcomes[item] = succeeds } }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        if let command = message as? Append {
            try await append(command.item, to: command.list)
        }
        if let done = () as? M.Value { return done }
        guard let value = try await load((message as? LoadList)?.name ?? "home") as? M.Value else {
            throw NoConnection()
        }
        return value
    }

    private func append(_ item: Int, to list: String) async throws {
        monitor.update { _ = $0.arrivedCommands.insert(item) }
        let succeeds = try await monitor.wait { state -> Bool? in
            guard let succeeds = state.commandOutcomes.removeValue(forKey: item) else { return nil }
            if succeeds { state.lists[list, default: []].append(item) }
            return succeeds
        }
        guard succeeds else { throw NoConnection() }
    }

    private func load(_ name: String) async throws -> [Int] {
        let load = monitor.update { state in
            state.lastLoad += 1
            let load = Load(id: state.lastLoad, items: state.lists[name] ?? [])
            if state.holdsLoads { state.arrivedLoads.append(load) }
            return load
        }
        let succeeds = try await monitor.wait { state in
            state.loadOutcomes[load.id] ?? (state.holdsLoads ? nil : !state.isFailing)
        }
        guard succeeds else { throw NoConnection() }
        return load.items
    }
}

/// A server behind a cache whose observers see each item before the server has it.
struct ListWorld {
    let server = ListServer()
    let dispatcher: CachingDispatcher

    init(
        in memory: CacheMemory = .memory(limit: .entries(100)),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws {
        try self.init(in: memory, clock: clock) {
            Cache(LoadList.self, .untilInvalidated)
            Invalidate(LoadList.self, after: Append.self) { $0.name == $1.list }
            OptimisticUpdate(LoadList.self, by: Append.self) { items, query, command in
                if query.name == command.list { items.append(command.item) }
            }
        }
    }

    init(
        in memory: CacheMemory = .memory(limit: .entries(100)),
        clock: any Clock<Duration> = ContinuousClock(),
        @ListBuilder<CacheRule> rules: () -> [CacheRule]
    ) throws {
        dispatcher = try server.caching(in: memory, clock: clock, rules)
    }

    func states(_ name: String = "home") -> QueryStates<[Int]>.AsyncIterator {
        dispatcher.observe(LoadList(name: name)).makeAsyncIterator()
    }

    /// Returns the current state, as a new observer receives it.
    func state() async throws -> QueryState<[Int]> {
        var states = states()
        guard let state = await states.next() else { throw CancellationError() }
        return state
    }

    /// Begins a command, and returns when the server has it.
    func begin(_ command: Append) async throws -> Task<Void, any Error> {
        let task = Task { try await dispatcher.dispatch(command) }
        try await server.arrival(of: command.item)
        return task
    }

    func begin(_ item: Int) async throws -> Task<Void, any Error> { try await begin(Append(item: item)) }

    /// Ends a command, and returns when its rules were carried out.
    func finish(_ item: Int, _ task: Task<Void, any Error>, succeeds: Bool = true) async {
        server.finish(item, succeeds: succeeds)
        _ = await task.result
    }
}
