import Duet
import DuetClusterEngine

/// Handles the queries of one route on one node, a limited number of them at the same time.
final class InProcessQueryServer: Sendable {
    private struct State {
        var running: [ObjectIdentifier: PendingQuery] = [:]
        var waiting = FIFOQueue<PendingQuery>()
        var isStopped = false
    }

    private enum Admission { case refused, started, waiting }

    let connection: InProcessConnection
    private let limit: Int
    private let handler: @Sendable @concurrent (Envelope) async -> Envelope
    private let state = Monitor(State())

    init(
        _ connection: InProcessConnection,
        limit: Int,
        _ handler: @escaping @Sendable @concurrent (Envelope) async -> Envelope
    ) {
        self.connection = connection
        self.limit = max(1, limit)
        self.handler = handler
    }

    /// Handles a query, at once or when others have ended.
    ///
    /// - Returns: False if the server was stopped.
    func take(_ query: PendingQuery) -> Bool {
        query.setServer(self)
        let admission: Admission = state.update { state in
            if state.isStopped { return .refused }
            if state.running.count < limit {
                state.running[ObjectIdentifier(query)] = query
                return .started
            }
            state.waiting.append(query)
            return .waiting
        }
        // The handler begins on this thread where the system supports that; waking another would cost more than most
        // handlers. It is detached, because the values of the caller's task would not reach another process.
        if admission == .started {
            if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                query.setTask(Task.immediateDetached { [self] in await handle(query) })
            } else {
                query.setTask(Task.detached { [self] in await handle(query) })
            }
        }
        return admission != .refused
    }

    /// Takes no further query, and waits until the others have ended.
    func stop() async {
        state.update { $0.isStopped = true }
        await state.waitEvenIfCanceled { $0.running.isEmpty && $0.waiting.isEmpty }
    }

    /// Cancels all handlers, and leaves their callers waiting.
    func lose() {
        let running = state.update { state in
            defer { state = State(isStopped: true) }
            return Array(state.running.values)
        }
        for query in running { query.cancelHandler() }
    }

    /// Ends the queries that a node has sent.
    func endQueries(from caller: InProcessConnection) {
        let queries = state.update { state in
            var queries = state.running.values.filter { $0.caller === caller }
            state.waiting.removeAll { query in
                if query.caller === caller { queries.append(query) }
                return query.caller === caller
            }
            return queries
        }
        for query in queries { query.abandon(throwing: InProcessConnection.lost) }
    }

    /// Removes a query that is not being handled yet.
    func removeWaiting(_ query: PendingQuery) {
        state.update { state in
            guard !state.waiting.isEmpty, state.running[ObjectIdentifier(query)] == nil else { return }
            state.waiting.removeAll { $0 === query }
        }
    }

    @concurrent
    private func handle(_ query: PendingQuery) async {
        let response = await handler(query.request)
        let (isLost, next) = state.update { state in
            let isLost = state.running.removeValue(forKey: ObjectIdentifier(query)) == nil
            // A query that was abandoned just before it began to wait is still here.
            while state.running.count < limit, let next = state.waiting.popFirst() {
                guard !next.hasEnded else { continue }
                state.running[ObjectIdentifier(next)] = next
                return (isLost, next as PendingQuery?)
            }
            return (isLost, nil)
        }
        if let next { next.setTask(Task.detached { [self] in await handle(next) }) }
        if !isLost { query.end(.success(response)) }
    }
}
