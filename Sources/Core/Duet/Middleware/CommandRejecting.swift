/// An error of a carrier that says why a command must not be sent again, so that a carrier in front of it can say so.
package protocol CommandRejecting: Error {
    /// The reason; nil if another attempt may succeed, and for the error of another message.
    func rejection(of command: String) -> CommandRejection?
}

/// The reason why a command must not be sent again.
package enum CommandRejection: Sendable {
    /// The handler failed for good.
    case failed
    /// The command has more bytes than the carrier takes.
    case tooLarge
}
