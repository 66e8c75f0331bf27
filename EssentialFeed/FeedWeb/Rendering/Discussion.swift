import FeedPresentation
import Foundation

/// What the comments' template is filled with.
struct Discussion {
    struct Comment {
        let username: String
        let initial: String
        /// One of the avatar's five colours, always the same for a user name.
        let tone: Int
        let message: String
        let date: String
        let timestamp: String

        init(_ comment: ImageCommentViewModel) {
            username = comment.username
            initial = comment.username.first.map { $0.uppercased() } ?? ""
            tone = comment.username.unicodeScalars.reduce(0) { ($0 + Int($1.value)) % 5 }
            message = comment.message
            date = comment.date
            timestamp = comment.createdAt.ISO8601Format()
        }
    }

    let image: FeedImageViewModel?
    let comments: [Comment]
    let emptyMessage: String?
}
