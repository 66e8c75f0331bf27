public import Duet
import DuetContext
public import Foundation

/// A command in a ``CommandQueue``, with its progress.
public struct QueuedCommand: Identifiable, Hashable, Sendable {
    /// What happens with a queued command.
    @nonexhaustive
    public enum State: Hashable, Sendable {
        /// The command is sent later.
        ///
        /// It is sent after the date `until`, or, without a date, as soon as earlier commands permit. The `reason`
        /// describes the temporary failure of its last attempt, or of the attempt because of which the queue pauses.
        ///
        /// A date that is missing beside a reason can mean that somebody has to sign in: see
        /// ``CommandQueue/sendNow()``.
        case waiting(until: Date?, reason: String?)

        /// The command waits until an earlier one of its key, which has failed, is sent after all or dropped.
        ///
        /// See ``Enqueue/waitingForFailedCommands()``.
        case blocked(by: UUID)

        /// Another queue of the store sends the command, such as that of another process.
        case handedOver

        /// The command is being sent.
        case sending

        /// The command is kept, but not sent again, until it is retried or dropped.
        case failed(reason: String)
    }

    /// Identifies the command.
    public let id: UUID

    /// The key that the command is sent with: that of the dispatch, or the text of ``id``.
    ///
    /// A caller that dispatches with `withIdempotencyKey` finds its command by it.
    public let idempotencyKey: String

    /// The name of the command, as in `App.PostComment`.
    public let name: String

    /// The command as JSON, for a screen that shows what waits.
    public let content: Data

    /// When the command was dispatched.
    public let date: Date

    /// Commands with equal keys are sent one after the other.
    public let key: String

    /// The principal of the dispatch, which the command is sent for; nil for an anonymous one.
    public let principal: Principal?

    /// The number of attempts to send the command, including those of earlier launches.
    public let attempts: Int

    /// What happens with the command now.
    public let state: State

    /// The error of the last attempt, whose text is the reason in ``state``.
    ///
    /// It is nil if there was no error in this launch and this queue, and after the command was retried.
    public let error: (any Error)?

    init(_ entry: QueueEntry, _ state: State) {
        let stored = entry.stored
        id = stored.id
        idempotencyKey = stored.idempotencyKey
        name = stored.name
        content = stored.bytes
        date = stored.date
        key = stored.key
        principal = stored.principal
        // Another queue counts its present attempt.
        attempts = stored.endedAttempts + (state == .handedOver ? 0 : stored.interruptions)
        self.state = state
        error = entry.error
    }

    /// Whether the command failed.
    public var isFailed: Bool { if case .failed = state { true } else { false } }

    /// Whether both are the same command with the same progress.
    public static func == (first: Self, second: Self) -> Bool {
        first.id == second.id && first.attempts == second.attempts && first.state == second.state
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension QueueState {
    /// The commands in the order of sending.
    ///
    /// - Parameter isSentElsewhere: Whether another queue sends them.
    func commands(isSentElsewhere: Bool) -> [QueuedCommand] {
        var failed: [String: UUID] = [:]
        return order.compactMap { id in
            guard let entry = entries[id] else { return nil }
            if entry.failure != nil, failed[entry.stored.key] == nil { failed[entry.stored.key] = id }
            let blocker = entry.options.waitsForFailed ? failed[entry.stored.key] : nil
            return QueuedCommand(entry, state(of: entry, blockedBy: blocker, isSentElsewhere: isSentElsewhere))
        }
    }

    private func state(
        of entry: QueueEntry,
        blockedBy blocker: UUID?,
        isSentElsewhere: Bool
    ) -> QueuedCommand.State {
        if let failure = entry.failure { return .failed(reason: failure) }
        if hasClaim, isBeingSent(entry.id) { return .sending }
        if let blocker { return .blocked(by: blocker) }
        if isSentElsewhere { return .handedOver }
        let pauses = [entry.delay, pauses.connection.pause, pauses.names[entry.stored.name]?.pause].compactMap(\.self)
        let pause = pauses.dropFirst().reduce(pauses.first) { $0?.later($1) }
        return .waiting(until: pause?.date, reason: entry.error.map { "\($0)" } ?? pause?.reason)
    }
}
