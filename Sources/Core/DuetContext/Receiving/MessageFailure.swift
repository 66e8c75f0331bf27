package import Duet

/// Why a received message has no value, for its carrier to tell the sender.
package enum MessageFailure: Error {
    /// The bytes are no message of this type. The text of another error than the carrier's is not for senders.
    case unreadable(any Error)

    /// No handler has run: the caller may not send the message, or the message is not valid.
    case refused(any Error, isDeclared: Bool)

    /// An error that senders catch by its type.
    case declared(any DeclaredError)

    /// An error that another process has sent to this one, and whose details are not for this message's sender.
    case foreign(any DeclaredError)

    /// Another error, which only the log of this process describes.
    case fault(any Error)
}
