import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import FeedPresentation
import Foundation

struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load the feed with its images, and print its source and its age.",
        discussion: """
            The command saves the feed and its images in the cache. If the backend cannot be reached, it prints the \
            cached feed.

            EXAMPLES:
              feed load
              feed load --all --no-images
              feed load --search "gray cliffs" --sort most-commented
              feed load --json --require-fresh --remote https://feed.example.com/

            JSON; "hasMore" says whether there may be more pages:
              {"failure": {"kind": "connectivity", "reason": "There is no connection."},
               "hasMore": false,
               "items": [{"author": "Ann", "caption": "Make a wish", "commentCount": 3,
                          "description": "Dandelions", "height": 600,
                          "id": "8112E60D-949B-5F7E-BDED-DBE3CABE2D36",
                          "isAnimated": false, "location": "Athens",
                          "publishedAt": "2026-03-01T09:12:44Z",
                          "url": "http://127.0.0.1:8080/v1/image/1",
                          "versions": [{"url": "http://127.0.0.1:8080/v1/image/2",
                                        "width": 400}],
                          "width": 800}],
               "missingImages": 0, "savedAt": "2026-03-01T09:12:44Z", "source": "cache"}
            The source is remote, cache or nowhere. Members without a value are left out: "failure", "savedAt", and \
            those of an item except for "id", "isAnimated", "url" and "versions".
            """
    )

    @OptionGroup var remote: RemoteOptions

    @Option(help: ArgumentHelp("The maximum number of pages. (default: 1)", valueName: "count"))
    var pages: Int?

    @Flag(help: "Load all pages.")
    var all = false

    @Option(help: ArgumentHelp("The number of images per page, 1 to 100.", valueName: "count"))
    var limit = 10

    @Flag(help: "Load only the texts, not the bytes of the images.")
    var noImages = false

    @Flag(help: "Exit with code 75 if the feed is not from the server; it is printed all the same.")
    var requireFresh = false

    @OptionGroup var search: SearchOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var log: LogOptions

    func validate() throws {
        if let pages, pages < 1 { throw ValidationError("--pages must be at least 1, not \(pages).") }
        if all, pages != nil { throw ValidationError("--all and --pages contradict each other. Use one of them only.") }
        guard LoadFeed.limits.contains(limit) else { throw ValidationError("--limit must be 1 to 100, not \(limit).") }
    }

    func run() async throws {
        let loaded = try await log.withDispatcher(
            of: cache.client(remote: remote.url, timeout: remote.duration)
        ) { dispatcher in
            var loaded = try await FeedPager(dispatcher: dispatcher, search: search, limit: limit)
                .load(pages: all ? .max : pages ?? 1)
            guard !noImages else { return loaded }
            loaded.missingImages = await ImageBatchLoader(dispatcher: dispatcher).load(loaded.page.images)
            return loaded
        }
        try output.print(FeedResult(loaded), now: log.environment().now()) { $0.print(loaded) }
        if loaded.missingImages > 0 {
            Terminal.note(output.text(.terminalMissingImages, loaded.missingImages), .red)
        }
        try check(loaded)
    }

    /// - Throws: The failure, if the result is incomplete, or not fresh although it must be.
    private func check(_ loaded: FeedPager.Loaded) throws {
        if !loaded.isComplete, let failure = loaded.page.failure {
            // The screen shows the failure already; JSON needs it as an error too.
            throw output.json ? failure as any Error : ExitCode(ExitStatus(for: failure).rawValue)
        }
        if requireFresh, loaded.page.source != .remote {
            throw CommandError("The feed is from the cache, and --require-fresh was given.", status: .stale)
        }
    }
}

/// Loads the feed, or the results of a search, page by page.
struct FeedPager {
    /// The loaded pages, combined in one.
    struct Loaded {
        var page: FeedPage
        var missingImages = 0

        var pages = 1

        var hasMore = false

        /// The search whose results they are; nil for the whole feed.
        var search: SearchOptions?

        /// The parts of the search that were left out.
        var unapplied: Set<FeedSearchPage.Condition> = []

        /// Whether the server delivered every requested page, or else the cache had a feed.
        var isComplete: Bool {
            if case .cache = page.source { return true }
            return page.failure == nil
        }
    }

    let dispatcher: any QueryDispatcher
    /// The search whose results are loaded; nil for the whole feed.
    var search: SearchOptions?
    let limit: Int

    /// Loads at most `pages` pages; stops at the end of the feed, or when the feed comes from the cache.
    ///
    /// If a later page fails, the earlier ones are returned together with the failure.
    func load(pages: Int) async throws -> Loaded {
        let first = try await page(after: nil)
        var cursor = first.next
        var images = first.page.images
        var isLastFull = images.count >= limit
        var failure = first.page.failure
        var known = Set(images.map(\.id))
        var loaded = 1
        while loaded < pages, first.page.source == .remote, let last = cursor {
            do {
                let next = try await page(after: last)
                let new = next.page.images.filter { known.insert($0.id).inserted }
                isLastFull = !new.isEmpty && next.page.images.count >= limit
                // An empty page ends the feed. The check of ids stops at a server that repeats its pages.
                guard !new.isEmpty else { break }
                cursor = next.next
                images += new
                loaded += 1
            } catch let error as RemoteFailure {
                failure = error
                break
            }
        }
        return Loaded(
            page: FeedPage(images: images, source: first.page.source, failure: failure),
            pages: loaded,
            hasMore: isLastFull && first.page.source == .remote && failure == nil,
            search: search,
            unapplied: first.unapplied
        )
    }

    /// Loads the page after a cursor, and returns it with the cursor of the next one and what a search left out.
    private func page(
        after cursor: FeedCursor?
    ) async throws -> (page: FeedPage, next: FeedCursor?, unapplied: Set<FeedSearchPage.Condition>) {
        guard let query = search?.query(after: cursor, limit: limit) else {
            let page = try await dispatcher.dispatch(LoadFeed(after: cursor?.imageID, limit: limit))
            return (page, page.images.last.map { FeedCursor(imageID: $0.id) }, [])
        }
        let found = try await dispatcher.dispatch(query)
        let page = FeedPage(images: found.images, source: found.source, failure: found.failure)
        return (page, found.images.last.map(FeedCursor.init(after:)), found.unapplied)
    }
}
