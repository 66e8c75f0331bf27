import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import Foundation

/// Manages the cache on this machine.
struct Cache: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or clear the cache.",
        discussion: """
            The commands need no backend.

            Examples:
              feed cache
              feed cache remove-invalid
              feed cache clear --store file
            """,
        subcommands: [Show.self, RemoveInvalid.self, Clear.self],
        defaultSubcommand: Show.self
    )

    /// Prints the contents of the cache.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the contents of the cache, and whether they are fresh.",
            discussion: """
                A cached feed is fresh for seven days.

                Examples:
                  feed cache show
                  feed cache show --json
                """
        )

        @OptionGroup
        var cache: CacheOptions

        @OptionGroup
        var output: OutputOptions

        @OptionGroup
        var log: LogOptions

        func run() async throws {
            let summary = try await cache.withDispatcher(log: log) { try await $0.dispatch(LoadFeedCacheSummary()) }
            try output.print(CacheJSON(summary), now: log.environment().now()) {
                $0.print(summary, location: cache.url)
            }
        }
    }

    /// Deletes an expired or unreadable cache.
    struct RemoveInvalid: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete the cache if it has expired or cannot be read; keep a fresh one.",
            discussion: """
                A cached feed expires after seven days.

                Examples:
                  feed cache remove-invalid
                  feed cache remove-invalid --cache feed.sqlite
                """
        )

        @OptionGroup
        var cache: CacheOptions

        @OptionGroup
        var log: LogOptions

        func run() async throws {
            try await cache.withDispatcher(log: log) { try await $0.dispatch(RemoveInvalidFeedCache()) }
        }
    }

    /// Deletes the cache, fresh or not.
    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete the cache, whatever its age.",
            discussion: """
                Examples:
                  feed cache clear
                  feed cache clear --cache feed.sqlite
                """
        )

        @OptionGroup
        var cache: CacheOptions

        @OptionGroup
        var log: LogOptions

        func run() async throws {
            try await cache.withDispatcher(log: log) { try await $0.dispatch(ClearFeedCache()) }
        }
    }
}

extension CacheOptions {
    /// Runs `body` with a client's dispatcher, for messages that need no backend.
    fileprivate func withDispatcher<Value: Sendable>(
        log: LogOptions,
        body: @Sendable (any Dispatcher) async throws -> Value
    ) async throws -> Value {
        try await FeedClient.withDispatcher(
            try client(remote: httpURL(RemoteOptions.standard)),
            environment: log.environment(),
            onWarning: Terminal.note,
            body: body
        )
    }
}
