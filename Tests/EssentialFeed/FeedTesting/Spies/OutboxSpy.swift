public import FeedFeature
public import Foundation
import Synchronization

/// Keeps comments in memory, and sends none.
public final class OutboxSpy: CommentOutbox {
    private let now: Date
    private let kept = Mutex<[WaitingComment]>([])

    /// Creates an empty outbox; comments are kept at the date `now`.
    public init(now: Date = Date(timeIntervalSince1970: 0)) { self.now = now }

    /// The kept comments.
    public var comments: [WaitingComment] { get async { kept.withLock(\.self) } }

    /// Keeps a valid comment.
    public func keep(_ comment: PostImageComment) async throws {
        try comment.validate()
        kept.withLock { $0.append(WaitingComment(comment, date: now, state: .waiting(reason: nil))) }
    }

    /// Does nothing.
    public func send() async {}

    /// Does nothing.
    public func retry(_ id: ImageComment.ID) async throws {}

    /// Removes a comment.
    public func drop(_ id: ImageComment.ID) async throws { kept.withLock { $0.removeAll { $0.id == id } } }
}
