public import Duet
import Synchronization

/// Remembers the last number, by itself or for another handler.
public final class RememberHandler: CommandHandler, Memory {
    private let last = Atomic(0)

    /// The number of the last command.
    public var remembered: Int { last.load(ordering: .relaxed) }

    /// Makes a handler that remembers zero.
    public init() {}

    /// Remembers the command's number.
    @inline(never)
    public func handle(_ command: Remember) async throws { last.store(command.number, ordering: .relaxed) }

    /// Remembers `number` in place of the one before.
    public func remember(_ number: Int) { last.store(number, ordering: .relaxed) }
}
