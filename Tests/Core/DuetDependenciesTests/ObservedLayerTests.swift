import Duet
import DuetDependencies
import Testing

/// Layers that report changes, in a container's dispatcher.
@Suite struct ObservedLayerTests {
    /// Reports the values 1 and 2 of each `GetName`, as text.
    private struct Reporting: Middleware {
        func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
            try await next.dispatch(message)
        }

        func isLive<Q: Query>(_ query: Q.Type, next: some Dispatcher) -> Bool { query == GetName.self }

        func updates<Q: Query>(of query: Q, next: some Dispatcher) -> QueryStates<Q.Value>? where Q.Value: Sendable {
            guard query is GetName else { return nil }
            return QueryStates {
                var names = ["Ada", "Grace"].makeIterator()
                var state = QueryState<Q.Value>()
                return {
                    guard let name = names.next() as? Q.Value else { return nil }
                    state.show(name)
                    return state
                }
            }
        }
    }

    private struct Forwarding: Middleware {
        func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
            try await next.dispatch(message)
        }
    }

    private func dispatcher(_ prepare: (ContainerBuilder) -> Void) async throws -> any Dispatcher {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { LiveApi() }
        prepare(builder)
        builder.handlers { GetNameHandler.self }
        return try await builder.build().dispatcher
    }

    private func names(_ dispatcher: any Dispatcher) async throws -> [String] {
        var names: [String] = []
        for try await name in dispatcher.observe(GetName()).values { names.append(name) }
        return names
    }

    @Test func `a dispatcher reports what a layer reports, behind other layers`() async throws {
        let dispatcher = try await dispatcher {
            $0.middleware(ValidationMiddleware())
            $0.middleware(Reporting())
            $0.middleware(Forwarding())
        }
        #expect(dispatcher.isLive(GetName.self))
        #expect(try await names(dispatcher) == ["Ada", "Grace"])
    }

    @Test func `a layer that the container creates reports before and after the first message`() async throws {
        let dispatcher = try await dispatcher { $0.middleware { (_: any Api) in Reporting() } }
        #expect(dispatcher.isLive(GetName.self))
        #expect(try await names(dispatcher) == ["Ada", "Grace"])
        _ = try await dispatcher.dispatch(GetName())
        #expect(dispatcher.isLive(GetName.self))
        #expect(try await names(dispatcher) == ["Ada", "Grace"])
    }

    @Test func `a dispatcher without such a layer reports nothing`() async throws {
        let dispatcher = try await dispatcher { $0.middleware { (_: any Api) in Forwarding() } }
        #expect(!dispatcher.isLive(GetName.self))
        await #expect(throws: UnobservableQuery(GetName.self)) { try await names(dispatcher) }
    }
}
