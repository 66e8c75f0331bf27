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
    private let messages: Result<MessageList, any Error>
    private let caches: [QueryCache]
    private let clock: any Clock<Duration>
    private let node = UUID().uuidString

    /// Creates a service for the messages of a list.
    ///
    /// - Parameters:
    ///   - messages: The list, with the commands whose rules the caches have. One of the log that is not listed makes
    ///     everything stale. For one that only this node handles and that is not listed, other nodes receive the
    ///     queries and tags of its rules here.
    ///   - caches: The caches of this node.
    ///   - engine: The cluster.
    ///   - clock: Measures the time between attempts to publish an invalidation.
    /// - Throws: ``/Duet/InvalidMessageAPI`` with every fault.
    public convenience init(
        _ messages: MessageAPI,
        of caches: QueryCache...,
        on engine: any ClusterEngine,
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(InvalidMessageAPI) {
        self.init(engine, caches, try messages.clusterMessages, clock: clock)
    }

    init(_ engine: any ClusterEngine, _ caches: [QueryCache], _ messages: [ClusterMessage], clock: any Clock<Duration>)
    {
        self.engine = engine
        self.clock = clock
        self.caches = caches
        self.messages = Result { try MessageList(messages) }
    }

    /// Follows invalidations until the task is canceled or the service group shuts down.
    ///
    /// - Throws: ``ClusterError/listedTwice(message:)``; ``TransportError``.
    public func run() async throws {
        let messages = try messages.get()
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
                return messages[type(of: command).messageName] != nil
            }
        }
        guard let connection else { return }
        await waitForEnd()
        connection.stop()
    }
}

extension ClusterEngine {
    /// Returns a service that makes values of caches stale with the commands and invalidations of all nodes.
    ///
    /// - Parameters:
    ///   - caches: The caches of this node.
    ///   - clock: Measures the time between attempts to publish an invalidation.
    ///   - messages: The commands whose rules the caches have. One of the log that is not listed makes everything
    ///     stale. For one that only this node handles and that is not listed, other nodes receive the queries and tags
    ///     of its rules here.
    public func invalidation(
        of caches: QueryCache...,
        clock: any Clock<Duration> = ContinuousClock(),
        @ListBuilder<ClusterMessage> messages: () -> [ClusterMessage]
    ) -> ClusterInvalidation {
        ClusterInvalidation(self, caches, messages(), clock: clock)
    }
}
