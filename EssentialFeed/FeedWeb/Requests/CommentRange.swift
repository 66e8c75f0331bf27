import FeedFeature
import Hummingbird

/// The part of a discussion that a page shows: the newest comments, or those before one that is on another page.
///
/// Comments are added at the end, so the address of a part leads to the same comments later.
struct CommentRange: Sendable {
    /// The largest number of comments on a page.
    static let limit = 50

    /// The number of comments before the end of this part; nil for the newest.
    private let end: Int?

    init(_ request: Request) {
        end = Form(query: request.uri.query ?? "").optional("before").flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The positions of the comments in a whole list.
    func indices(of comments: [ImageComment]) -> Range<Int> {
        let end = min(end ?? comments.count, comments.count)
        return max(0, end - Self.limit)..<end
    }
}
