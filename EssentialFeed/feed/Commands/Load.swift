import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import Foundation

/// The whole flow once.
struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load the feed with its images, and say where it came from and how old it is.",
        discussion: "What was loaded is cached, and is what you get when the backend is gone."
    )

    @OptionGroup
    var remote: RemoteOptions

    @Option(help: ArgumentHelp("How many pages to load at most.", valueName: "count"))
    var pages = 1

    @Flag(help: "Load all pages.")
    var all = false

    @Option(help: ArgumentHelp("How many images a page holds, 1 to 100.", valueName: "count"))
    var limit = 10

    @Flag(inversion: .prefixedNo, help: "Load the bytes of the images too.")
    var images = true

    @OptionGroup
    var cache: CacheOptions

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var log: LogOptions

    func validate() throws {
        guard pages >= 1 else { throw ValidationError("--pages is at least 1, not \(pages).") }
        guard LoadFeed.limits.contains(limit) else { throw ValidationError("--limit is 1 to 100, not \(limit).") }
    }

    func run() async throws {
        let environment = log.environment()
        let loaded = try await FeedClient.withDispatcher(
            try cache.client(remote: remote.url),
            environment: environment,
            onWarning: Terminal.note
        ) { dispatcher in
            var loaded = try await FeedWalk(dispatcher: dispatcher, limit: limit).load(pages: all ? .max : pages)
            if images { loaded.missingImages = await loadImages(of: loaded.page, dispatcher: dispatcher) }
            return loaded
        }
        try output.print(FeedJSON(loaded), now: environment.now()) { $0.print(loaded.page) }
        if loaded.missingImages > 0 {
            Terminal.note("\(loaded.missingImages) of \(loaded.page.images.count) images could not be loaded.")
        }
        if !loaded.isComplete { throw ExitCode.failure }
    }

    /// Loads the images' bytes, which caches them, and says how many could not be loaded.
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
