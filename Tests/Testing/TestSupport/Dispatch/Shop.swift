#if Cluster

    package import Duet
    package import DuetCluster
    import DuetContext
    package import DuetTesting
    package import Synchronization

    extension ClusterOptions {
        /// Options of senders whose time does not end within a test.
        package static var patient: ClusterOptions {
            ClusterOptions(timeout: .seconds(3_600), attemptTimeout: .seconds(3_600))
        }
    }

    /// The state of the nodes in tests of clusters, which they share as they would share a database.
    package final class Shop: Sendable {
        package struct State: Sendable {
            package var stock: [String: Int] = [:]
            package var handled: [String] = []
            /// The errors of the next attempts to add stock.
            package var failures: [any Error] = []
            package var loads = 0
        }

        package let state = Mutex(State())
        /// Holds the handlers of `LoadStock(item: "slow")` and `AddStock(item: "slow", …)`.
        package let gate = Gate()
        package let canceled = Gate()

        package init() {}

        /// Each added stock, as the item, the count, and the idempotency key.
        package var handled: [String] { state.withLock(\.handled) }

        package var loads: Int { state.withLock(\.loads) }

        package func dispatcher() throws -> StandardDispatcher {
            try StandardDispatcher {
                LoadStockHandler(shop: self)
                LoadCallerHandler()
                AddStockHandler(shop: self)
                BreakShelfHandler()
                CountStockHandler()
            }
        }

        package static let messages = MessageAPI("open", authorized: .open) {
            LoadStock.self
            LoadCaller.self
            AddStock.ordered(by: \.item)
            BreakShelf.ordered(by: \.item)
        }
    }

    package struct LoadStock: Query, Codable, Hashable {
        package typealias Value = Int

        package let item: String

        package init(item: String) { self.item = item }
    }

    /// Returns what travels beside it.
    package struct LoadCaller: Query, Codable {
        package typealias Value = [String]

        package init() {}
    }

    package struct AddStock: Command, Codable {
        package static var declaredErrors: [any DeclaredError.Type] { [NegativeStock.self] }

        package let item: String
        package let count: Int

        package init(item: String, count: Int) {
            self.item = item
            self.count = count
        }
    }

    /// Always fails.
    package struct BreakShelf: Command, Codable {
        package let item: String

        package init(item: String) { self.item = item }
    }

    /// Only a node that handles it knows it.
    package struct CountStock: Command {
        package let item: String

        package init(item: String) { self.item = item }
    }

    /// Nobody handles it.
    package struct CloseShop: Command, Codable {
        package init() {}
    }

    package struct NegativeStock: DeclaredError, Equatable {
        package let item: String

        package init(item: String) { self.item = item }
    }

    package struct ShelfFull: Error {
        package init() {}
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
            if command.item == "slow" { try await shop.gate.pass() }
            let key = IdempotencyKey.asSent ?? ""
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
        func handle(_ command: BreakShelf) async throws { throw ShelfFull() }
    }

    private struct CountStockHandler: CommandHandler {
        func handle(_ command: CountStock) async throws {}
    }

#endif
