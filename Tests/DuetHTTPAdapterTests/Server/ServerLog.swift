import NIOCore
import Synchronization

/// What a raw server has seen, and a way to wait until it has seen something.
final class ServerLog: Sendable {
    /// What was seen up to now.
    struct Entry: Sendable {
        var requests: [ReceivedRequest] = []
        /// How many connections there have been.
        var accepted = 0
        /// How many connections are open.
        var open = 0
        /// How many bytes have been dripped.
        var dripped = 0
    }

    private struct Waiter {
        let predicate: @Sendable (Entry) -> Bool
        let continuation: CheckedContinuation<Entry, Never>
    }

    private struct State {
        var entry = Entry()
        var waiters: [Waiter] = []
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = Mutex(State())

    /// What was seen up to now.
    var entry: Entry { state.withLock { $0.entry } }

    /// The connections that are open.
    var channels: [any Channel] { state.withLock { Array($0.channels.values) } }

    /// Writes down what was seen and wakes those that waited for it.
    func record(_ change: (inout Entry) -> Void) {
        let (entry, ready) = state.withLock { state in
            change(&state.entry)
            let entry = state.entry
            let ready = state.waiters.filter { $0.predicate(entry) }
            state.waiters.removeAll { $0.predicate(entry) }
            return (entry, ready)
        }
        for waiter in ready { waiter.continuation.resume(returning: entry) }
    }

    /// Waits until what was seen is as it should be.
    @discardableResult
    func until(_ predicate: @escaping @Sendable (Entry) -> Bool) async -> Entry {
        await withCheckedContinuation { continuation in
            let now = state.withLock { state -> Entry? in
                if predicate(state.entry) { return state.entry }
                state.waiters.append(Waiter(predicate: predicate, continuation: continuation))
                return nil
            }
            if let now { continuation.resume(returning: now) }
        }
    }

    /// Counts a connection for as long as it is open.
    func follow(_ channel: any Channel) {
        state.withLock { $0.channels[ObjectIdentifier(channel)] = channel }
        record {
            $0.accepted += 1
            $0.open += 1
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
            self.record { $0.open -= 1 }
        }
    }
}
