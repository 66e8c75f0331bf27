import FeedFeature
import FeedPresentation
import Foundation

/// The links of a page of comments to other pages of its discussion.
struct CommentLinks {
    struct Link {
        let address: String
        let text: String
    }

    /// Leads to the comments before these; nil if there are none.
    let earlier: Link?
    /// Leads to the newest comments; nil if these are shown.
    let newest: Link?
    /// The parameters with which the links that remove a comment lead back to this page; empty for the newest one.
    let query: String

    init() {
        earlier = nil
        newest = nil
        query = ""
    }

    /// The links of a page.
    ///
    /// - Parameters:
    ///   - end: The comment before which the page ends; nil for the newest page.
    ///   - address: Returns the address of the page that ends before a comment, or of the newest page.
    init(
        of page: ImageCommentPage,
        before end: ImageComment.ID?,
        in language: Language,
        address: (ImageComment.ID?) -> String
    ) {
        let first = page.hasEarlier ? page.comments.first : nil
        earlier = first.map { Link(address: address($0.id), text: language[.commentsEarlier]) }
        newest = end == nil ? nil : Link(address: address(nil), text: language[.commentsNewest])
        query = end.map { Visit.address("", ["before": $0.uuidString]) } ?? ""
    }
}
