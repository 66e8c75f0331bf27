import DuetHTTP
import FeedFeature
import Synchronization

/// How often each reader may post a comment.
///
/// Browsers send a comment again if they did not get the response. As at the backend, this does not count.
final class CommentQuota: Sendable {
    /// The number of comments that are remembered, the last ones.
    private static let limit = 1_000

    private let quota: ClientQuota
    private let counted = Mutex<[ImageComment.ID]>([])

    init(_ quota: ClientQuota) {
        self.quota = quota
    }

    /// Uses the quota of a reader once for each comment.
    ///
    /// - Throws: `TooManyComments` if the quota is used up.
    func use(by reader: String?, for comment: ImageComment.ID) throws(TooManyComments) {
        try counted.withLock { counted throws(TooManyComments) in
            guard !counted.contains(comment) else { return }
            if let pause = quota.use(by: reader) { throw TooManyComments(until: pause) }
            if counted.count == Self.limit { counted.removeFirst() }
            counted.append(comment)
        }
    }
}
