import Duet
import DuetDependencies
import FeedAPI

/// Answers a query by asking the server.
struct RemoteQueryHandler<Q: Query>: QueryHandler, Resolvable {
    private let server: RemoteDispatcher

    static var dependencies: [Dependency] { [Dependency(RemoteDispatcher.self)] }

    init(from scope: Scope) async throws {
        server = try await scope.resolve()
    }

    func handle(_ query: Q) async throws -> Q.Value {
        try await server.dispatch(query)
    }
}
