import Duet
import DuetClusterEngine

extension InProcessNode: Backplane {
    func publish(_ event: Envelope) async throws -> UInt64 {
        try connection.check()
        try hub.limit.check(event)
        return hub.events.publish(event)
    }

    func follow() async throws -> BackplaneFollower {
        try hub.events.follow(connection)
    }
}

/// The events of a cluster that its followers have not read yet.
final class InProcessEvents: Sendable {
    private struct Follower {
        let connection: InProcessConnection
        var events = FIFOQueue<BackplaneEvent>()
    }

    private struct State {
        var position: UInt64 = 0
        var lastID = 0
        var followers: [Int: Follower] = [:]
    }

    /// Ends a follower when nobody can read it anymore.
    private final class Subscription: Sendable {
        let id: Int
        let events: InProcessEvents

        init(_ id: Int, _ events: InProcessEvents) {
            self.id = id
            self.events = events
        }

        deinit { events.remove(id) }
    }

    private let backlog: Int
    private let state = Monitor(State())

    init(backlog: Int) {
        self.backlog = max(1, backlog)
    }

    func publish(_ event: Envelope) -> UInt64 {
        state.update { state in
            state.position += 1
            for id in state.followers.keys {
                let isFull = (state.followers[id]?.events.count ?? 0) >= backlog
                if isFull { state.followers[id]?.events = FIFOQueue() }
                state.followers[id]?.events.append(
                    isFull ? .gap(position: state.position) : .event(event, position: state.position)
                )
            }
            return state.position
        }
    }

    func follow(_ connection: InProcessConnection) throws -> BackplaneFollower {
        let added: (id: Int, start: UInt64)? = state.update { state in
            // A connection is closed before its followers are removed.
            guard connection.isOpen else { return nil }
            state.lastID += 1
            state.followers[state.lastID] = Follower(connection: connection)
            return (state.lastID, state.position)
        }
        guard let added else { throw InProcessConnection.lost }
        let subscription = Subscription(added.id, self)
        return BackplaneFollower(
            start: added.start,
            events: AsyncStream(unfolding: { await subscription.events.next(subscription.id) })
        )
    }

    /// Ends the followers of a node.
    func lose(_ connection: InProcessConnection) {
        state.update { state in
            state.followers = state.followers.filter { $0.value.connection !== connection }
        }
    }

    /// Waits for the next event of a follower; nil if the follower or the task has ended.
    private func next(_ id: Int) async -> BackplaneEvent? {
        let next: BackplaneEvent?? = try? await state.wait { state in
            guard state.followers[id] != nil else { return .some(nil) }
            return state.followers[id]?.events.popFirst().map { .some($0) }
        }
        return next ?? nil
    }

    private func remove(_ id: Int) {
        state.update { $0.followers[id] = nil }
    }
}
