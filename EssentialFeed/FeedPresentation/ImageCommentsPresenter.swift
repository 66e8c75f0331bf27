public import FeedFeature
public import Foundation

/// Creates view models from the comments on an image and from errors.
public struct ImageCommentsPresenter: Sendable {
    /// The language of all texts.
    public let language: Language

    private let now: Date
    private let calendar: Calendar

    /// Creates a presenter for a language, with dates relative to `now`.
    public init(language: Language, now: Date, calendar: Calendar) {
        self.language = language
        self.now = now
        self.calendar = calendar
    }

    /// Presents comments in the given order.
    public func present(_ comments: [ImageComment]) -> ImageCommentsViewModel {
        ImageCommentsViewModel(
            title: language[.commentsTitle],
            comments: comments.map(present),
            error: nil,
            emptyMessage: comments.isEmpty ? language[.commentsEmpty] : nil
        )
    }

    /// Presents an error in place of comments; a canceled load shows no error.
    public func present(_ error: any Error) -> ImageCommentsViewModel {
        let isCanceled = error is CancellationError
        return ImageCommentsViewModel(
            title: language[.commentsTitle],
            comments: [],
            error: isCanceled ? nil : language.message(for: error),
            emptyMessage: isCanceled ? nil : language[.commentsUnavailable]
        )
    }

    /// Presents unsent comments, each with a note about that.
    public func present(waiting comments: [WaitingComment]) -> [ImageCommentViewModel] {
        comments.map { waiting in
            present(
                ImageComment(waiting.comment, createdAt: waiting.date),
                note: language[waiting.isFailed ? .commentsFailed : .commentsWaiting]
            )
        }
    }

    private func present(_ comment: ImageComment) -> ImageCommentViewModel { present(comment, note: nil) }

    private func present(_ comment: ImageComment, note: String?) -> ImageCommentViewModel {
        ImageCommentViewModel(
            id: comment.id,
            message: comment.message,
            // The name may be older than the rule for names.
            username: comment.username.asName,
            date: language.relativeText(of: comment.createdAt, now: now, calendar: calendar),
            createdAt: comment.createdAt,
            fullDate: language.fullText(of: comment.createdAt, calendar: calendar),
            note: note
        )
    }
}

/// The comments on an image, as a screen shows them.
public struct ImageCommentsViewModel: Hashable, Sendable {
    /// The screen's title.
    public let title: String

    /// The comments, in the server's order.
    public let comments: [ImageCommentViewModel]

    /// The text of the error banner; nil for no banner.
    public let error: String?

    /// The text for an empty list, also of comments that could not be loaded; nil if there are comments.
    public let emptyMessage: String?
}

/// A comment, as a screen shows it.
public struct ImageCommentViewModel: Hashable, Identifiable, Sendable {
    /// The comment's id.
    public let id: UUID

    /// The text.
    public let message: String

    /// The author's name.
    public let username: String

    /// The comment's age, such as "5 minutes ago".
    public let date: String

    /// The time when it was posted, for a screen that shows it on request.
    public let createdAt: Date

    /// The same time as a text.
    public let fullDate: String

    /// The progress of an unsent comment; nil for other comments.
    public let note: String?
}
