/// A text on a screen, whose name is its key in the tables of texts.
public enum Text: String, CaseIterable, Sendable {
    /// The feed's title.
    case feedTitle
    /// Says that the feed has no images.
    case feedEmpty
    /// Says when a cached feed was saved; `%@` stands for "5 minutes ago".
    case feedSaved
    /// Reloads the feed.
    case feedRefresh
    /// Loads the next page.
    case feedLoadMore
    /// Says that something is being loaded.
    case feedLoading
    /// Names an image without a description.
    case imageUnlabeled
    /// Says that an image could not be shown.
    case imageFailed
    /// Says that an image was removed, or never existed.
    case imageRemoved
    /// The title of an image's comments.
    case commentsTitle
    /// Says that an image has no comments.
    case commentsEmpty
    /// Leads back to the feed.
    case commentsBack
    /// Opens an image alone, in its full size.
    case imageOpen
    /// Describes the feed for search engines and previews.
    case feedSummary
    /// Says that one more image was loaded.
    case feedLoadedOne
    /// Says how many more images were loaded; `%@` stands for the number.
    case feedLoadedMore
    /// Says that there are no more images.
    case feedEnd
    /// Says that the feed was loaded again.
    case feedRefreshed
    /// Says that the server has one new image.
    case feedNewOne
    /// Says how many new images the server has; `%@` stands for the number.
    case feedNew
    /// The label of the links to other languages.
    case languageLabel
    /// The label of the name's field.
    case commentsName
    /// The label of the comment's field.
    case commentsMessage
    /// Posts a comment.
    case commentsPost
    /// Says that a comment was posted.
    case commentsPosted
    /// Says how many new comments have arrived; `%@` stands for the number.
    case commentsNew
    /// Says that a comment is sent later.
    case commentsWaiting
    /// Says that a comment is being sent.
    case commentsSending
    /// Says that the server refused a comment that was sent later.
    case commentsFailed
    /// Drops a comment that has not been sent.
    case commentsDiscard
    /// Leads to the comments before those in view.
    case commentsEarlier
    /// Leads from earlier comments to the newest.
    case commentsNewest
    /// States the limit of a field; `%@` stands for the number of characters.
    case fieldLimit
    /// States that a field may be empty.
    case fieldOptional
    /// Says that a field must not be empty.
    case fieldRequired
    /// Says that a text is too long; `%@` stands for the number of characters.
    case fieldTooLong
    /// Says that a text contains characters that cannot be stored.
    case fieldInvalid
    /// Leads to the page for the token, and sends it.
    case signIn
    /// Forgets the token.
    case signOut
    /// The label of the token's field.
    case sessionToken
    /// Says where tokens come from.
    case sessionHint
    /// Says that the server does not accept the token.
    case sessionRefused
    /// Says that a command needs a token.
    case sessionNeeded
    /// Says that the token lacks the permission.
    case sessionNotPermitted
    /// The title of the page for a new image.
    case publishTitle
    /// The label of the file's field.
    case publishFile
    /// States the formats and the limit of a file.
    case publishFormats
    /// The label of the description's field.
    case publishDescription
    /// The label of the location's field.
    case publishLocation
    /// Publishes the image.
    case publishAction
    /// Says that the image is being sent.
    case publishBusy
    /// Says that a file is not an image.
    case publishUnreadable
    /// Says that a file is a photograph in a format for phones, and how to change that.
    case publishHEIC
    /// Says that a file is too large.
    case publishTooLarge
    /// Says that a file ends before the image does.
    case publishIncomplete
    /// Says that a file is a damaged image.
    case publishDamaged
    /// Says that an image has too many pixels.
    case publishTooManyPixels
    /// Says that an animation has too many frames.
    case publishTooManyFrames
    /// States what is removed from an image before it is published.
    case publishPrivacy
    /// Says what was removed from an image before it was published; `%@` stands for a list.
    case publishRemoved
    /// Names the place of a photograph.
    case metadataLocation
    /// Names the camera, the time and the owner of a photograph.
    case metadataCamera
    /// Names descriptions and the history of editing.
    case metadataEditing
    /// Names descriptions for the press.
    case metadataPress
    /// Names comments and other texts.
    case metadataTexts
    /// Names small versions of an image.
    case metadataPreviews
    /// Names bytes after the end of an image.
    case metadataTrailing
    /// Names anything else.
    case metadataOther
    /// Removes an image.
    case removeAction
    /// Asks whether an image should be removed.
    case removeTitle
    /// States what removing an image means.
    case removeExplanation
    /// Keeps the image.
    case removeCancel
    /// Says that an image is about to be removed.
    case removePending
    /// Keeps an image that was about to be removed.
    case removeUndo
    /// Retries after a failure.
    case retry
    /// Hides a message.
    case dismiss
    /// Says that the server could not be reached.
    case connectionError
    /// Says that the browser has not kept a page for the time without the server.
    case offlinePage
    /// Says that the server's response is invalid.
    case invalidDataError
    /// Says that something else failed.
    case unexpectedError
    /// Says that nothing exists at this address.
    case notFoundError
    /// Says that a form was sent before with other content, and how to send it again.
    case formReused
    /// Says when the reader may post another comment; `%@` stands for the number of seconds.
    case commentsTooMany
    /// Says that a request cannot be understood.
    case badRequestError
    /// Says that the server refuses a request from another site.
    case refusedError
    /// Searches the feed.
    case searchTitle
    /// The title of the results; `%@` stands for the search text.
    case searchTitleWords
    /// The label of the search text.
    case searchWords
    /// Shows the filters and the order.
    case searchConditions
    /// Finds only images with a location.
    case searchHasLocation
    /// Finds only images with comments.
    case searchHasComments
    /// The label of the period of publication.
    case searchPublished
    /// Finds images of any time.
    case searchAnyTime
    /// Finds images of one day.
    case searchDay
    /// Finds images of one week.
    case searchWeek
    /// Finds images of one month.
    case searchMonth
    /// The label of the order.
    case searchOrder
    /// Orders images from new to old.
    case searchNewest
    /// Orders images from old to new.
    case searchOldest
    /// Orders images by their number of comments.
    case searchMostCommented
    /// Leads from the results back to the whole feed.
    case searchClear
    /// Says that one image was found.
    case searchFoundOne
    /// Says how many images were found; `%@` stands for the number.
    case searchFound
    /// Says that there may be more images than were loaded; `%@` stands for the number.
    case searchFoundMore
    /// Says that no image was found.
    case searchEmpty
    /// Says that a cached feed was searched; `%@` stands for "5 minutes ago".
    case searchSaved
    /// Names the parts of a search that were left out; `%@` stands for them.
    case searchUnapplied
    /// Says that the token was not sent because others could read it.
    case sessionExposed
    /// Says that an image has one comment.
    case commentsCountOne
    /// Says how many comments an image has; `%@` stands for the number.
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
    /// Says that a page shows what was saved; `%@` stands for "5 minutes ago".
    case feedOffline
    /// Says that the browser shows a page that it has saved; `%@` stands for "5 minutes ago".
    case pageSaved
    /// Says that the server is slow, and what is shown meanwhile; `%@` stands for "5 minutes ago".
    case pageSlow
    /// Says that comments are missing without the server.
    case commentsUnsaved
    /// Says that comments could not be loaded, and when they will be.
    case commentsUnavailable
    /// Leads from a later page, or from a removed image, to the feed.
    case feedWhole
    /// Invites a publisher to publish the first image.
    case feedEmptyPublish
    /// Says why a description is wanted.
    case publishDescriptionWhy
    /// The label of the caption's field.
    case publishCaption
    /// Says what a caption is.
    case publishCaptionWhy
    /// Ends an upload.
    case publishCancel
    /// Says that an upload was ended.
    case publishCanceled
    /// Says which of the chosen images is shown; `%@` stands for its number, and then for the number of all.
    case publishPosition
    /// Leaves out one of the chosen images.
    case publishSkip
    /// Says how many of the chosen images were published; `%@` stands for the number.
    case publishCount
    /// Leads to the page for an image's texts.
    case editAction
    /// The title of the page for an image's texts.
    case editTitle
    /// Saves an image's texts.
    case editSave
    /// Says that a token is no longer accepted.
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
    /// Says that the feed is from the server.
    case terminalFromServer
    /// Says that the feed is from the cache.
    case terminalFromCache
    /// Says how to load more; `%@` stands for the next number of pages.
    case terminalMayHaveMore
    /// Says how to print earlier comments; `%@` stands for the id of the first one that is printed.
    case terminalEarlierComments
    /// Says how many images are without bytes; `%@` stands for the number.
    case terminalMissingImages
    /// Says how to see the picture of an image.
    case terminalSeePicture
    /// Says that new images or comments are printed when they arrive.
    case terminalWaitingForChanges
    /// Says that the connection was lost and is there again.
    case terminalConnectedAgain
    /// Says that no comments wait for the server.
    case terminalNoWaitingComments
    /// The column of the states of waiting comments.
    case terminalState
    /// Says that a comment waits.
    case terminalStateWaiting
    /// Says that the server refused a comment.
    case terminalStateFailed
    /// Says that a comment was posted; `%@` stands for the image.
    case terminalPosted
    /// Says that the server asks to wait; `%@` stands for the number of seconds.
    case terminalServerAsksToWait
    /// Says that a comment waits, and what sends it.
    case terminalWaitsInOutbox
    /// Says that an image was published.
    case terminalPublished
    /// Says that an image was published before; `%@` stands for it.
    case terminalPublishedBefore
    /// Says that the texts of an image were corrected; `%@` stands for the image.
    case terminalCorrected
    /// Says that an image was removed; `%@` stands for it.
    case terminalRemovedImage
    /// Says that an image was removed before; `%@` stands for it.
    case terminalRemovedBefore
    /// Says that a comment was removed; `%@` stands for it.
    case terminalRemovedComment
}
