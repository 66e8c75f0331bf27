import DuetClusterEngine
import Synchronization

extension InProcessNode: QueryTransport {
    func ask(_ route: String, _ request: Envelope, timeout: Duration) async throws -> Envelope {
        try connection.check()
        try hub.limit.check(request)
        let query = PendingQuery(request, from: connection, timers: hub.timers)
        let response = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard query.begin(continuation) else { return }
                guard hub.routes.send(query, to: route) else {
                    return query.end(.failure(TransportError.noNode(route: route)))
                }
                query.end(after: timeout, throwing: .timedOut(route: route, after: timeout))
            }
        } onCancel: {
            query.abandon(throwing: CancellationError())
        }
        try hub.limit.check(response)
        return response
    }

    func serve(
        _ route: String,
        limit: Int,
        _ handler: @escaping @Sendable @concurrent (Envelope) async -> Envelope
    ) async throws -> any Registration {
        let server = InProcessQueryServer(connection, limit: limit, handler)
        try hub.routes.add(server, to: route)
        return ServedRoute(route: route, server: server, routes: hub.routes)
    }
}

private struct ServedRoute: Registration {
    let route: String
    let server: InProcessQueryServer
    let routes: QueryRoutes

    func stop() async {
        routes.remove(server, from: route)
        await server.stop()
    }
}

final class QueryRoutes: Sendable {
    private struct Route {
        var servers: [InProcessQueryServer] = []
        var next = 0

        mutating func pick() -> InProcessQueryServer {
            next = (next + 1) % servers.count
            return servers[next]
        }
    }

    private let routes = Mutex<[String: Route]>([:])

    func add(_ server: InProcessQueryServer, to route: String) throws {
        try routes.withLock { routes in
            // A connection is closed before its servers are removed.
            try server.connection.check()
            routes[route, default: Route()].servers.append(server)
        }
    }

    func remove(_ server: InProcessQueryServer, from route: String) {
        routes.withLock { routes in
            routes[route]?.servers.removeAll { $0 === server }
            if routes[route]?.servers.isEmpty == true { routes[route] = nil }
        }
    }

    /// Sends a query to a server of a route.
    ///
    /// - Returns: Whether there is one.
    func send(_ query: PendingQuery, to route: String) -> Bool {
        // A server is removed before it refuses queries, so that the loop ends.
        while let server = routes.withLock({ $0[route]?.pick() }) {
            if server.take(query) { return true }
        }
        return false
    }

    /// Removes the servers of a node, and ends the queries of the node.
    func lose(_ connection: InProcessConnection) {
        let (lost, others) = routes.withLock { routes in
            let servers = routes.values.flatMap(\.servers)
            for route in routes.keys {
                routes[route]?.servers.removeAll { $0.connection === connection }
                if routes[route]?.servers.isEmpty == true { routes[route] = nil }
            }
            return (servers.filter { $0.connection === connection }, servers.filter { $0.connection !== connection })
        }
        for server in others + lost { server.endQueries(from: connection) }
        for server in lost { server.lose() }
    }
}
