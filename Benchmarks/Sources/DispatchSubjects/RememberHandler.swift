public import Duet
import Synchronization

/// Remembers the last number, for itself or for another handler.
public final class RememberHandler: CommandHandler, Memory {
    private let last = Atomic(0)

    /// The number of the last command.
    public var remembered: Int { last.load(ordering: .relaxed) }

    /// Creates a handler that remembers zero.
    public init() {}

    /// Remembers the command's number.
    @inline(never)
    public func handle(_ command: Remember) async throws { last.store(command.number, ordering: .relaxed) }

    /// Replaces the remembered number.
    public func remember(_ number: Int) { last.store(number, ordering: .relaxed) }
}
