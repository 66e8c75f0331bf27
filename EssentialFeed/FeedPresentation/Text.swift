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
    /// Says that an image was removed, or never existed.
    case imageRemoved = "image.removed"
    /// The title of an image's comments.
    case commentsTitle = "comments.title"
    /// Says that an image has no comments.
    case commentsEmpty = "comments.empty"
    /// Leads back to the feed.
    case commentsBack = "comments.back"
    /// Opens an image alone, in its full size.
    case imageOpen = "image.open"
    /// Describes the feed for search engines and previews.
    case feedSummary = "feed.summary"
    /// Says that one more image was loaded.
    case feedLoadedOne = "feed.loaded-one"
    /// Says how many more images were loaded; `%@` stands for the number.
    case feedLoadedMore = "feed.loaded-more"
    /// Says that there are no more images.
    case feedEnd = "feed.end"
    /// Says that the feed was loaded again.
    case feedRefreshed = "feed.refreshed"
    /// Says that the server has one new image.
    case feedNewOne = "feed.new-one"
    /// Says how many new images the server has; `%@` stands for the number.
    case feedNew = "feed.new"
    /// The label of the links to other languages.
    case languageLabel = "language.label"
    /// The label of the name's field.
    case commentsName = "comments.name"
    /// The label of the comment's field.
    case commentsMessage = "comments.message"
    /// Posts a comment.
    case commentsPost = "comments.post"
    /// Says that a comment was posted.
    case commentsPosted = "comments.posted"
    /// Says how many new comments have arrived; `%@` stands for the number.
    case commentsNew = "comments.new"
    /// Says that a comment is sent later.
    case commentsWaiting = "comments.waiting"
    /// Says that a comment is being sent.
    case commentsSending = "comments.sending"
    /// Says that the server refused a comment that was sent later.
    case commentsFailed = "comments.failed"
    /// Drops a comment that has not been sent.
    case commentsDiscard = "comments.discard"
    /// Leads to the comments before those in view.
    case commentsEarlier = "comments.earlier"
    /// Leads from earlier comments to the newest.
    case commentsNewest = "comments.newest"
    /// States the limit of a field; `%@` stands for the number of characters.
    case fieldLimit = "field.limit"
    /// States that a field may be empty.
    case fieldOptional = "field.optional"
    /// Says that a field must not be empty.
    case fieldRequired = "field.required"
    /// Says that a text is too long; `%@` stands for the number of characters.
    case fieldTooLong = "field.too-long"
    /// Says that a text contains characters that cannot be stored.
    case fieldInvalid = "field.invalid"
    /// Leads to the page for the token, and sends it.
    case signIn = "session.sign-in"
    /// Forgets the token.
    case signOut = "session.sign-out"
    /// The label of the token's field.
    case sessionToken = "session.token"
    /// Says where tokens come from.
    case sessionHint = "session.hint"
    /// Says that the server does not accept the token.
    case sessionRefused = "session.refused"
    /// Says that a command needs a token.
    case sessionNeeded = "session.needed"
    /// Says that the token lacks the permission.
    case sessionNotPermitted = "session.not-permitted"
    /// The title of the page for a new image.
    case publishTitle = "publish.title"
    /// The label of the file's field.
    case publishFile = "publish.file"
    /// States the formats and the limit of a file.
    case publishFormats = "publish.formats"
    /// The label of the description's field.
    case publishDescription = "publish.description"
    /// The label of the location's field.
    case publishLocation = "publish.location"
    /// Publishes the image.
    case publishAction = "publish.action"
    /// Says that the image is being sent.
    case publishBusy = "publish.busy"
    /// Says that a file is not an image.
    case publishUnreadable = "publish.unreadable"
    /// Says that a file is a photograph in a format for phones, and how to change that.
    case publishHEIC = "publish.heic"
    /// Says that a file is too large.
    case publishTooLarge = "publish.too-large"
    /// Says that a file ends before the image does.
    case publishIncomplete = "publish.incomplete"
    /// Says that a file is a damaged image.
    case publishDamaged = "publish.damaged"
    /// Says that an image has too many pixels.
    case publishTooManyPixels = "publish.too-many-pixels"
    /// Says that an animation has too many frames.
    case publishTooManyFrames = "publish.too-many-frames"
    /// States what is removed from an image before it is published.
    case publishPrivacy = "publish.privacy"
    /// Says what was removed from an image before it was published; `%@` stands for a list.
    case publishRemoved = "publish.removed"
    /// Names the place of a photograph.
    case metadataLocation = "metadata.location"
    /// Names the camera, the time and the owner of a photograph.
    case metadataCamera = "metadata.camera"
    /// Names descriptions and the history of editing.
    case metadataEditing = "metadata.editing"
    /// Names descriptions for the press.
    case metadataPress = "metadata.press"
    /// Names comments and other texts.
    case metadataTexts = "metadata.texts"
    /// Names small versions of an image.
    case metadataPreviews = "metadata.previews"
    /// Names bytes after the end of an image.
    case metadataTrailing = "metadata.trailing"
    /// Names anything else.
    case metadataOther = "metadata.other"
    /// Removes an image.
    case removeAction = "remove.action"
    /// Asks whether an image should be removed.
    case removeTitle = "remove.title"
    /// States what removing an image means.
    case removeExplanation = "remove.explanation"
    /// Keeps the image.
    case removeCancel = "remove.cancel"
    /// Says that an image is about to be removed.
    case removePending = "remove.pending"
    /// Keeps an image that was about to be removed.
    case removeUndo = "remove.undo"
    /// Retries after a failure.
    case retry = "action.retry"
    /// Hides a message.
    case dismiss = "action.dismiss"
    /// Says that the server could not be reached.
    case connectionError = "error.connection"
    /// Says that the browser has not kept a page for the time without the server.
    case offlinePage = "offline.page"
    /// Says that the server's response is invalid.
    case invalidDataError = "error.invalid-data"
    /// Says that something else failed.
    case unexpectedError = "error.unexpected"
    /// Says that nothing exists at this address.
    case notFoundError = "error.not-found"
    /// Says that a form was sent before with other content, and how to send it again.
    case formReused = "error.form-reused"
    /// Says when the reader may post another comment; `%@` stands for the number of seconds.
    case commentsTooMany = "comments.too-many"
    /// Says that a request cannot be understood.
    case badRequestError = "error.bad-request"
    /// Says that the server refuses a request from another site.
    case refusedError = "error.refused"
    /// Searches the feed.
    case searchTitle = "search.title"
    /// The title of the results; `%@` stands for the search text.
    case searchTitleWords = "search.title-words"
    /// The label of the search text.
    case searchWords = "search.words"
    /// Shows the filters and the order.
    case searchConditions = "search.conditions"
    /// Finds only images with a location.
    case searchHasLocation = "search.has-location"
    /// Finds only images with comments.
    case searchHasComments = "search.has-comments"
    /// The label of the period of publication.
    case searchPublished = "search.published"
    /// Finds images of any time.
    case searchAnyTime = "search.any-time"
    /// Finds images of one day.
    case searchDay = "search.day"
    /// Finds images of one week.
    case searchWeek = "search.week"
    /// Finds images of one month.
    case searchMonth = "search.month"
    /// The label of the order.
    case searchOrder = "search.order"
    /// Orders images from new to old.
    case searchNewest = "search.newest"
    /// Orders images from old to new.
    case searchOldest = "search.oldest"
    /// Orders images by their number of comments.
    case searchMostCommented = "search.most-commented"
    /// Leads from the results back to the whole feed.
    case searchClear = "search.clear"
    /// Says that one image was found.
    case searchFoundOne = "search.found-one"
    /// Says how many images were found; `%@` stands for the number.
    case searchFound = "search.found"
    /// Says that there may be more images than were loaded; `%@` stands for the number.
    case searchFoundMore = "search.found-more"
    /// Says that no image was found.
    case searchEmpty = "search.empty"
    /// Says that a cached feed was searched; `%@` stands for "5 minutes ago".
    case searchSaved = "search.saved"
    /// Names the parts of a search that were left out; `%@` stands for them.
    case searchUnapplied = "search.unapplied"
    /// Says that the token was not sent because others could read it.
    case sessionExposed = "session.exposed"
    /// Says that an image has one comment.
    case commentsCountOne = "comments.count-one"
    /// Says how many comments an image has; `%@` stands for the number.
    case commentsCount = "comments.count"
    /// Invites the reader to comment.
    case commentsWrite = "comments.write"
    /// Asks whether a comment should be removed.
    case commentsRemoveTitle = "comments.remove-title"
    /// States what removing a comment means.
    case commentsRemoveExplanation = "comments.remove-explanation"
    /// Says that the posted comment was removed, and how to post another one.
    case commentRemoved = "comments.removed-before"
    /// Leads to the image before one.
    case imagePrevious = "image.previous"
    /// Leads to the image after one.
    case imageNext = "image.next"
    /// Says that a page shows what was saved; `%@` stands for "5 minutes ago".
    case feedOffline = "feed.offline"
    /// Says that the browser shows a page that it has saved; `%@` stands for "5 minutes ago".
    case pageSaved = "page.saved"
    /// Says that the server is slow, and what is shown meanwhile; `%@` stands for "5 minutes ago".
    case pageSlow = "page.slow"
    /// Says that comments are missing without the server.
    case commentsUnsaved = "comments.unsaved"
    /// Says that comments could not be loaded, and when they will be.
    case commentsUnavailable = "comments.unavailable"
    /// Leads from a later page, or from a removed image, to the feed.
    case feedWhole = "feed.whole"
    /// Invites a publisher to publish the first image.
    case feedEmptyPublish = "feed.empty-publish"
    /// Says why a description is wanted.
    case publishDescriptionWhy = "publish.description-why"
    /// The label of the caption's field.
    case publishCaption = "publish.caption"
    /// Says what a caption is.
    case publishCaptionWhy = "publish.caption-why"
    /// Ends an upload.
    case publishCancel = "publish.cancel"
    /// Says that an upload was ended.
    case publishCanceled = "publish.canceled"
    /// Says which of the chosen images is shown; `%@` stands for its number, and then for the number of all.
    case publishPosition = "publish.position"
    /// Leaves out one of the chosen images.
    case publishSkip = "publish.skip"
    /// Says how many of the chosen images were published; `%@` stands for the number.
    case publishCount = "publish.count"
    /// Leads to the page for an image's texts.
    case editAction = "edit.action"
    /// The title of the page for an image's texts.
    case editTitle = "edit.title"
    /// Saves an image's texts.
    case editSave = "edit.save"
    /// Says that a token is no longer accepted.
    case sessionEnded = "session.ended"
    /// Says that the feed has the same picture, and how to publish it again.
    case publishDuplicate = "publish.duplicate"
    /// Leads to the image that has the same picture.
    case publishExisting = "publish.existing"
    /// Marks an image that moves.
    case imageAnimated = "image.animated"
    /// Starts an animation.
    case imagePlay = "image.play"
    /// Stops an animation.
    case imageStop = "image.stop"
    /// The column of the images' descriptions.
    case terminalImage = "terminal.image"
    /// The column of the publishers' words.
    case terminalCaption = "terminal.caption"
    /// The column of the publishers.
    case terminalAuthor = "terminal.author"
    /// Says that the feed is from the server.
    case terminalFromServer = "terminal.from-server"
    /// Says that the feed is from the cache.
    case terminalFromCache = "terminal.from-cache"
    /// Says how to load more; `%@` stands for the next number of pages.
    case terminalMayHaveMore = "terminal.may-have-more"
    /// Says how to print earlier comments; `%@` stands for the id of the first one that is printed.
    case terminalEarlierComments = "terminal.earlier-comments"
    /// Says how many images are without bytes; `%@` stands for the number.
    case terminalMissingImages = "terminal.missing-images"
    /// Says how to see the picture of an image.
    case terminalSeePicture = "terminal.see-picture"
    /// Says that new images or comments are printed when they arrive.
    case terminalWaitingForChanges = "terminal.waiting-for-changes"
    /// Says that the connection was lost and is there again.
    case terminalConnectedAgain = "terminal.connected-again"
    /// Says that no comments wait for the server.
    case terminalNoWaitingComments = "terminal.no-waiting-comments"
    /// The column of the states of waiting comments.
    case terminalState = "terminal.state"
    /// Says that a comment waits.
    case terminalStateWaiting = "terminal.state-waiting"
    /// Says that the server refused a comment.
    case terminalStateFailed = "terminal.state-failed"
    /// Says that a comment was posted; `%@` stands for the image.
    case terminalPosted = "terminal.posted"
    /// Says that the server asks to wait; `%@` stands for the number of seconds.
    case terminalServerAsksToWait = "terminal.server-asks-to-wait"
    /// Says that a comment waits, and what sends it.
    case terminalWaitsInOutbox = "terminal.waits-in-outbox"
    /// Says that an image was published.
    case terminalPublished = "terminal.published"
    /// Says that an image was published before; `%@` stands for it.
    case terminalPublishedBefore = "terminal.published-before"
    /// Says that the texts of an image were corrected; `%@` stands for the image.
    case terminalCorrected = "terminal.corrected"
    /// Says that an image was removed; `%@` stands for it.
    case terminalRemovedImage = "terminal.removed-image"
    /// Says that an image was removed before; `%@` stands for it.
    case terminalRemovedBefore = "terminal.removed-before"
    /// Says that a comment was removed; `%@` stands for it.
    case terminalRemovedComment = "terminal.removed-comment"
}
