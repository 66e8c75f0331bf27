public import Duet
import Synchronization

/// An invalidation of cached values, as ``QueryCache/invalidations`` reports it.
public enum Invalidation: Sendable {
    /// A command was dispatched, and its rules invalidate values.
    case command(any Command)

    /// All values of the query with this name.
    case query(name: String)

    /// All values with this tag.
    case tag(String)

    /// All values.
    case everything
}

/// Delivers the invalidations of one cache to its subscribers.
final class Invalidations: Sendable {
    private struct State {
        var subscribers: [Int: AsyncStream<Invalidation>.Continuation] = [:]
        var lastID = 0
    }

    /// The number of invalidations that wait for a slow subscriber.
    private static let limit = 1_024

    private let state = Mutex(State())

    func stream() -> AsyncStream<Invalidation> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Invalidation.self,
            bufferingPolicy: .bufferingNewest(Self.limit)
        )
        let id = state.withLock { state in
            state.lastID += 1
            state.subscribers[state.lastID] = continuation
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.subscribers[id] = nil }
        }
        return stream
    }

    func publish(_ invalidation: Invalidation) {
        for subscriber in state.withLock({ Array($0.subscribers.values) }) {
            // An invalidation that a slow subscriber misses is covered by one of everything.
            if case .dropped = subscriber.yield(invalidation) { subscriber.yield(.everything) }
        }
    }
}
