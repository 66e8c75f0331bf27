import Duet
import DuetCaching
import DuetDependencies
import DuetTesting
import Testing

/// Tests of loads that outlive the scope in which they began.
@Suite(.timeLimit(.minutes(1))) struct JoinedScopeTests {
    private struct LoadNumber: Query, Hashable {
        typealias Value = Int
    }

    private struct NumberHandler: QueryHandler {
        func handle(_ query: LoadNumber) async throws -> Int { 7 }
    }

    /// Waits between the cache and the handler.
    private struct Waiting: Middleware {
        let gate: Gate

        func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
            try await gate.pass()
            return try await next.dispatch(message)
        }
    }

    @Test func `who joins a load gets its value, also if the scope of the first one has ended`() async throws {
        let (gate, builder) = (Gate(), ContainerBuilder())
        let cache = try QueryCache(in: .memory(limit: .entries(10))) {
            Cache(LoadNumber.self, .untilInvalidated, scope: .shared)
        }
        builder.transient { NumberHandler() }
        builder.middleware(cache, Waiting(gate: gate))
        builder.handlers { NumberHandler.self }
        let container = try builder.build()
        let scopes = [container.makeScope(), container.makeScope()]
        let dispatchers = [try await scopes[0].dispatcher, try await scopes[1].dispatcher]

        let first = Task { try await dispatchers[0].dispatch(LoadNumber()) }
        await gate.arrivals(1)
        let second = Task { try await dispatchers[1].dispatch(LoadNumber()) }
        while cache.statistics.values.allSatisfy({ $0.coalesced == 0 }) { await Task.yield() }
        await scopes[0].dispose()
        gate.open()

        #expect(try await second.value == 7)
        // It fails, unless the value of the second one has come meanwhile.
        _ = try? await first.value
        for scope in [scopes[1], container] { await scope.dispose() }
    }
}
