public import Duet

/// A message that a cluster could not carry, or whose outcome is not known here.
///
/// Failures of the connection are ``TransportError``s.
@nonexhaustive
public enum ClusterError: Error, Hashable, CustomStringConvertible {
    /// The handler failed with an error that the message does not declare.
    case failed(message: String, reason: String)

    /// The handler of a query failed with a ``/Duet/TemporaryError``, so that another attempt may succeed.
    case unavailable(message: String, reason: String, retryAfter: Duration?)

    /// The log has the command, but it was not handled in time. It will be, or it becomes a dead letter.
    case notHandledInTime(message: String, id: String)

    /// The log has accepted the command, but its outcome did not arrive in time, or the log was lost. Another dispatch
    /// with the same idempotency key returns the outcome.
    case outcomeUnknown(message: String, id: String)

    /// The log has accepted the command, and was then deleted, or lost with its servers. The command may have been
    /// handled before.
    case lost(message: String, id: String)

    /// The handler of a command of the log has dispatched this command, and would wait for it.
    ///
    /// Both could be in one partition, which handles one command at a time.
    case waitsInHandler(message: String)

    /// The handler of a command went on although it was canceled, so that its worker has ended.
    ///
    /// End the process: another worker then handles the command, and this handler cannot change anything anymore.
    case handlerDoesNotEnd(message: String)

    /// The node that answers has not reached the sender's own commands in time.
    case behind(message: String)

    /// What arrived cannot be read.
    case unreadable(message: String, reason: String)

    /// The fault, and what to do.
    ///
    /// Text of other nodes is on one line, without characters that a terminal interprets.
    public var description: String {
        switch self {
        case .failed(let message, let reason): "\(message) failed on its node: \(reason.safe())."
        case .unavailable(let message, let reason, _):
            "\(message) failed on its node for a time: \(reason.safe()). Send it again later."
        case .notHandledInTime(let message, let id):
            "\(message) was accepted as \(id.safe()), but not handled in time. Do not send it again: it will be handled, or become a dead letter."
        case .outcomeUnknown(let message, let id):
            "\(message) was accepted as \(id.safe()), but its outcome did not arrive. Dispatch it again with the same idempotency key to learn it."
        case .lost(let message, let id):
            "\(message) was accepted as \(id.safe()), but the log was deleted or lost. Find out whether the command has had its effect before you send it again."
        case .waitsInHandler(let message):
            "\(message) was dispatched in the handler of a command of the log, which must not wait for another one. Dispatch it with the dispatcher's `accepting`, or write it to an outbox."
        case .handlerDoesNotEnd(let message):
            "The handler of \(message) did not end in time, and ignored its cancellation. Its worker has ended; end the process, so that another one takes over."
        case .behind(let message):
            "\(message) was not answered, because the node had not reached the sender's own commands in time."
        case .unreadable(let message, let reason): "\(message) cannot be read: \(reason.safe())."
        }
    }
}

extension ClusterError: TemporaryError {
    /// True for a node that is behind, for a query whose handler failed with a temporary error, and for a command with
    /// an idempotency key whose outcome is not known yet.
    ///
    /// A command without a key that was accepted is handled without another attempt.
    public var isTemporary: Bool {
        switch self {
        case .behind, .outcomeUnknown, .unavailable: true
        default: false
        }
    }

    /// The pause that the error of a query's handler names.
    public var retryAfter: Duration? { if case .unavailable(_, _, let pause) = self { pause } else { nil } }
}

extension TransportError: TemporaryError {
    /// True unless the envelope is too large or the engine refused.
    public var isTemporary: Bool {
        switch self {
        case .noNode, .timedOut, .connectionLost: true
        case .tooLarge, .refused: false
        }
    }
}

extension ClusterError: CommandRejecting {
    package func rejection(of command: String) -> CommandRejection? {
        if case .failed(command, _) = self { .failed } else { nil }
    }
}
