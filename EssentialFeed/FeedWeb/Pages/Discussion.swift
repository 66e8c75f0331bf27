import Duet
import FeedFeature
import FeedPresentation
import Foundation

/// Fills the template for an image and its comments.
struct Discussion {
    struct Image {
        let label: String
        let picture: Picture
        let byline: Byline
        /// The caption, or else the description, or else what is known.
        let title: String
        /// The description beside a caption.
        let description: String?
        /// The location, unless it is the title for want of a description.
        let location: String?
        /// All texts of the image, for previews elsewhere.
        let summary: String
    }

    let id: UUID
    let image: Image?
    let neighbors: Neighbors
    let list: CommentList
    let draft: CommentDraft
    /// Leads to the image's position in the feed.
    let back: String
    let remove: String
    let edit: String

    init(
        id: UUID,
        image: FeedImageViewModel?,
        neighbors: Neighbors,
        list: CommentList,
        draft: CommentDraft,
        visit: Visit
    ) {
        self.id = id
        self.image = image.map { image in
            let title = image.title ?? image.label
            return Image(
                label: image.label,
                picture: Picture(image.source, in: .stage),
                byline: Byline(image, visit: visit),
                title: title,
                description: image.caption == nil ? nil : image.description,
                location: image.title == nil ? nil : image.location,
                summary: [image.caption, image.label, image.location].compactMap(\.self).uniqued()
                    .joined(separator: " · ")
            )
        }
        self.neighbors = neighbors
        self.list = list
        self.draft = draft
        back = visit.link(to: "/", visit.position, fragment: "image-\(id)")
        remove = visit.link(to: "/images/\(id)/remove", visit.position)
        edit = visit.link(to: "/images/\(id)/edit", visit.position)
    }
}

/// The addresses of the images before and after one; nil for those that are unknown.
struct Neighbors {
    var previous: String?
    var next: String?
}

struct CommentList {
    struct Comment {
        let id: UUID
        let username: String
        let initial: String
        /// The number of the avatar's color, 0 to 4, which depends only on the user name.
        let tone: Int
        let message: [LinkedText.Part]
        let date: String
        let timestamp: String
        let fullDate: String
        /// The progress of an unsent comment.
        let note: String?

        init(_ comment: ImageCommentViewModel) {
            note = comment.note
            id = comment.id
            username = comment.username
            initial = comment.username.first { !$0.isWhitespace }.map { String($0.uppercased().prefix(1)) } ?? ""
            tone = comment.username.unicodeScalars.reduce(0) { ($0 + Int($1.value)) % 5 }
            message = LinkedText(comment.message).parts
            date = comment.date
            timestamp = comment.createdAt.ISO8601Format()
            fullDate = comment.fullDate
        }
    }

    let id: FeedImage.ID
    /// The text of the links that remove a comment, which only some readers see.
    let remove: String
    let comments: [Comment]
    let emptyMessage: String?
    let links: CommentLinks

    init(
        _ model: ImageCommentsViewModel,
        on id: FeedImage.ID,
        in language: Language,
        waiting: [ImageCommentViewModel] = [],
        links: CommentLinks = CommentLinks()
    ) {
        self.id = id
        remove = language[.removeAction]
        // A comment may have been sent while the list was loaded.
        let sent = Set(model.comments.map(\.id))
        comments = (model.comments + waiting.filter { !sent.contains($0.id) }).map(Comment.init)
        emptyMessage = comments.isEmpty && links.newest == nil ? model.emptyMessage : nil
        self.links = links
    }

    /// The list alone, for a page that replaces its own.
    var html: String {
        get throws { try Templates.render("comments", ["content": ["list": self]]) }
    }
}

/// The form for a comment, empty or with the text and the faults of a refused one.
struct CommentDraft {
    /// The id of the comment, which stays the same until the comment is posted or the id is refused.
    let id: UUID
    let username: Field
    let message: Field
    /// A failure that concerns no field.
    let failure: String?
    let needsSession: Bool
    let action: String

    init(_ comment: PostImageComment? = nil, id: UUID, refusedWith error: (any Error)? = nil, visit: Visit) {
        self.id = id
        username = Field(comment?.username, "username", PostImageComment.usernameLimit, refusedWith: error, visit)
        message = Field(comment?.message, "message", PostImageComment.messageLimit, refusedWith: error, visit)
        failure = username.fault == nil && message.fault == nil ? error.map(visit.message) : nil
        needsSession = error is AuthorizationError
        action = visit.link(to: visit.path + "/comments", visit.position)
    }
}

/// A field of a form, with its text and its fault.
struct Field {
    let value: String
    let fault: String?
    let limit: Int
    let limitText: String

    /// Creates a field; nil for one without a text, which has no fault.
    ///
    /// An error names only the first fault of a message, and the reader should see all at once.
    init(_ text: String?, _ name: String, _ limit: Int, refusedWith error: (any Error)?, _ visit: Visit) {
        value = text ?? ""
        self.limit = limit
        limitText = visit.language.text(.fieldLimit, limit)
        guard let text, let invalid = error as? InvalidMessage else {
            fault = nil
            return
        }
        let found = FieldFault(in: text, limit: limit)
        // A text that could be stored is at fault only if the error names its field.
        fault = found == .invalid && invalid.field != name ? nil : found.text(in: visit.language)
    }
}

extension [String] {
    fileprivate func uniqued() -> [String] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
