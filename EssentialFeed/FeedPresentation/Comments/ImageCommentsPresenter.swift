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

    /// Presents an error without comments; a cancelled load shows no error.
    public func present(_ error: any Error) -> ImageCommentsViewModel {
        ImageCommentsViewModel(
            title: language[.commentsTitle],
            comments: [],
            error: error is CancellationError ? nil : language.message(for: error),
            emptyMessage: nil
        )
    }

    private func present(_ comment: ImageComment) -> ImageCommentViewModel {
        ImageCommentViewModel(
            id: comment.id,
            message: comment.message,
            username: comment.username,
            date: language.relativeText(of: comment.createdAt, now: now, calendar: calendar),
            createdAt: comment.createdAt
        )
    }
}
