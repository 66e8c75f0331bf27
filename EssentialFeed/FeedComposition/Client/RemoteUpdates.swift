import Duet
import FeedAPI

/// Reports the changes that the server reports, to the cache in front of it.
struct RemoteUpdates: Middleware {
    let server: RemoteDispatcher

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        try await next.dispatch(message)
    }

    func isLive<Q: Query>(_ query: Q.Type, next: some Dispatcher) -> Bool { server.isLive(query) }

    func updates<Q: Query>(of query: Q, next: some Dispatcher) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        server.updates(of: query)
    }
}
