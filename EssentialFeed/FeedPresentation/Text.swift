/// A text on a screen, with its key in the tables of texts.
public enum Text: String, CaseIterable, Sendable {
    /// The feed's title.
    case feedTitle = "feed.title"
    /// Says that the feed has no images.
    case feedEmpty = "feed.empty"
    /// Says when a cached feed was saved; `%@` stands for "5 minutes ago".
    case feedSaved = "feed.saved"
    /// Reloads the feed.
    case feedRefresh = "feed.refresh"
    /// Loads the next page.
    case feedLoadMore = "feed.load-more"
    /// Says that something is being loaded.
    case feedLoading = "feed.loading"
    /// Names an image without a description.
    case imageUnlabeled = "image.unlabeled"
    /// Says that an image could not be shown.
    case imageFailed = "image.failed"
    /// The title of an image's comments.
    case commentsTitle = "comments.title"
    /// Says that an image has no comments.
    case commentsEmpty = "comments.empty"
    /// Leads back to the feed.
    case commentsBack = "comments.back"
    /// Retries after a failure.
    case retry = "action.retry"
    /// Hides a message.
    case dismiss = "action.dismiss"
    /// Says that the server could not be reached.
    case connectionError = "error.connection"
    /// Says that the server's response is invalid.
    case invalidDataError = "error.invalid-data"
    /// Says that something else failed.
    case unexpectedError = "error.unexpected"
    /// Says that nothing exists at this address.
    case notFoundError = "error.not-found"
    /// Says that a request cannot be understood.
    case badRequestError = "error.bad-request"
}
