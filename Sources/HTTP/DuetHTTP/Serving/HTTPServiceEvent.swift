import Duet

/// Something that the log of a server should say, because no response does.
public struct HTTPServiceEvent: Sendable {
    /// A constant sentence without its end, such as "A message failed".
    public let summary: String

    /// The stable name of the message; nil if it does not matter.
    public let messageName: String?

    /// The failure; nil for a warning.
    public let error: (any Error)?

    package init(_ summary: String, messageName: String? = nil, error: (any Error)? = nil) {
        self.summary = summary
        self.messageName = messageName
        self.error = error
    }
}

extension HTTPServiceEvent: CustomStringConvertible {
    /// One line without control characters, such as `A message failed: AddNote: The disk is full`.
    public var description: String {
        [summary, messageName, error.map { "\($0)".safe() }].compactMap(\.self).joined(separator: ": ")
    }
}
