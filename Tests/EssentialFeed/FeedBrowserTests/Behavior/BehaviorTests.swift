import FeedTesting
import Testing

/// The list of the feed's behavior, with real servers and a real browser.
///
/// It takes longer than all other tests with a browser together, and runs beside them.
@Suite(.serialized, .sharedBrowser, .timeLimit(.minutes(5))) struct BehaviorTests {
    @Test(arguments: FeedBehavior.rows(in: .browser))
    func `the page behaves as the list says`(_ row: FeedBehavior) async throws {
        guard let check = check(of: row) else { return }
        try await check()
    }

    @Test func `each row of the browser has a check, and no other`() {
        for row in FeedBehavior.allCases {
            let hasCheck = check(of: row) != nil
            #expect(hasCheck == row.places.contains(.browser), "\(row)")
        }
    }

    private func check(of row: FeedBehavior) -> (() async throws -> Void)? {
        switch row {
        case .opening: FeedChecks.opening
        case .optionalRows: FeedChecks.optionalRows
        case .emptyFeed: FeedChecks.emptyFeed
        case .refresh: FeedChecks.refresh
        case .pullToRefresh: TouchChecks.pullToRefresh
        case .refreshToEmpty: FeedChecks.refreshToEmpty
        case .repeatedLoad: FeedChecks.repeatedLoad
        case .abandonedLoad: FeedChecks.abandonedLoad
        case .newImages: LiveChecks.newImages
        case .failure: ErrorChecks.failure
        case .nextLoad: ErrorChecks.nextLoad
        case .dismissal: ErrorChecks.dismissal
        case .placeholder: ErrorChecks.placeholder
        case .imageRetry: ErrorChecks.imageRetry
        case .releasedImages: PagingChecks.releasedImages
        case .lastPage: PagingChecks.lastPage
        case .moreFailure: PagingChecks.moreFailure
        case .moreByScrolling: PagingChecks.moreByScrolling
        case .wayBack: PagingChecks.wayBack
        case .comments: CommentChecks.comments
        case .noComments: CommentChecks.noComments
        case .freshDates: CommentChecks.freshDates
        case .posting: CommentChecks.posting
        case .invalidComment: CommentChecks.invalidComment
        case .liveComments: LiveChecks.liveComments
        case .forgottenComments: OfflineChecks.forgottenComments
        case .offline: OfflineChecks.offline
        case .restart: OfflineChecks.restart
        case .offlineWithoutCache: OfflineChecks.offlineWithoutCache
        case .withoutServer: ServiceWorkerChecks.withoutServer
        case .unopenedPage: ServiceWorkerChecks.unopenedPage
        case .waitingComment: ServiceWorkerChecks.waitingComment
        case .search: SearchChecks.search
        case .emptySearch: SearchChecks.emptySearch
        case .offlineSearch: SearchChecks.offlineSearch
        case .signIn: WritingChecks.signIn
        case .publishing: WritingChecks.publishing
        case .removal: WritingChecks.removal
        case .removalElsewhere: ServiceWorkerChecks.removalElsewhere
        case .language: EveryoneChecks.language
        case .languageSwitch: EveryoneChecks.languageSwitch
        case .keyboard: KeyboardChecks.keyboard
        case .narrow: EveryoneChecks.narrow
        case .largeText: EveryoneChecks.largeText
        case .layoutShift: EveryoneChecks.layoutShift
        case .print: PrintChecks.print
        case .withoutScripts: EveryoneChecks.withoutScripts
        case .awkwardTexts: EveryoneChecks.awkwardTexts
        case .cancellation, .background: nil
        }
    }
}
