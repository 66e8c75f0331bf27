import FeedTesting
import Testing

/// The list of the feed's behavior, with a real backend, the application's dispatcher and its presenters.
@Suite struct HeadlessBehaviorTests {
    @Test(arguments: FeedBehavior.rows(in: .presenters))
    func `the presenters behave as the list says`(_ row: FeedBehavior) async throws {
        guard let check = check(of: row) else { return }
        try await check()
    }

    @Test func `each row of the presenters has a check, and no other`() {
        for row in FeedBehavior.allCases {
            let hasCheck = check(of: row) != nil
            #expect(hasCheck == row.places.contains(.presenters), "\(row)")
        }
    }

    @Test func `each row is checked somewhere`() {
        for row in FeedBehavior.allCases { #expect(!row.places.isEmpty, "\(row)") }
    }

    private func check(of row: FeedBehavior) -> (() async throws -> Void)? {
        switch row {
        case .opening: HeadlessFeedChecks.opening
        case .optionalRows: HeadlessFeedChecks.optionalRows
        case .emptyFeed: HeadlessFeedChecks.emptyFeed
        case .refresh: HeadlessFeedChecks.refresh
        case .refreshToEmpty: HeadlessFeedChecks.refreshToEmpty
        case .newImages: HeadlessFeedChecks.newImages
        case .failure: HeadlessFeedChecks.failure
        case .cancellation: HeadlessFeedChecks.cancellation
        case .lastPage: HeadlessFeedChecks.lastPage
        case .moreFailure: HeadlessFeedChecks.moreFailure
        case .language: HeadlessFeedChecks.language
        case .awkwardTexts: HeadlessFeedChecks.awkwardTexts
        case .offline: HeadlessOfflineChecks.offline
        case .offlineWithoutCache: HeadlessOfflineChecks.offlineWithoutCache
        case .background: HeadlessOfflineChecks.background
        case .search: HeadlessOfflineChecks.search
        case .emptySearch: HeadlessOfflineChecks.emptySearch
        case .offlineSearch: HeadlessOfflineChecks.offlineSearch
        case .comments: HeadlessWritingChecks.comments
        case .noComments: HeadlessWritingChecks.noComments
        case .posting: HeadlessWritingChecks.posting
        case .invalidComment: HeadlessWritingChecks.invalidComment
        case .liveComments: HeadlessWritingChecks.liveComments
        case .forgottenComments: HeadlessWritingChecks.forgottenComments
        case .waitingComment: HeadlessWritingChecks.waitingComment
        case .publishing: HeadlessWritingChecks.publishing
        case .removal: HeadlessWritingChecks.removal
        case .repeatedLoad, .abandonedLoad, .nextLoad, .dismissal, .placeholder, .imageRetry, .releasedImages,
            .moreByScrolling, .wayBack, .freshDates, .withoutServer, .unopenedPage, .signIn, .languageSwitch, .keyboard,
            .narrow, .largeText, .layoutShift, .withoutScripts, .pullToRefresh, .restart, .print, .removalElsewhere:
            nil
        }
    }
}
