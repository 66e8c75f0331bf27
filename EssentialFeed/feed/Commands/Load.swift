import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import Foundation

/// Loads the feed with its images, and saves them in the cache.
struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load the feed with its images, and print its source and its age.",
        discussion: """
            The command saves the feed and its images in the cache. If the backend cannot be reached, it prints the \
            cached feed.

            Examples:
              feed load
              feed load --all --no-images
              feed load --search "coffee table" --sort most-commented
              feed load --json --remote https://feed.example.com/
            """
    )

    @OptionGroup
    var remote: RemoteOptions

    @Option(help: ArgumentHelp("The maximum number of pages.", valueName: "count"))
    var pages = 1

    @Flag(help: "Load all pages, and ignore --pages.")
    var all = false

    @Option(help: ArgumentHelp("The number of images per page, 1 to 100.", valueName: "count"))
    var limit = 10

    @Flag(inversion: .prefixedNo, help: "Also load the bytes of the images.")
    var images = true

    @OptionGroup
    var search: SearchOptions

    @OptionGroup
    var cache: CacheOptions

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var log: LogOptions

    func validate() throws {
        guard pages >= 1 else { throw ValidationError("--pages must be at least 1, not \(pages).") }
        guard LoadFeed.limits.contains(limit) else { throw ValidationError("--limit must be 1 to 100, not \(limit).") }
    }

    func run() async throws {
        let environment = log.environment()
        let loaded = try await FeedClient.withDispatcher(
            try cache.client(remote: remote.url),
            environment: environment,
            onWarning: Terminal.note
        ) { dispatcher in
            var loaded = try await FeedPager(dispatcher: dispatcher, search: search, limit: limit)
                .load(pages: all ? .max : pages)
            if images { loaded.missingImages = await loadImages(of: loaded.page, dispatcher: dispatcher) }
            return loaded
        }
        try output.print(FeedJSON(loaded), now: environment.now()) { $0.print(loaded.page) }
        if loaded.missingImages > 0 {
            Terminal.note("\(loaded.missingImages) of \(loaded.page.images.count) images could not be loaded.")
        }
        if !loaded.isComplete { throw ExitCode.failure }
    }

    /// Loads the images' bytes, which also caches them, and returns the number of failed images.
    private func loadImages(of page: FeedPage, dispatcher: any QueryDispatcher) async -> Int {
        let progress = ProgressBar("Loading images")
        var missing = 0
        for (index, image) in page.images.enumerated() {
            do {
                _ = try await dispatcher.dispatch(LoadImageData(url: image.url))
            } catch {
                missing += 1
            }
            progress.update(done: index + 1, total: page.images.count)
        }
        return missing
    }
}

/// Loads the feed, or the results of a search, page by page.
struct FeedPager {
    /// The loaded pages, combined in one.
    struct Loaded {
        var page: FeedPage
        var missingImages = 0

        /// Whether the server delivered every requested page, or else the cache had a feed.
        var isComplete: Bool {
            if case .cache = page.source { return true }
            return page.failure == nil
        }
    }

    let dispatcher: any QueryDispatcher
    let search: SearchOptions
    let limit: Int

    /// Loads at most `pages` pages; stops at the end of the feed, or when the feed comes from the cache.
    ///
    /// If a later page fails, the earlier ones are returned together with the failure.
    func load(pages: Int) async throws -> Loaded {
        var (first, cursor) = try await page(after: nil)
        var images = first.images
        var failure = first.failure
        var known = Set(images.map(\.id))
        var loaded = 1
        while loaded < pages, first.source == .remote, let last = cursor {
            do {
                let next: FeedPage
                (next, cursor) = try await page(after: last)
                let new = next.images.filter { known.insert($0.id).inserted }
                // An empty page ends the feed. The check of ids stops at a server that repeats its pages.
                guard !new.isEmpty else { break }
                images += new
                loaded += 1
            } catch let error as RemoteFailure {
                failure = error
                break
            }
        }
        return Loaded(page: FeedPage(images: images, source: first.source, failure: failure))
    }

    /// Loads the page after a cursor, and returns it with the cursor of the next one.
    private func page(after cursor: FeedCursor?) async throws -> (page: FeedPage, next: FeedCursor?) {
        guard let query = search.query(after: cursor, limit: limit) else {
            let page = try await dispatcher.dispatch(LoadFeed(after: cursor?.imageID, limit: limit))
            return (page, page.images.last.map { FeedCursor(imageID: $0.id) })
        }
        let found = try await dispatcher.dispatch(query)
        let page = FeedPage(images: found.images.map(\.image), source: found.source, failure: found.failure)
        return (page, found.images.last.map(FeedCursor.init(after:)))
    }
}
