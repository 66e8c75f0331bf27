/// A text on a screen, whose name is its key in the tables of texts; `%@` stands for a value.
public enum Text: String, CaseIterable, Sendable {
    // MARK: Images

    /// The title of the feed, and its description for search engines and previews.
    case feedTitle, feedSummary
    /// The feed has no images; a publisher is invited to publish the first one.
    case feedEmpty, feedEmptyPublish
    /// The content was saved `%@` ("5 minutes ago").
    case feedSaved, feedOffline, pageSaved, searchSaved
    /// Says that the server is slow, and what is shown meanwhile; `%@` is "5 minutes ago".
    case pageSlow
    /// Says that the browser has not kept a page for the time without the server.
    case offlinePage
    /// Reloads the feed, or loads the next page.
    case feedRefresh, feedLoadMore
    /// Something is being loaded.
    case feedLoading
    /// One or `%@` more images were loaded.
    case feedLoadedOne, feedLoadedMore
    /// There are no more images.
    case feedEnd
    /// The feed was loaded again.
    case feedRefreshed
    /// The server has one or `%@` new images.
    case feedNewOne, feedNew
    /// Leads from another page to the whole feed.
    case feedWhole, searchClear, commentsBack
    /// Names an image without a description.
    case imageUnlabeled
    /// An image could not be shown.
    case imageFailed
    /// An image was removed, or never existed.
    case imageRemoved
    /// Opens an image alone, in its full size.
    case imageOpen
    /// Leads to the image before or after one.
    case imagePrevious, imageNext
    /// Marks, starts or stops an image that moves.
    case imageAnimated, imagePlay, imageStop
    /// Labels the links to other languages.
    case languageLabel

    // MARK: Comments

    /// The title of an image's comments.
    case commentsTitle
    /// An image has no comments, one, or `%@`.
    case commentsEmpty, commentsCountOne, commentsCount
    /// Invites the reader to comment.
    case commentsWrite
    /// Labels a field of a comment.
    case commentsName, commentsMessage
    /// Posts a comment, or drops an unsent one.
    case commentsPost, commentsDiscard
    /// A comment was posted.
    case commentsPosted
    /// `%@` new comments have arrived.
    case commentsNew
    /// A comment is sent later, is being sent, or was refused then.
    case commentsWaiting, commentsSending, commentsFailed
    /// Leads to the comments before those in view, or to the newest.
    case commentsEarlier, commentsNewest
    /// The reader may post another comment in `%@` seconds.
    case commentsTooMany
    /// Comments are missing without the server.
    case commentsUnsaved
    /// Says that comments could not be loaded, and when they will be.
    case commentsUnavailable
    /// Asks whether a comment should be removed, and says what that means.
    case commentsRemoveTitle, commentsRemoveExplanation
    /// Says that the posted comment was removed, and how to post another one.
    case commentRemoved

    // MARK: Fields and sessions

    /// The limit of a field: `%@` characters.
    case fieldLimit
    /// A field may or must not be empty.
    case fieldOptional, fieldRequired
    /// A text is longer than `%@` characters.
    case fieldTooLong
    /// A text contains characters that cannot be stored.
    case fieldInvalid
    /// Leads to the page for the token, and sends it.
    case signIn
    /// Forgets the token.
    case signOut
    /// Labels the token's field, and says where tokens come from.
    case sessionToken, sessionHint
    /// The server does not accept the token, or not any more.
    case sessionRefused, sessionEnded
    /// A command needs a token, or a permission that the token lacks.
    case sessionNeeded, sessionNotPermitted
    /// The token was not sent because others could read it.
    case sessionExposed

    // MARK: Publishing

    /// The title of the page for a new image, or for an image's texts.
    case publishTitle, editTitle
    /// Labels a field of an image.
    case publishFile, publishDescription, publishCaption, publishLocation
    /// The formats and the limit of a file.
    case publishFormats
    /// Why a description is wanted, and what a caption is.
    case publishDescriptionWhy, publishCaptionWhy
    /// Publishes the image, or leads to the page for its texts and saves them.
    case publishAction, editAction, editSave
    /// The image is being sent.
    case publishBusy
    /// Ends an upload, or says that it was ended.
    case publishCancel, publishCanceled
    /// Image `%@` of the `%@` chosen ones is shown.
    case publishPosition
    /// Leaves out one of the chosen images.
    case publishSkip
    /// `%@` of the chosen images were published.
    case publishCount
    /// A file is not an image, ends before the image does, or is damaged.
    case publishUnreadable, publishIncomplete, publishDamaged
    /// Says that a file is a photograph in a format for phones, and how to change that.
    case publishHEIC
    /// A file is too large, or its image has too many pixels or frames.
    case publishTooLarge, publishTooManyPixels, publishTooManyFrames
    /// Says that the feed has the same picture, and how to publish it again; leads to that image.
    case publishDuplicate, publishExisting
    /// States what is removed from an image before it is published.
    case publishPrivacy
    /// The list `%@` was removed from an image before it was published.
    case publishRemoved
    /// The metadata of an image: its place; camera, time and owner; editing; texts for the press and others; previews.
    case metadataLocation, metadataCamera, metadataEditing, metadataPress, metadataTexts, metadataPreviews
    /// Bytes after the end of an image, or anything else.
    case metadataTrailing, metadataOther
    /// Removes an image.
    case removeAction
    /// Asks whether an image should be removed, and says what that means.
    case removeTitle, removeExplanation
    /// Keeps the image.
    case removeCancel
    /// An image is about to be removed; keeps it.
    case removePending, removeUndo

    // MARK: Searching

    /// Searches the feed.
    case searchTitle
    /// The title of the results; `%@` is the search text.
    case searchTitleWords
    /// Labels the search text, or shows the filters and the order.
    case searchWords, searchConditions
    /// Finds only images with a location, or with comments.
    case searchHasLocation, searchHasComments
    /// Labels the period of publication, and names its values.
    case searchPublished, searchAnyTime, searchDay, searchWeek, searchMonth
    /// Labels the order, and names its values.
    case searchOrder, searchNewest, searchOldest, searchMostCommented
    /// No image was found, one, `%@`, or perhaps more than the `%@` that were loaded.
    case searchEmpty, searchFoundOne, searchFound, searchFoundMore
    /// The parts `%@` of a search were left out.
    case searchUnapplied

    // MARK: Failures

    /// Retries after a failure.
    case retry
    /// Hides a message.
    case dismiss
    /// The server could not be reached.
    case connectionError
    /// The server's response is invalid.
    case invalidDataError
    /// Something else failed.
    case unexpectedError
    /// Nothing exists at this address.
    case notFoundError
    /// Says that a form was sent before with other content, and how to send it again.
    case formReused
    /// A request cannot be understood.
    case badRequestError
    /// The server refuses a request from another site.
    case refusedError

    // MARK: The terminal

    /// A column: descriptions, captions, publishers, or the states of waiting comments.
    case terminalImage, terminalCaption, terminalAuthor, terminalState
    /// Where the feed is from.
    case terminalFromServer, terminalFromCache
    /// How to load more; `%@` is the next number of pages.
    case terminalMayHaveMore
    /// How to print earlier comments; `%@` is the id of the first one that is printed.
    case terminalEarlierComments
    /// `%@` images are without bytes.
    case terminalMissingImages
    /// How to see the picture of an image.
    case terminalSeePicture
    /// New images or comments are printed when they arrive.
    case terminalWaitingForChanges
    /// The connection was lost and is there again.
    case terminalConnectedAgain
    /// No comments wait for the server.
    case terminalNoWaitingComments
    /// A comment waits, or was refused.
    case terminalStateWaiting, terminalStateFailed
    /// A comment on the image `%@` was posted.
    case terminalPosted
    /// The server asks to wait `%@` seconds.
    case terminalServerAsksToWait
    /// Says that a comment waits, and what sends it.
    case terminalWaitsInOutbox
    /// An image was published.
    case terminalPublished
    /// The image `%@` was published before, corrected, removed, or removed before.
    case terminalPublishedBefore, terminalCorrected, terminalRemovedImage, terminalRemovedBefore
    /// The comment `%@` was removed.
    case terminalRemovedComment
}
