import Duet
import DuetClusterEngine
import Synchronization

extension InProcessNode: QueryTransport {
    func ask(_ route: String, _ request: Envelope, timeout: Duration) async throws -> Envelope {
        try connection.check()
        try hub.limit.check(request)
        try Task.checkCancellation()
        guard let server = hub.routes.next(of: route) else { throw TransportError.noNode(route: route) }
        let result = Monitor<Result<Envelope, any Error>?>(nil)
        let work = Task.begunDetached {
            guard let response = await server.answer(request) else { return }
            result.update { $0 = $0 ?? .success(response) }
        }
        // Most handlers that do not suspend have ended.
        if result.read({ $0 == nil }) {
            let end: @Sendable (any Error) -> Void = { error in
                result.update { $0 = $0 ?? .failure(error) }
                work.cancel()
            }
            let timer = DelayedCall(after: timeout, clock: hub.clock) {
                end(TransportError.timedOut(route: route, after: timeout))
            }
            let closing = connection.whenClosed { end(InProcessConnection.lost) }
            // The caller of a lost node waits until its time is up.
            let serverClosing = server.connection.whenClosed { work.cancel() }
            defer {
                timer.cancel()
                connection.forget(closing)
                server.connection.forget(serverClosing)
            }
            await withTaskCancellationHandler {
                await result.waitEvenIfCanceled { $0 != nil }
            } onCancel: {
                end(CancellationError())
            }
        }
        guard let response = try result.read(\.self)?.get() else { throw CancellationError() }
        try hub.limit.check(response)
        return response
    }

    func serve(
        _ route: String,
        limit: Int,
        _ handler: @escaping EnvelopeHandler
    ) async throws -> any Registration {
        try connection.check()
        let server = InProcessQueryServer(connection, limit: limit, handler)
        hub.routes.add(server, to: route)
        return ServedRoute(route: route, server: server, routes: hub.routes)
    }
}

extension Task where Success == Void, Failure == Never {
    /// Begins on this thread where the system supports that: waking another one costs more than most handlers.
    ///
    /// It is detached, because the values of the caller's task would not reach another process.
    fileprivate static func begunDetached(_ operation: @escaping @Sendable @concurrent () async -> Void) -> Task {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            immediateDetached { await operation() }
        } else {
            detached { await operation() }
        }
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

/// Handles the queries of one route on one node, a limited number of them concurrently.
final class InProcessQueryServer: Sendable {
    private struct State {
        /// The number of queries that were taken and have not ended.
        var taken = 0
        var running = 0
        var isStopped = false
        var isLost = false
    }

    let connection: InProcessConnection
    private let limit: Int
    private let handler: EnvelopeHandler
    private let state = Monitor(State())

    init(
        _ connection: InProcessConnection,
        limit: Int,
        _ handler: @escaping EnvelopeHandler
    ) {
        self.connection = connection
        self.limit = max(1, limit)
        self.handler = handler
    }

    /// Takes a query, for ``answer(_:)``, unless the server was stopped or its node was lost.
    func take() -> Bool {
        state.update { state in
            guard !state.isStopped, connection.isOpen else { return false }
            state.taken += 1
            return true
        }
    }

    /// Handles a query that was taken, when it is its turn.
    ///
    /// - Returns: The response; nil for a query that was canceled before its turn, and from a lost node.
    func answer(_ request: Envelope) async -> Envelope? {
        let begin: @Sendable (inout State) -> Void? = { [limit] state in
            guard state.running < limit else { return nil }
            state.running += 1
            return ()
        }
        guard (try? await state.wait(for: begin)) != nil else {
            state.update { $0.taken -= 1 }
            return nil
        }
        let response = await handler(request)
        state.update { state in
            state.taken -= 1
            state.running -= 1
        }
        return connection.isOpen ? response : nil
    }

    /// Takes no further query, and waits until the others have ended, or the node was lost.
    func stop() async {
        state.update { $0.isStopped = true }
        let closing = connection.whenClosed { [state] in state.update { $0.isLost = true } }
        await state.waitEvenIfCanceled { $0.taken == 0 || $0.isLost }
        connection.forget(closing)
    }
}

/// The servers of each route, with the next one first.
final class QueryRoutes: Sendable {
    private let servers = Mutex<[String: [InProcessQueryServer]]>([:])

    func add(_ server: InProcessQueryServer, to route: String) {
        servers.withLock { $0[route, default: []].append(server) }
    }

    func remove(_ server: InProcessQueryServer, from route: String) {
        servers.withLock { servers in
            servers[route]?.removeAll { $0 === server }
            if servers[route]?.isEmpty == true { servers[route] = nil }
        }
    }

    /// A server of a route that has taken a query; nil if no node serves the route.
    func next(of route: String) -> InProcessQueryServer? {
        servers.withLock { servers in
            while let server = servers[route]?.first {
                servers[route]?.removeFirst()
                // Those of lost nodes leave.
                guard server.take() else { continue }
                servers[route]?.append(server)
                return server
            }
            servers[route] = nil
            return nil
        }
    }
}
