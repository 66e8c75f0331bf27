public import FeedFeature
public import Foundation
import Synchronization

/// Keeps comments in memory, and sends none.
public final class OutboxSpy: CommentOutbox {
    private let now: Date
    private let kept = Mutex<[WaitingComment]>([])

    public init(now: Date = Date(timeIntervalSince1970: 0)) { self.now = now }

    public var comments: [WaitingComment] { get async { kept.withLock(\.self) } }

    public func keep(_ comment: PostImageComment) async throws {
        try comment.validate()
        kept.withLock { $0.append(WaitingComment(comment, date: now, state: .waiting(reason: nil))) }
    }

    public func send() async {}

    public func retry(_ id: ImageComment.ID) async throws {}

    public func drop(_ id: ImageComment.ID) async throws { kept.withLock { $0.removeAll { $0.id == id } } }
}
