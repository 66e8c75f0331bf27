import Duet
import DuetCaching
import DuetCluster
import DuetContext
import DuetTesting
import ServiceContextModule
import Synchronization

struct LoadStock: Query, Codable, Hashable {
    typealias Value = Int

    let item: String
}

struct LoadCaller: Query, Codable {
    typealias Value = [String]
}

struct AddStock: Command, Codable {
    static var declaredErrors: [any DeclaredError.Type] { [NegativeStock.self] }

    let item: String
    let count: Int
}

struct BreakShelf: Command, Codable {
    let item: String
}

/// Only a node that handles it knows it.
struct CountStock: Command {
    let item: String
}

/// Nobody handles it.
struct CloseShop: Command, Codable {}

struct NegativeStock: DeclaredError, Equatable {
    let item: String
}

/// The state that all nodes share, as they would share a database.
final class Shop: Sendable {
    struct State: Sendable {
        var stock: [String: Int] = [:]
        var handled: [String] = []
        /// The errors of the next attempts to add stock.
        var failures: [any Error] = []
        var loads = 0
    }

    let state = Mutex(State())
    /// Holds the handlers of `LoadStock(item: "slow")`.
    let gate = Gate()
    let canceled = Gate()

    var handled: [String] { state.withLock(\.handled) }

    func dispatcher() throws -> StandardDispatcher {
        try StandardDispatcher {
            LoadStockHandler(shop: self)
            LoadCallerHandler()
            AddStockHandler(shop: self)
            BreakShelfHandler(shop: self)
            CountStockHandler()
        }
    }

    @ListBuilder<ClusterMessage> static var messages: [ClusterMessage] {
        LoadStock.self
        LoadCaller.self
        AddStock.ordered(by: \.item)
        BreakShelf.ordered(by: \.item)
    }
}

private struct LoadStockHandler: QueryHandler {
    let shop: Shop

    func handle(_ query: LoadStock) async throws -> Int {
        if query.item == "slow" {
            do {
                try await shop.gate.pass()
            } catch {
                shop.canceled.open()
                throw error
            }
        }
        if query.item == "missing" { throw NegativeStock(item: "missing") }
        return shop.state.withLock { state in
            state.loads += 1
            return state.stock[query.item] ?? 0
        }
    }
}

/// Returns what travelled beside the query.
private struct LoadCallerHandler: QueryHandler {
    func handle(_ query: LoadCaller) async throws -> [String] {
        let principal = Principal.current
        return [principal?.id ?? "nobody"] + (principal?.scopes.sorted() ?? [])
            + [Deadline.current.map { $0.remaining > .zero ? "in time" : "late" } ?? "no deadline"]
    }
}

private struct AddStockHandler: CommandHandler {
    let shop: Shop

    func handle(_ command: AddStock) async throws {
        let key = IdempotencyKey.current(for: AddStock.self) ?? ""
        try shop.state.withLock { state in
            if !state.failures.isEmpty { throw state.failures.removeFirst() }
            let count = (state.stock[command.item] ?? 0) + command.count
            guard count >= 0 else { throw NegativeStock(item: command.item) }
            state.stock[command.item] = count
            state.handled.append("\(command.item) \(command.count) \(key)")
        }
    }
}

private struct BreakShelfHandler: CommandHandler {
    let shop: Shop

    func handle(_ command: BreakShelf) async throws { throw ShelfFull() }
}

private struct CountStockHandler: CommandHandler {
    func handle(_ command: CountStock) async throws {}
}

struct ShelfFull: Error {}
