#if NATS
    import ClusterChaosNode
    import DuetCluster
    import DuetClusterEngine
    import Foundation
    import Synchronization

    /// The size of the long runs, which environment variables set.
    enum ChaosSize {
        static let isEnabled = ProcessInfo.processInfo.environment["DUET_CHAOS"] != nil
        static let commands = number("DUET_CHAOS_COMMANDS") ?? 20_000
        static let queries = number("DUET_CHAOS_QUERIES") ?? 60_000
        static let seed = number("DUET_CHAOS_SEED").map(UInt64.init) ?? UInt64.random(in: 0..<1_000_000)

        private static func number(_ name: String) -> Int? {
            ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
        }
    }

    /// A task that runs beside an operation.
    ///
    /// - Returns: The value of the operation, after the task was canceled and has ended.
    func with<Value: Sendable>(
        task: @escaping @Sendable @concurrent () async throws -> Void,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await task()
                } catch is CancellationError {
                    // The operation has ended.
                }
            }
            let value = try await operation()
            group.cancelAll()
            try await group.waitForAll()
            return value
        }
    }

    /// An engine that counts the queries which it could not carry.
    struct CountingEngine: ClusterEngine, QueryTransport {
        let engine: any ClusterEngine
        let failures = Counter()

        var queries: any QueryTransport { self }
        var commands: any CommandLog { engine.commands }
        var backplane: any Backplane { engine.backplane }

        func ask(_ route: String, _ request: Envelope, timeout: Duration) async throws -> Envelope {
            do {
                return try await engine.queries.ask(route, request, timeout: timeout)
            } catch {
                failures.add()
                throw error
            }
        }

        func serve(
            _ route: String,
            limit: Int,
            _ handler: @escaping @Sendable @concurrent (Envelope) async -> Envelope
        ) async throws -> any Registration {
            try await engine.queries.serve(route, limit: limit, handler)
        }
    }

    final class Counter: Sendable {
        private let state = Mutex(0)

        var count: Int { state.withLock { $0 } }

        func add() { state.withLock { $0 += 1 } }
    }
#endif
