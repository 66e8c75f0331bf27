import NIOCore
import Synchronization

/// The events of a raw server, which a test can wait for.
final class ServerLog: Sendable {
    /// The events so far.
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
        var waiters: [Int: Waiter] = [:]
        var lastID = 0
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = Mutex(State())

    /// The events so far.
    var entry: Entry { state.withLock { $0.entry } }

    /// The open connections.
    var channels: [any Channel] { state.withLock { Array($0.channels.values) } }

    /// Records an event and resumes the waiters that it satisfies.
    func record(_ change: (inout Entry) -> Void) {
        let (entry, ready) = state.withLock { state in
            change(&state.entry)
            let entry = state.entry
            let ready = state.waiters.filter { $0.value.predicate(entry) }
            for id in ready.keys { state.waiters[id] = nil }
            return (entry, ready)
        }
        for waiter in ready.values { waiter.continuation.resume(returning: entry) }
    }

    /// Waits until the events satisfy a condition, or until the task is canceled, as at a suite's time limit.
    @discardableResult
    func until(_ predicate: @escaping @Sendable (Entry) -> Bool) async -> Entry {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { state -> Entry? in
                    if predicate(state.entry) || Task.isCancelled { return state.entry }
                    state.waiters[id] = Waiter(predicate: predicate, continuation: continuation)
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let (entry, waiter) = state.withLock { ($0.entry, $0.waiters.removeValue(forKey: id)) }
            waiter?.continuation.resume(returning: entry)
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
