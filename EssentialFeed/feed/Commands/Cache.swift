import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import Foundation

struct Cache: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or clear the cache.",
        discussion: """
            The commands need no backend. Without a subcommand, the cache is shown. A file that is not a cache of this \
            program is refused and left unchanged.

            EXAMPLES:
              feed cache
              feed cache remove-invalid
              feed cache clear --cache feed.sqlite
            """,
        subcommands: [Show.self, RemoveInvalid.self, Clear.self],
        defaultSubcommand: Show.self
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the contents of the cache, and whether they are fresh.",
            discussion: """
                A cached feed is fresh for seven days.

                EXAMPLES:
                  feed cache show
                  feed cache show --json

                JSON; without a saved feed, there is no "savedAt". The items are as of "feed load":
                  {"isFresh": true, "items": [], "savedAt": "2026-03-01T09:12:44Z"}
                """
        )

        @OptionGroup var cache: CacheOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            let summary = try await cache.withDispatcher(log: log, onlyReads: true) {
                try await $0.dispatch(LoadFeedCacheSummary())
            }
            try output.print(CacheResult(summary), now: log.environment().now()) {
                $0.print(summary, location: cache.url)
            }
        }
    }

    struct RemovalOptions: ParsableArguments {
        @OptionGroup var cache: CacheOptions
        @OptionGroup var format: FormatOptions
        @OptionGroup var log: LogOptions

        /// Sends a command that may remove the cached feed, and prints and returns the number of removed images.
        func remove(_ command: some Command & Sendable) async throws -> Int {
            let removed = try await cache.withDispatcher(log: log) { dispatcher in
                // A feed that cannot be read can still be removed; its images cannot be counted.
                let before = (try? await dispatcher.dispatch(LoadFeedCacheSummary()))??.images.count ?? 0
                try await dispatcher.dispatch(command)
                let after = try await dispatcher.dispatch(LoadFeedCacheSummary())?.images.count ?? 0
                return before - after
            }
            try format.print(CacheRemovalResult(removedImages: removed))
            return removed
        }
    }

    struct RemoveInvalid: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete the cache if it has expired or cannot be read; keep a fresh one.",
            discussion: """
                A cached feed expires after seven days.

                EXAMPLES:
                  feed cache remove-invalid
                  feed cache remove-invalid --cache feed.sqlite

                JSON:
                  {"removedImages": 10}
                """
        )

        @OptionGroup var options: RemovalOptions

        func run() async throws {
            let removed = try await options.remove(RemoveInvalidFeedCache())
            Terminal.note(
                removed > 0
                    ? "Removed \(removed) images from the cache, which had expired."
                    : "The cache is valid or empty; no images were removed."
            )
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete the cache, whatever its age.",
            discussion: """
                EXAMPLES:
                  feed cache clear
                  feed cache clear --cache feed.sqlite

                JSON:
                  {"removedImages": 10}
                """
        )

        @OptionGroup var options: RemovalOptions

        func run() async throws {
            let removed = try await options.remove(ClearFeedCache())
            Terminal.note("Cleared the cache: removed \(removed) images from \(options.cache.url.path).")
        }
    }
}

package struct CacheResult: Codable {
    let savedAt: Date?
    let isFresh: Bool
    let items: [ImageResult]

    init(_ summary: FeedCacheSummary?) {
        savedAt = summary?.savedAt
        isFresh = summary?.isFresh ?? false
        items = summary?.images.map { ImageResult($0) } ?? []
    }
}

package struct CacheRemovalResult: Codable {
    let removedImages: Int
}

extension CacheOptions {
    /// Runs `body` with a client's dispatcher, for messages that need no backend.
    fileprivate func withDispatcher<Value: Sendable>(
        log: LogOptions,
        onlyReads: Bool = false,
        body: @Sendable (any Dispatcher) async throws -> Value
    ) async throws -> Value {
        try await log.withDispatcher(
            of: client(remote: httpURL(RemoteOptions.standard), requiresCache: true, onlyReads: onlyReads),
            body: body
        )
    }
}
