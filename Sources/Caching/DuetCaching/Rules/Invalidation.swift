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
    private struct Subscriber {
        let isIncluded: @Sendable (Invalidation) -> Bool
        let continuation: AsyncStream<Invalidation>.Continuation
    }

    private struct State {
        var subscribers: [Int: Subscriber] = [:]
        var lastID = 0
    }

    /// The number of invalidations that wait for a slow subscriber.
    private static let limit = 1_024

    private let state = Mutex(State())

    /// - Parameter isIncluded: Decides in the task of the invalidation.
    func stream(where isIncluded: @escaping @Sendable (Invalidation) -> Bool) -> AsyncStream<Invalidation> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Invalidation.self,
            bufferingPolicy: .bufferingNewest(Self.limit)
        )
        let id = state.withLock { state in
            state.lastID += 1
            state.subscribers[state.lastID] = Subscriber(isIncluded: isIncluded, continuation: continuation)
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.subscribers[id] = nil }
        }
        return stream
    }

    func publish(_ invalidation: Invalidation) {
        for subscriber in state.withLock({ Array($0.subscribers.values) }) where subscriber.isIncluded(invalidation) {
            // An invalidation that a slow subscriber misses is covered by one of everything.
            if case .dropped = subscriber.continuation.yield(invalidation) {
                subscriber.continuation.yield(.everything)
            }
        }
    }
}
