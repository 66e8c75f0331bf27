public import Duet
import Synchronization

/// Remembers the last number.
public final class RememberHandler: CommandHandler, Sendable {
    private let last = Atomic(0)

    /// The number of the last command.
    public var remembered: Int { last.load(ordering: .relaxed) }

    /// Makes a handler that remembers zero.
    public init() {}

    /// Remembers the command's number.
    @inline(never)
    public func handle(_ command: Remember) async throws { last.store(command.number, ordering: .relaxed) }
}
