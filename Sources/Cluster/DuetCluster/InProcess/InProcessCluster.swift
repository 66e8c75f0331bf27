public import DuetClusterEngine
public import Foundation
import Synchronization

/// A node of a cluster that exists only in this process, for development and tests.
///
/// It meets the same contract as a cluster on a server. Each instance is one node, and ``node()`` returns further ones.
/// The nodes of a cluster share its routes, commands and events. All of them are lost with the process.
public final class InProcessCluster: ClusterEngine {
    /// Carries queries.
    public let queries: any QueryTransport

    /// Keeps commands.
    public let commands: any CommandLog

    /// Carries events.
    public let backplane: any Backplane

    private let hub: InProcessHub
    private let connection = InProcessConnection()

    /// Creates a cluster, and its first node.
    ///
    /// - Parameters:
    ///   - partitions: The number of partitions of the log of commands.
    ///   - maximumSize: The number of bytes that an envelope may have, by default 1 MiB.
    ///   - backlog: The number of events that a follower may have ahead of it. If there are more, it gets a gap.
    ///   - clock: Measures timeouts, delays, and lifetimes.
    ///   - now: Returns the date of new dead letters.
    public convenience init(
        partitions: Int = 8,
        maximumSize: Int = 1_048_576,
        backlog: Int = 10_000,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(
            InProcessHub(
                limit: EnvelopeLimit(bytes: maximumSize),
                routes: QueryRoutes(),
                log: InProcessLog(partitions: partitions, clock: clock, now: now),
                events: InProcessEvents(backlog: backlog),
                clock: clock
            )
        )
    }

    private init(_ hub: InProcessHub) {
        self.hub = hub
        let node = InProcessNode(hub: hub, connection: connection)
        (queries, commands, backplane) = (node, node, node)
    }

    /// Returns a further node of the same cluster.
    public func node() -> InProcessCluster { InProcessCluster(hub) }

    /// Ends the node abruptly, as a crash of its process would.
    ///
    /// The tasks of its handlers are canceled, and their results are ignored. The queries that they were handling time
    /// out. Their commands are delivered to other nodes after `ClusterOptions(redelivery:)`. The node's followers
    /// end. The node's own queries and later calls throw ``TransportError/connectionLost(reason:)``.
    package func disconnect() {
        connection.close()
        hub.log.lose(connection)
        hub.events.lose(connection)
    }
}

struct InProcessNode: Sendable {
    let hub: InProcessHub
    let connection: InProcessConnection
}

struct InProcessHub {
    let limit: EnvelopeLimit
    let routes: QueryRoutes
    let log: InProcessLog
    let events: InProcessEvents
    let clock: any Clock<Duration>
}

/// The connection of one node, until it is closed.
final class InProcessConnection: Sendable {
    private struct State {
        var isOpen = true
        var lastAction = 0
        /// The functions to call when it is closed.
        var actions: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    var isOpen: Bool { state.withLock(\.isOpen) }

    func close() {
        let actions = state.withLock { state in
            defer { state = State(isOpen: false) }
            return state.actions.values
        }
        for action in actions { action() }
    }

    /// Calls a function when the connection is closed, at once if it is.
    func whenClosed(_ action: @escaping @Sendable () -> Void) -> Int {
        let (isOpen, id) = state.withLock { state in
            state.lastAction += 1
            if state.isOpen { state.actions[state.lastAction] = action }
            return (state.isOpen, state.lastAction)
        }
        if !isOpen { action() }
        return id
    }

    func forget(_ action: Int) { state.withLock { $0.actions[action] = nil } }

    func check() throws {
        guard isOpen else { throw Self.lost }
    }

    static var lost: TransportError { .connectionLost(reason: "the node was disconnected") }
}

struct EnvelopeLimit {
    let bytes: Int

    func check(_ envelope: Envelope) throws {
        try envelope.checkHeaders()
        let size = envelope.size
        guard size <= bytes else { throw TransportError.tooLarge(bytes: size, limit: bytes) }
    }
}
