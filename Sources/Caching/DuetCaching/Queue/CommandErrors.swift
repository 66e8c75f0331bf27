import Duet

/// The error of a stored command that this program cannot decode.
struct UnreadableCommand: Error, CustomStringConvertible {
    let reason: String

    var description: String {
        "The command cannot be read: \(reason). Retry it with a program that can read it, or drop it."
    }
}

/// The error of a command that was not sent within the time that its rule allows.
struct CommandExpired: Error, CustomStringConvertible {
    let name: String
    let age: Duration

    var description: String {
        "\(name) was not sent within \(age.text), and has expired. Retry it to send it nevertheless, or drop it."
    }
}

/// The error of a command during whose attempts the process has ended again and again.
struct AttemptsInterrupted: Error, CustomStringConvertible {
    /// The number of attempts after which a command is not sent again.
    static let limit = 5

    let name: String

    var description: String {
        """
        The process has ended during each of the last \(Self.limit) attempts to send \(name). \
        Look for a crash in its encoding, in the client or in its rules, and retry it, or drop it.
        """
    }
}

/// The error of a command whose sender waits for the answer, although the dispatch ends before the command is sent.
struct QueuedAnswer: Error, CustomStringConvertible {
    let name: String

    var description: String {
        """
        \(name) is queued, and has no answer when its dispatch ends; nothing was queued. Call dispatch(_:), and observe \
        the query that answers the command, or let the command choose the identifier of what it creates.
        """
    }
}
