/// A page of the comments on an image.
public struct ImageCommentPage: Hashable, Sendable {
    /// The comments, in the server's order, in which a new one is the last.
    public let comments: [ImageComment]

    /// Whether there are comments before these.
    public let hasEarlier: Bool

    /// Creates a page.
    public init(comments: [ImageComment], hasEarlier: Bool = false) {
        self.comments = comments
        self.hasEarlier = hasEarlier
    }

    /// Creates the page of a whole discussion that a query asks for; the newest one if its `before` is unknown.
    public init(of comments: [ImageComment], answering query: LoadImageComments) {
        let end = comments.firstIndex { $0.id == query.before } ?? comments.count
        let start = max(0, end - query.maximumCount)
        self.init(comments: Array(comments[start..<end]), hasEarlier: start > 0)
    }

    /// Adds a new comment to the newest page, unless the page has it already.
    package mutating func add(_ comment: ImageComment, answering query: LoadImageComments) {
        guard query.before == nil, !comments.contains(where: { $0.id == comment.id }) else { return }
        let page = ImageCommentPage(of: comments + [comment], answering: query)
        self = ImageCommentPage(comments: page.comments, hasEarlier: hasEarlier || page.hasEarlier)
    }

    /// The size of the texts, for caches, in bytes.
    package var approximateSize: Int {
        comments.reduce(64) { $0 + $1.message.utf8.count + $1.username.utf8.count + 64 }
    }
}

extension LoadImageComments {
    /// The number of comments that a page may have.
    package var maximumCount: Int { limit ?? Self.limits.upperBound }
}
