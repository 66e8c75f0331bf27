public import Foundation

/// Keeps comments until the server can be reached.
///
/// The comments on an image are sent in the order in which they were kept, also after a restart.
public protocol CommentOutbox: Sendable {
    /// The unsent comments, in the order in which they were kept.
    var comments: [WaitingComment] { get async }

    /// Keeps a comment, and returns when it is in the outbox.
    ///
    /// - Throws: `InvalidMessage`, or the error of the outbox. The comment is then not kept.
    func keep(_ comment: PostImageComment) async throws

    /// Sends all comments now, and returns when each was sent, has failed, or waits for the server.
    func send() async

    /// Sends a comment again that has failed.
    ///
    /// - Throws: The error of the outbox. Nothing has then changed.
    func retry(_ id: ImageComment.ID) async throws

    /// Removes a comment without sending it.
    ///
    /// - Throws: The error of the outbox. Nothing has then changed.
    func drop(_ id: ImageComment.ID) async throws
}

extension Error {
    /// Whether a comment that was not posted because of this error may wait in an outbox.
    package var allowsWaiting: Bool { (self as? RemoteFailure)?.kind == .connectivity || self is TooManyComments }
}

/// An unsent comment.
public struct WaitingComment: Hashable, Identifiable, Sendable {
    /// What happens with the comment.
    public enum State: Hashable, Sendable {
        /// It is sent when the server can be reached; the reason describes the last attempt.
        case waiting(reason: String?)

        /// It is being sent.
        case sending

        /// The server refused it.
        case failed(reason: String)
    }

    /// The comment.
    public let comment: PostImageComment

    /// When it was kept.
    public let date: Date

    /// What happens with it now.
    public let state: State

    /// Whether the server refused it.
    public var isFailed: Bool { if case .failed = state { true } else { false } }

    /// The comment's id.
    public var id: ImageComment.ID { comment.id }

    /// Creates a value.
    public init(_ comment: PostImageComment, date: Date, state: State) {
        self.comment = comment
        self.date = date
        self.state = state
    }
}
