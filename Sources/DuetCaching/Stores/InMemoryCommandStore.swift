public import Foundation
import Synchronization

/// A store of queued commands in the memory of this process, for tests and for commands that need not outlive it.
public final class InMemoryCommandStore: CommandStore {
    private struct State {
        var commands: [StoredCommand] = []
        var size = 0
    }

    private let limit: CommandStoreLimit
    private let state = Mutex(State())

    /// Creates an empty store.
    public init(limit: CommandStoreLimit = CommandStoreLimit()) {
        self.limit = limit
    }

    /// Adds a command after all others.
    ///
    /// - Throws: ``CommandStoreFull``.
    public func insert(_ command: StoredCommand) async throws {
        try state.withLock { state in
            try limit.checkRoom(for: command, count: state.commands.count, size: state.size)
            state.commands.append(command)
            state.size += command.size
        }
    }

    /// Returns all commands, in the order in which they were added.
    public func all() async -> [StoredCommand] { state.withLock(\.commands) }

    /// Replaces the progress of a command.
    public func update(_ id: UUID, attempts: Int, failure: String?) async {
        state.withLock { state in
            guard let index = state.commands.firstIndex(where: { $0.id == id }) else { return }
            state.commands[index].attempts = attempts
            state.commands[index].failure = failure
        }
    }

    /// Removes commands.
    public func remove(_ ids: [UUID]) async {
        state.withLock { state in
            for id in ids {
                guard let index = state.commands.firstIndex(where: { $0.id == id }) else { continue }
                state.size -= state.commands.remove(at: index).size
            }
        }
    }

    /// Removes all commands.
    public func removeAll() async { state.withLock { $0 = State() } }
}
