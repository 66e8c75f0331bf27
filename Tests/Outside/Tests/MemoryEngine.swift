import DuetCluster
import DuetClusterEngine
import Foundation

/// A node of a cluster in this process, with one actor each for queries, commands and events.
struct MemoryEngine: ClusterEngine {
    /// The parts that all nodes share.
    struct Hub: Sendable {
        fileprivate let routes = Routes()
        let log = MemoryLog()
        fileprivate let events = Events()
    }

    private let hub: Hub
    private let node = UUID()

    init(_ hub: Hub) {
        self.hub = hub
    }

    var queries: any QueryTransport { MemoryNode(hub: hub, id: node) }
    var commands: any CommandLog { MemoryNode(hub: hub, id: node) }
    var backplane: any Backplane { MemoryNode(hub: hub, id: node) }

    /// Ends the node without finishing anything.
    func disconnect() async {
        await hub.routes.lose(node)
        await hub.log.lose(node)
        await hub.events.lose(node)
    }
}

struct MemoryNode: Sendable {
    let hub: MemoryEngine.Hub
    let id: UUID

    static let limit = 1_048_576

    static func check(_ envelope: Envelope) throws {
        guard envelope.size > limit else { return }
        throw TransportError.tooLarge(bytes: envelope.size, limit: limit)
    }
}

struct Stopping: Registration {
    let body: @Sendable () async -> Void

    func stop() async { await body() }
}

extension TransportError {
    static let lost = connectionLost(reason: "the node was disconnected")
}

// MARK: Queries

extension MemoryNode: QueryTransport {
    func ask(_ route: String, _ request: Envelope, timeout: Duration) async throws -> Envelope {
        try Self.check(request)
        let response = try await hub.routes.ask(route, request, timeout: timeout, from: id)
        try Self.check(response)
        return response
    }

    func serve(
        _ route: String,
        limit: Int,
        _ handler: @escaping @Sendable @concurrent (Envelope) async -> Envelope
    ) async throws -> any Registration {
        let server = try await hub.routes.add(route, limit: limit, on: id, handler)
        return Stopping { [hub] in await hub.routes.stop(server) }
    }
}

private actor Routes {
    private struct Server {
        let route: String
        let node: UUID
        let limit: Int
        let handler: @Sendable @concurrent (Envelope) async -> Envelope
        var running = 0
        var waiting: [UUID] = []
        var isStopped = false
        var stopping: [CheckedContinuation<Void, Never>] = []
    }

    private struct Query {
        let request: Envelope
        let asker: UUID
        let server: Int
        let continuation: CheckedContinuation<Envelope, any Error>
        let timer: Task<Void, Never>
        var handling: Task<Void, Never>?
    }

    private var servers: [Int: Server] = [:]
    private var queries: [UUID: Query] = [:]
    private var lostNodes: Set<UUID> = []
    private var count = 0

    func add(
        _ route: String,
        limit: Int,
        on node: UUID,
        _ handler: @escaping @Sendable @concurrent (Envelope) async -> Envelope
    ) throws -> Int {
        guard !lostNodes.contains(node) else { throw TransportError.lost }
        count += 1
        servers[count] = Server(route: route, node: node, limit: limit, handler: handler)
        return count
    }

    func stop(_ id: Int) async {
        guard let server = servers[id] else { return }
        servers[id]?.isStopped = true
        guard server.running + server.waiting.count > 0 else { return servers[id] = nil }
        await withCheckedContinuation { servers[id]?.stopping.append($0) }
    }

    func ask(_ route: String, _ request: Envelope, timeout: Duration, from node: UUID) async throws -> Envelope {
        guard !lostNodes.contains(node) else { throw TransportError.lost }
        let candidates = servers.filter { $0.value.route == route && !$0.value.isStopped }.keys.sorted()
        guard !candidates.isEmpty else { throw TransportError.noNode(route: route) }
        count += 1
        let (id, server) = (UUID(), candidates[count % candidates.count])
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let timer = Task {
                    guard (try? await ContinuousClock().sleep(for: timeout)) != nil else { return }
                    end(id, .failure(TransportError.timedOut(route: route, after: timeout)))
                }
                queries[id] = Query(
                    request: request,
                    asker: node,
                    server: server,
                    continuation: continuation,
                    timer: timer
                )
                servers[server]?.waiting.append(id)
                start(server)
            }
        } onCancel: {
            Task { await end(id, .failure(CancellationError())) }
        }
    }

    private func start(_ id: Int) {
        while let server = servers[id], server.running < server.limit, let next = server.waiting.first {
            servers[id]?.waiting.removeFirst()
            guard let request = queries[next]?.request else { continue }
            servers[id]?.running += 1
            // Detached, because values of the task would not reach another process.
            queries[next]?.handling = Task.detached {
                let response = await server.handler(request)
                await self.finish(next, on: id, response)
            }
        }
        guard let server = servers[id], server.isStopped, server.running == 0 else { return }
        servers[id] = nil
        for continuation in server.stopping { continuation.resume() }
    }

    private func finish(_ query: UUID, on server: Int, _ response: Envelope) {
        end(query, .success(response))
        servers[server]?.running -= 1
        start(server)
    }

    private func end(_ id: UUID, _ result: Result<Envelope, any Error>) {
        guard let query = queries.removeValue(forKey: id) else { return }
        query.continuation.resume(with: result)
        query.timer.cancel()
        query.handling?.cancel()
        servers[query.server]?.waiting.removeAll { $0 == id }
        start(query.server)
    }

    func lose(_ node: UUID) {
        lostNodes.insert(node)
        for (id, server) in servers where server.node == node {
            servers[id] = nil
            for continuation in server.stopping { continuation.resume() }
        }
        for (id, query) in queries where query.asker == node || servers[query.server] == nil {
            end(id, .failure(TransportError.lost))
        }
    }
}

// MARK: Events

extension MemoryNode: Backplane {
    func publish(_ event: Envelope) async throws -> UInt64 {
        try Self.check(event)
        return try await hub.events.publish(event, from: id)
    }

    func follow() async throws -> BackplaneFollower { try await hub.events.follow(on: id) }
}

private actor Events {
    private var position: UInt64 = 0
    private var followers: [UUID: (node: UUID, events: AsyncStream<BackplaneEvent>.Continuation)] = [:]
    private var lostNodes: Set<UUID> = []

    func publish(_ event: Envelope, from node: UUID) throws -> UInt64 {
        guard !lostNodes.contains(node) else { throw TransportError.lost }
        position += 1
        for follower in followers.values { follower.events.yield(.event(event, position: position)) }
        return position
    }

    func follow(on node: UUID) throws -> BackplaneFollower {
        guard !lostNodes.contains(node) else { throw TransportError.lost }
        let (id, (stream, continuation)) = (UUID(), AsyncStream.makeStream(of: BackplaneEvent.self))
        followers[id] = (node, continuation)
        continuation.onTermination = { [weak self] _ in Task { await self?.remove(id) } }
        return BackplaneFollower(start: position, events: stream)
    }

    private func remove(_ id: UUID) { followers[id] = nil }

    func lose(_ node: UUID) {
        lostNodes.insert(node)
        for (id, follower) in followers where follower.node == node {
            followers[id] = nil
            follower.events.finish()
        }
    }
}
