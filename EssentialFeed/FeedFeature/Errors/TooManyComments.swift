public import Duet

/// A sender has posted more comments than the server takes in a short time.
///
/// The comment waits in an outbox, and is sent later.
public struct TooManyComments: Error, Hashable, Codable, CustomStringConvertible {
    /// The number of seconds until the server takes another comment.
    public let seconds: Int

    /// Creates an error for the time until the server takes another comment, which is rounded up to whole seconds.
    public init(until pause: Duration) {
        seconds = Int((pause / .seconds(1)).rounded(.up))
    }

    /// The refusal and when to try again.
    public var description: String { "You have posted too many comments. Try again in \(seconds) s." }
}

extension TooManyComments: TemporaryError {
    /// True.
    public var isTemporary: Bool { true }

    /// The time until the server takes another comment.
    public var retryAfter: Duration? { .seconds(seconds) }

    /// False: other messages are not limited.
    public var concernsConnection: Bool { false }
}
