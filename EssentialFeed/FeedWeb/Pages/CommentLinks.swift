import FeedFeature
import FeedPresentation

/// The links of a list of comments to the other parts of its discussion.
struct CommentLinks {
    struct Link {
        let address: String
        let text: String
    }

    /// Leads to the comments before these; nil if there are none.
    let earlier: Link?
    /// Leads to the newest comments; nil if these are shown.
    let newest: Link?

    /// No links.
    init() {
        earlier = nil
        newest = nil
    }

    /// The links of a part.
    ///
    /// - Parameter address: Returns the address of the discussion with the given parameters.
    init(_ part: Range<Int>, of comments: [ImageComment], in language: Language, address: ([String: String]) -> String)
    {
        earlier =
            part.lowerBound == 0
            ? nil : Link(address: address(["before": "\(part.lowerBound)"]), text: language[.commentsEarlier])
        newest = part.upperBound == comments.count ? nil : Link(address: address([:]), text: language[.commentsNewest])
    }
}
