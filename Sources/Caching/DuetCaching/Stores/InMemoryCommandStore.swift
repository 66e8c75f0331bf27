public import Foundation
import Synchronization

/// A store of queued commands in the memory of this process, for tests and for commands that need not outlive it.
public final class InMemoryCommandStore: CommandStore {
    private struct State {
        var commands: [StoredCommand] = []
        var size = 0
        var revision = 0
        var isClaimed = false
        var subscribers: [UUID: AsyncStream<Void>.Continuation] = [:]

        func notify() { for subscriber in subscribers.values { subscriber.yield() } }

        mutating func update(_ id: UUID, _ change: (inout StoredCommand) -> Void) {
            if let index = commands.firstIndex(where: { $0.id == id }) { change(&commands[index]) }
        }
    }

    private let limit: CommandStoreLimit
    private let state = Mutex(State())

    /// Creates an empty store.
    public init(limit: CommandStoreLimit = CommandStoreLimit()) {
        self.limit = limit
    }

    private func change<Failure>(_ body: (inout State) throws(Failure) -> Void) throws(Failure) {
        try state.withLock { (state) throws(Failure) in
            try body(&state)
            state.revision += 1
            state.notify()
        }
    }

    /// Adds a command after all others.
    ///
    /// - Throws: ``CommandStoreFull``.
    public func insert(_ command: StoredCommand) async throws {
        try change { state throws(CommandStoreFull) in
            try limit.checkRoom(for: command, count: state.commands.count, size: state.size)
            state.commands.append(command)
            state.size += command.size
        }
    }

    /// Returns all commands in the order of insertion.
    public func all() async -> [StoredCommand] { state.withLock(\.commands) }

    /// Replaces the progress of a command.
    public func update(_ id: UUID, attempts: Int, failure: String?, isRetried: Bool) async {
        change { state in
            state.update(id) { command in
                command.attempts = attempts
                command.failure = failure
                command.isRetried = isRetried
            }
        }
    }

    /// Removes commands.
    public func remove(_ ids: [UUID]) async {
        change { state in
            for id in ids {
                guard let index = state.commands.firstIndex(where: { $0.id == id }) else { continue }
                state.size -= state.commands.remove(at: index).size
            }
        }
    }

    /// Counts requests to send commands.
    public func requestSending(of ids: [UUID]) async {
        change { state in
            for id in ids { state.update(id) { $0.sendRequests += 1 } }
        }
    }

    /// Removes all commands.
    public func removeAll() async {
        change { state in
            state.commands = []
            state.size = 0
        }
    }

    /// Returns the right to send the commands, or nil while another queue has it.
    public func claimSending() async -> SendingClaim? {
        let isFree = state.withLock { state in
            defer { state.isClaimed = true }
            return !state.isClaimed
        }
        guard isFree else { return nil }
        return SendingClaim { [weak self] in
            self?.state.withLock { state in
                state.isClaimed = false
                state.notify()
            }
        }
    }

    /// Returns the number of changes.
    public func revision() async -> Int { state.withLock(\.revision) }

    /// Elements that arrive after each change, and when a claim has ended.
    public var changes: AsyncStream<Void> {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        state.withLock { $0.subscribers[id] = continuation }
        continuation.whenEnded { [weak self] in
            self?.state.withLock { _ = $0.subscribers.removeValue(forKey: id) }
        }
        return changes
    }

    deinit {
        for subscriber in state.withLock(\.subscribers).values { subscriber.finish() }
    }
}
