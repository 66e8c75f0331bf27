import Duet
import DuetCaching
import DuetClusterEngine
import Foundation

/// Connects the caches of a node with all other nodes: follows their events, and publishes its invalidations.
struct CacheConnection {
    private let tasks: [Task<Void, Never>]
    private let caches: [QueryCache]
    private let source: ClusterSource

    /// - Parameter isCarried: Whether an invalidation is that of a command of the log, about which a worker tells all
    ///   nodes. It is called in the task of the invalidation.
    /// - Throws: ``TransportError``.
    static func start(
        _ engine: any ClusterEngine,
        _ messages: MessageList,
        _ caches: [QueryCache],
        node: String,
        positions: Positions,
        clock: any Clock<Duration>,
        isCarried: @escaping @Sendable (Invalidation) -> Bool
    ) async throws -> CacheConnection {
        let invalidations = caches.map { $0.invalidations { !isCarried($0) } }
        let writes = UncarriedWrites(to: caches)
        let follower = try await engine.backplane.follow()
        let source = ClusterSource.of(engine)
        let reader = EventReader(messages: messages, caches: caches, source: source, node: node, positions: positions)
        // Values that were cached before this node followed the events may be stale.
        for cache in caches { cache.apply(.everything, engine.version(at: follower.start)) }
        source.addFollower(1)
        positions.noteEvents(upTo: follower.start)
        let following = Task {
            for await event in follower.events {
                // Loads from now on wait for a node that has carried out the event, too.
                let version = engine.version(at: event.position)
                switch event {
                case .gap: reader.applyEverything(version)
                case .event(let envelope, _): reader.apply(ClusterEvent(envelope), version)
                }
                positions.noteEvents(upTo: event.position)
            }
        }
        let telling = Task {
            for await _ in writes.signals { await publish(writes.take(), from: node, engine, clock) }
        }
        let publishing = zip(caches, invalidations).enumerated().map { number, source in
            let (cache, invalidations) = source
            return Task {
                for await invalidation in invalidations {
                    for remote in RemoteInvalidation.all(of: invalidation, in: cache, messages) {
                        await publish(remote, from: EventReader.origin(of: number, node), engine, clock)
                    }
                }
            }
        }
        for cache in caches { cache.setReadBarrier { try await positions.wait(for: $0, clock) } }
        return CacheConnection(tasks: [following, telling] + publishing, caches: caches, source: source)
    }

    func stop() {
        for cache in caches { cache.setReadBarrier(nil) }
        for task in tasks { task.cancel() }
        source.addFollower(-1)
    }

    /// Publishes an event, as soon as the cluster takes it: without it, other nodes would keep what is stale.
    private static func publish(
        _ invalidation: RemoteInvalidation,
        from origin: String,
        _ engine: any ClusterEngine,
        _ clock: any Clock<Duration>
    ) async {
        var invalidation = invalidation
        while !Task.isCancelled {
            do {
                try await engine.backplane.publish(ClusterEvent.invalidation(invalidation, node: origin))
                return
            } catch TransportError.tooLarge where invalidation != .everything {
                invalidation = .everything
            } catch {
                // A refusal may be temporary, too: the servers can be out of memory.
                try? await clock.sleep(for: .milliseconds(200))
            }
        }
    }
}

extension RemoteInvalidation {
    /// The invalidations for other nodes.
    fileprivate static func all(
        of invalidation: Invalidation,
        in cache: QueryCache,
        _ messages: MessageList
    ) -> Set<RemoteInvalidation> {
        switch invalidation {
        case .command(let command):
            let name = type(of: command).messageName
            guard let message = messages[name] else {
                // Only this node knows the command, so the others learn what its rules invalidate.
                let all = cache.invalidations(after: command).map { Self.all(of: $0, in: cache, messages) }
                return all.contains([.everything]) ? [.everything] : all.reduce([]) { $0.union($1) }
            }
            return [(try? message.body(of: command)).map { .command(name: name, body: $0) } ?? .everything]
        case .query(let name): return [.query(name: name)]
        case .tag(let tag): return [.tag(tag)]
        case .everything: return [.everything]
        }
    }
}
