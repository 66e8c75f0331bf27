import Duet
import DuetDependencies
import Testing

/// Layers that report changes, in a container's dispatcher.
@Suite struct LiveMiddlewareTests {
    /// Reports the values 1 and 2 of each `GetName`, as text.
    private struct Reporting: LiveMiddleware {
        func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
            try await next.dispatch(message)
        }

        func isLive<Q: Query>(_ query: Q.Type) -> Bool { query == GetName.self }

        func updates<Q: Query>(of query: Q, next: any Dispatcher) -> QueryUpdates<Q.Value>? where Q.Value: Sendable {
            guard query is GetName else { return nil }
            return QueryUpdates {
                var names = ["Ada", "Grace"].makeIterator()
                return { (names.next() as? Q.Value).map { .value($0) } }
            }
        }
    }

    private struct Forwarding: Middleware {
        func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
            try await next.dispatch(message)
        }
    }

    private func dispatcher(_ prepare: (ContainerBuilder) -> Void) async throws -> any LiveDispatcher {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { LiveApi() }
        prepare(builder)
        builder.handlers { GetNameHandler.self }
        return try #require(try await builder.build().dispatcher as? any LiveDispatcher)
    }

    private func names(_ dispatcher: any LiveDispatcher) async -> [String]? {
        guard let updates = dispatcher.updates(of: GetName()) else { return nil }
        var names: [String] = []
        for await case .value(let name) in updates { names.append(name) }
        return names
    }

    @Test func `a dispatcher reports what a layer reports, behind other layers`() async throws {
        let dispatcher = try await dispatcher {
            $0.middleware(.validation)
            $0.middleware(Reporting())
            $0.middleware(Forwarding())
        }
        #expect(dispatcher.isLive(GetName.self))
        #expect(await names(dispatcher) == ["Ada", "Grace"])
    }

    @Test func `a layer that the container creates reports before and after the first message`() async throws {
        let dispatcher = try await dispatcher { $0.middleware { (_: any Api) in Reporting() } }
        #expect(await names(dispatcher) == ["Ada", "Grace"])
        _ = try await dispatcher.dispatch(GetName())
        #expect(dispatcher.isLive(GetName.self))
        #expect(await names(dispatcher) == ["Ada", "Grace"])
    }

    @Test func `a dispatcher without such a layer reports nothing`() async throws {
        let dispatcher = try await dispatcher { $0.middleware { (_: any Api) in Forwarding() } }
        #expect(!dispatcher.isLive(GetName.self))
        #expect(await names(dispatcher) == nil)
    }
}
