import DuetHTTP
import FeedFeature
import Synchronization

/// How often each reader may post a comment.
///
/// Each attempt counts, also one that is refused. Browsers send a comment again if they did not get the response: as at
/// the backend, the repeat of an accepted comment does not count.
final class CommentQuota: Sendable {
    /// The number of accepted comments that are remembered, the last ones.
    private static let limit = 1_000

    private let quota: ClientQuota
    private let accepted = Mutex<[PostImageComment]>([])

    init(_ quota: ClientQuota) {
        self.quota = quota
    }

    /// Uses the quota of a reader, unless the comment was accepted before.
    ///
    /// - Throws: `TooManyComments` if the quota is used up.
    func use(by reader: String?, for comment: PostImageComment) throws(TooManyComments) {
        let isRepeat = accepted.withLock { accepted in
            // If this one is refused, because the comment was removed, the next one counts.
            accepted.firstIndex { $0.isExactly(comment) }.map { accepted.remove(at: $0) } != nil
        }
        guard !isRepeat, let pause = quota.use(by: reader) else { return }
        throw TooManyComments(until: pause)
    }

    /// Remembers a comment that the backend has accepted.
    func accept(_ comment: PostImageComment) {
        accepted.withLock { $0 = $0.suffix(Self.limit - 1) + [comment] }
    }
}

extension PostImageComment {
    /// Whether all bytes of the texts are equal, too.
    fileprivate func isExactly(_ other: PostImageComment) -> Bool {
        self == other && message.utf8.elementsEqual(other.message.utf8)
            && username.utf8.elementsEqual(other.username.utf8)
    }
}
