public import FeedFeature
public import Foundation

/// Turns the comments on an image, and what went wrong with them, into what a screen shows.
public struct ImageCommentsPresenter: Sendable {
    /// The language of all texts.
    public let language: Language

    private let now: Date
    private let calendar: Calendar

    /// Presents in a language, with dates as of `now`.
    public init(language: Language, now: Date, calendar: Calendar) {
        self.language = language
        self.now = now
        self.calendar = calendar
    }

    /// Presents comments in the order given.
    public func present(_ comments: [ImageComment]) -> ImageCommentsViewModel {
        ImageCommentsViewModel(
            title: language[.commentsTitle],
            comments: comments.map(present),
            error: nil,
            emptyMessage: comments.isEmpty ? language[.commentsEmpty] : nil
        )
    }

    /// Presents an error that left nothing to show; a cancelled load shows nothing at all.
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
