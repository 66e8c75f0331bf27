/// The behavior of the Essential Feed's screens, one case for each row.
///
/// Each row is checked in one or more ``Place``s, which a test of each place compares with its checks.
public enum FeedBehavior: String, CaseIterable, Sendable, CustomStringConvertible {
    // The feed
    case opening = "the feed appears with its images, in the server's order"
    case optionalRows = "rows without a description or a location are hidden"
    case emptyFeed = "an empty feed says so"
    case refresh = "a refresh shows new images first, and keeps the loaded pages and the focus"
    case pullToRefresh = "on a touch screen, pulling the feed down refreshes it"
    case refreshToEmpty = "a refresh to an empty feed empties the list"
    case repeatedLoad = "while a load runs, further requests for the same thing are ignored"
    case abandonedLoad = "an abandoned load does not end its successor's loading"
    case newImages = "new images wait behind a quiet button"

    // Errors
    case failure = "a failure shows a banner, and the content stays"
    case nextLoad = "the banner disappears when the next load starts"
    case dismissal = "the banner can be dismissed"
    case cancellation = "a canceled load shows nothing"

    // Images
    case placeholder = "an image has a placeholder until it arrives"
    case imageRetry = "a failed image can be loaded again"

    case releasedImages = "an image far from the window is released, and loaded again on return"

    // Load more
    case lastPage = "the feed pages to its end, where the control disappears"
    case moreFailure = "a page that failed to load has its own message, and a click loads it"
    case moreByScrolling = "a failed page is loaded when the reader scrolls back to it"
    case wayBack = "the way back keeps the loaded pages and the position"

    // Comments
    case comments = "selecting an image shows its comments with message, name and relative date"
    case noComments = "an image without comments says so"
    case freshDates = "relative dates stay correct while the page is open"
    case posting = "a comment appears at once, and then as the server stores it"
    case invalidComment = "a comment without a text is refused at its field"
    case liveComments = "a comment appears on every open page of its image"
    case forgottenComments = "comments are never persisted"

    // Offline
    case offline = "without the backend, all cached pages appear with their images, their age and the reason"
    case offlineWithoutCache = "without the backend and a cache, the list is empty and the reason is shown"
    case restart = "after a restart of the page server, every image that was loaded has its whole page"
    case background = "an expired cache is removed, and a fresh one is kept"

    case withoutServer = "without the page server, opened pages appear with their images, their age and the reason"
    case unopenedPage = "without the page server, a page that was never opened says so"
    case waitingComment = "a comment waits for the page server, and is sent once"

    // Search
    case search = "words, filters and orders select images, page by page"
    case emptySearch = "a search without results says so, and can be cleared"
    case offlineSearch = "without the backend, a search finds images in the saved feed"

    // Writing
    case signIn = "a wrong token is refused at its field, and a right one leads back"
    case publishing = "a published image is the first of the feed"
    case removal = "the removal of an image can be undone, and happens otherwise"
    case removalElsewhere =
        "an image that somebody else removes disappears from the page, and from what the browser kept"

    // Everyone
    case language = "the language comes from the request"
    case languageSwitch = "a chosen language stays"
    case keyboard = "the keyboard alone leads to an image, a comment and back, and the focus is never lost"
    case narrow = "a window of 320 pixels does not scroll sideways"
    case largeText = "texts of twice the size fit"
    case layoutShift = "nothing moves when images arrive"
    case print = "a printed page has all images and texts, without controls"
    case withoutScripts = "every page works without scripts"
    case awkwardTexts = "awkward texts are shown as texts"

    /// The row's sentence.
    public var description: String { rawValue }
}

extension FeedBehavior {
    /// The place of a check.
    public enum Place: CaseIterable, Sendable {
        /// The presenters on the application's dispatcher, without a screen.
        case presenters

        /// The pages in Chromium, with a page server and a backend.
        case browser
    }

    /// The places in which this row is checked.
    ///
    /// The presenters know nothing of what happens on a screen over time, such as scrolling, focus and layout. The
    /// browser cannot cancel a load or wait for the timer that removes an expired cache.
    public var places: Set<Place> {
        switch self {
        case .opening, .optionalRows, .emptyFeed, .refresh, .refreshToEmpty, .failure, .lastPage, .moreFailure,
            .comments, .noComments, .posting, .invalidComment, .liveComments, .newImages, .forgottenComments, .offline,
            .offlineWithoutCache, .publishing, .removal, .language, .awkwardTexts, .search, .emptySearch,
            .offlineSearch, .waitingComment:
            [.presenters, .browser]
        case .repeatedLoad, .abandonedLoad, .nextLoad, .dismissal, .placeholder, .imageRetry, .moreByScrolling,
            .wayBack, .freshDates, .removalElsewhere, .signIn, .languageSwitch, .keyboard, .narrow, .largeText,
            .layoutShift,
            .withoutScripts, .releasedImages, .withoutServer, .unopenedPage, .pullToRefresh, .restart, .print:
            [.browser]
        case .cancellation, .background:
            [.presenters]
        }
    }

    /// The rows that are checked in a place.
    public static func rows(in place: Place) -> [FeedBehavior] {
        allCases.filter { $0.places.contains(place) }
    }
}
