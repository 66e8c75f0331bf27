/// A text on a screen, whose name is its key in the tables of texts.
public enum Text: String, CaseIterable, Sendable {
    /// The feed's title.
    case feedTitle
    /// The feed has no images.
    case feedEmpty
    /// A cached feed was saved `%@` ("5 minutes ago").
    case feedSaved
    /// Reloads the feed.
    case feedRefresh
    /// Loads the next page.
    case feedLoadMore
    /// Something is being loaded.
    case feedLoading
    /// Names an image without a description.
    case imageUnlabeled
    /// An image could not be shown.
    case imageFailed
    /// An image was removed, or never existed.
    case imageRemoved
    /// The title of an image's comments.
    case commentsTitle
    /// An image has no comments.
    case commentsEmpty
    /// Leads back to the feed.
    case commentsBack
    /// Opens an image alone, in its full size.
    case imageOpen
    /// Describes the feed for search engines and previews.
    case feedSummary
    /// One more image was loaded.
    case feedLoadedOne
    /// `%@` more images were loaded.
    case feedLoadedMore
    /// There are no more images.
    case feedEnd
    /// The feed was loaded again.
    case feedRefreshed
    /// The server has one new image.
    case feedNewOne
    /// The server has `%@` new images.
    case feedNew
    /// Labels the links to other languages.
    case languageLabel
    /// Labels the name's field.
    case commentsName
    /// Labels the comment's field.
    case commentsMessage
    /// Posts a comment.
    case commentsPost
    /// A comment was posted.
    case commentsPosted
    /// `%@` new comments have arrived.
    case commentsNew
    /// A comment is sent later.
    case commentsWaiting
    /// A comment is being sent.
    case commentsSending
    /// The server refused a comment that was sent later.
    case commentsFailed
    /// Drops an unsent comment.
    case commentsDiscard
    /// Leads to the comments before those in view.
    case commentsEarlier
    /// Leads from earlier comments to the newest.
    case commentsNewest
    /// The limit of a field: `%@` characters.
    case fieldLimit
    /// A field may be empty.
    case fieldOptional
    /// A field must not be empty.
    case fieldRequired
    /// A text is longer than `%@` characters.
    case fieldTooLong
    /// A text contains characters that cannot be stored.
    case fieldInvalid
    /// Leads to the page for the token, and sends it.
    case signIn
    /// Forgets the token.
    case signOut
    /// Labels the token's field.
    case sessionToken
    /// Where tokens come from.
    case sessionHint
    /// The server does not accept the token.
    case sessionRefused
    /// A command needs a token.
    case sessionNeeded
    /// The token lacks the permission.
    case sessionNotPermitted
    /// The title of the page for a new image.
    case publishTitle
    /// Labels the file's field.
    case publishFile
    /// The formats and the limit of a file.
    case publishFormats
    /// Labels the description's field.
    case publishDescription
    /// Labels the location's field.
    case publishLocation
    /// Publishes the image.
    case publishAction
    /// The image is being sent.
    case publishBusy
    /// A file is not an image.
    case publishUnreadable
    /// Says that a file is a photograph in a format for phones, and how to change that.
    case publishHEIC
    /// A file is too large.
    case publishTooLarge
    /// A file ends before the image does.
    case publishIncomplete
    /// A file is a damaged image.
    case publishDamaged
    /// An image has too many pixels.
    case publishTooManyPixels
    /// An animation has too many frames.
    case publishTooManyFrames
    /// States what is removed from an image before it is published.
    case publishPrivacy
    /// The list `%@` was removed from an image before it was published.
    case publishRemoved
    /// The place of a photograph.
    case metadataLocation
    /// The camera, the time and the owner of a photograph.
    case metadataCamera
    /// Descriptions and the history of editing.
    case metadataEditing
    /// Descriptions for the press.
    case metadataPress
    /// Comments and other texts.
    case metadataTexts
    /// Small versions of an image.
    case metadataPreviews
    /// Bytes after the end of an image.
    case metadataTrailing
    /// Anything else.
    case metadataOther
    /// Removes an image.
    case removeAction
    /// Asks whether an image should be removed.
    case removeTitle
    /// States what removing an image means.
    case removeExplanation
    /// Keeps the image.
    case removeCancel
    /// An image is about to be removed.
    case removePending
    /// Keeps an image that was about to be removed.
    case removeUndo
    /// Retries after a failure.
    case retry
    /// Hides a message.
    case dismiss
    /// The server could not be reached.
    case connectionError
    /// Says that the browser has not kept a page for the time without the server.
    case offlinePage
    /// The server's response is invalid.
    case invalidDataError
    /// Something else failed.
    case unexpectedError
    /// Nothing exists at this address.
    case notFoundError
    /// Says that a form was sent before with other content, and how to send it again.
    case formReused
    /// The reader may post another comment in `%@` seconds.
    case commentsTooMany
    /// A request cannot be understood.
    case badRequestError
    /// The server refuses a request from another site.
    case refusedError
    /// Searches the feed.
    case searchTitle
    /// The title of the results; `%@` is the search text.
    case searchTitleWords
    /// Labels the search text.
    case searchWords
    /// Shows the filters and the order.
    case searchConditions
    /// Finds only images with a location.
    case searchHasLocation
    /// Finds only images with comments.
    case searchHasComments
    /// Labels the period of publication.
    case searchPublished
    /// Finds images of any time.
    case searchAnyTime
    /// Finds images of one day.
    case searchDay
    /// Finds images of one week.
    case searchWeek
    /// Finds images of one month.
    case searchMonth
    /// Labels the order.
    case searchOrder
    /// Orders images from new to old.
    case searchNewest
    /// Orders images from old to new.
    case searchOldest
    /// Orders images by their number of comments.
    case searchMostCommented
    /// Leads from the results back to the whole feed.
    case searchClear
    /// One image was found.
    case searchFoundOne
    /// `%@` images were found.
    case searchFound
    /// There may be more images than the `%@` that were loaded.
    case searchFoundMore
    /// No image was found.
    case searchEmpty
    /// A feed that was cached `%@` ("5 minutes ago") was searched.
    case searchSaved
    /// The parts `%@` of a search were left out.
    case searchUnapplied
    /// The token was not sent because others could read it.
    case sessionExposed
    /// An image has one comment.
    case commentsCountOne
    /// An image has `%@` comments.
    case commentsCount
    /// Invites the reader to comment.
    case commentsWrite
    /// Asks whether a comment should be removed.
    case commentsRemoveTitle
    /// States what removing a comment means.
    case commentsRemoveExplanation
    /// Says that the posted comment was removed, and how to post another one.
    case commentRemoved
    /// Leads to the image before one.
    case imagePrevious
    /// Leads to the image after one.
    case imageNext
    /// A page shows what was saved `%@` ("5 minutes ago").
    case feedOffline
    /// The browser shows a page that it saved `%@` ("5 minutes ago").
    case pageSaved
    /// Says that the server is slow, and what is shown meanwhile; `%@` is "5 minutes ago".
    case pageSlow
    /// Comments are missing without the server.
    case commentsUnsaved
    /// Says that comments could not be loaded, and when they will be.
    case commentsUnavailable
    /// Leads from a later page, or from a removed image, to the feed.
    case feedWhole
    /// Invites a publisher to publish the first image.
    case feedEmptyPublish
    /// Why a description is wanted.
    case publishDescriptionWhy
    /// Labels the caption's field.
    case publishCaption
    /// Says what a caption is.
    case publishCaptionWhy
    /// Ends an upload.
    case publishCancel
    /// An upload was ended.
    case publishCanceled
    /// Image `%@` of the `%@` chosen ones is shown.
    case publishPosition
    /// Leaves out one of the chosen images.
    case publishSkip
    /// `%@` of the chosen images were published.
    case publishCount
    /// Leads to the page for an image's texts.
    case editAction
    /// The title of the page for an image's texts.
    case editTitle
    /// Saves an image's texts.
    case editSave
    /// A token is no longer accepted.
    case sessionEnded
    /// Says that the feed has the same picture, and how to publish it again.
    case publishDuplicate
    /// Leads to the image that has the same picture.
    case publishExisting
    /// Marks an image that moves.
    case imageAnimated
    /// Starts an animation.
    case imagePlay
    /// Stops an animation.
    case imageStop
    /// The column of the images' descriptions.
    case terminalImage
    /// The column of the publishers' words.
    case terminalCaption
    /// The column of the publishers.
    case terminalAuthor
    /// The feed is from the server.
    case terminalFromServer
    /// The feed is from the cache.
    case terminalFromCache
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
    /// The column of the states of waiting comments.
    case terminalState
    /// A comment waits.
    case terminalStateWaiting
    /// The server refused a comment.
    case terminalStateFailed
    /// A comment on the image `%@` was posted.
    case terminalPosted
    /// The server asks to wait `%@` seconds.
    case terminalServerAsksToWait
    /// Says that a comment waits, and what sends it.
    case terminalWaitsInOutbox
    /// An image was published.
    case terminalPublished
    /// The image `%@` was published before.
    case terminalPublishedBefore
    /// The texts of the image `%@` were corrected.
    case terminalCorrected
    /// The image `%@` was removed.
    case terminalRemovedImage
    /// The image `%@` was removed before.
    case terminalRemovedBefore
    /// The comment `%@` was removed.
    case terminalRemovedComment
}
