public import Duet
public import DuetCaching
import Foundation
public import ServiceLifecycle

/// Connects the caches of a node that handles no messages, for example of a page server, with all other nodes.
///
/// Commands of all nodes make the values of the caches stale. Invalidations that begin here, such as
/// `QueryCache.invalidate(tag:)`, reach all nodes.
public final class ClusterInvalidation: Service {
    private let engine: any ClusterEngine
    private let messages: MessageList
    private let caches: [QueryCache]
    private let clock: any Clock<Duration>
    private let node = UUID().uuidString

    /// Creates a service for the messages of a list.
    ///
    /// - Parameters:
    ///   - messages: The list, with the commands whose rules the caches have. One of the log that is not listed makes
    ///     everything stale, unless its node names what it has written and a cache tracks that. For one that only this
    ///     node handles and that is not listed, other nodes receive the queries and tags of its rules here.
    ///   - caches: The caches of this node.
    ///   - engine: The cluster.
    ///   - clock: Measures the time between attempts to publish an invalidation.
    /// - Throws: ``/Duet/InvalidMessageAPI`` with every fault.
    public init(
        _ messages: MessageAPI,
        of caches: QueryCache...,
        on engine: any ClusterEngine,
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(InvalidMessageAPI) {
        self.messages = try MessageList(messages)
        self.caches = caches
        self.engine = engine
        self.clock = clock
    }

    /// Follows invalidations until the task is canceled or the service group shuts down.
    ///
    /// - Throws: ``TransportError``.
    public func run() async throws {
        let connection = try await whenConnected(clock) { [self] in
            try await CacheConnection.start(
                engine,
                messages,
                caches,
                node: node,
                positions: Positions(engine, hasCaches: true),
                clock: clock
            ) {
                // This node handles nothing: it has sent each command that is listed.
                guard case .command(let command) = $0 else { return false }
                return self.messages[type(of: command).messageName] != nil
            }
        }
        guard let connection else { return }
        await waitForEnd()
        connection.stop()
    }
}
