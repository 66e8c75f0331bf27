/// Carries events from each node to all nodes, also to the one that publishes, in one order.
public protocol Backplane: Sendable {
    /// Publishes an event to all nodes.
    ///
    /// - Returns: The position of the event.
    /// - Throws: `TransportError`; the event may have been published.
    @discardableResult
    func publish(_ event: Envelope) async throws -> UInt64

    /// Follows the events from now on, until the stream is no longer read.
    ///
    /// - Throws: `TransportError`.
    func follow() async throws -> BackplaneFollower
}

/// The events that follow a position.
public struct BackplaneFollower: Sendable {
    /// The position of the last event before ``events``; 0 if there is none.
    public let start: UInt64

    /// All events after ``start``, in the order of their positions.
    public let events: AsyncStream<BackplaneEvent>

    /// Creates a follower.
    public init(start: UInt64, events: AsyncStream<BackplaneEvent>) {
        self.start = start
        self.events = events
    }
}

/// An event, or the lack of one.
public enum BackplaneEvent: Hashable, Sendable {
    /// An event with its position.
    case event(Envelope, position: UInt64)

    /// Events up to a position were missed, for example because the node was separated for too long.
    case gap(position: UInt64)

    package var position: UInt64 {
        switch self {
        case .event(_, let position), .gap(let position): position
        }
    }
}
