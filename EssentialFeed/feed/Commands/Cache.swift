import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import Foundation

/// What is cached on this machine.
struct Cache: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or clear what is cached.",
        subcommands: [Show.self, RemoveInvalid.self, Clear.self],
        defaultSubcommand: Show.self
    )

    /// Prints what the cache holds.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what the cache holds, and whether it is fresh."
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

    /// Removes the cache if it has expired.
    struct RemoveInvalid: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete the cache if it has expired or cannot be read; leave a fresh one alone."
        )

        @OptionGroup
        var cache: CacheOptions

        @OptionGroup
        var log: LogOptions

        func run() async throws {
            try await cache.withDispatcher(log: log) { try await $0.dispatch(RemoveInvalidFeedCache()) }
        }
    }

    /// Deletes the cache.
    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete what is cached, whatever its age.")

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
    /// The client's dispatcher, for messages that ask no backend.
    fileprivate func withDispatcher<Value: Sendable>(
        log: LogOptions,
        body: @Sendable (any CommandQueryDispatcher) async throws -> Value
    ) async throws -> Value {
        try await FeedClient.withDispatcher(
            try client(remote: httpURL(RemoteOptions.standard)),
            environment: log.environment(),
            onWarning: Terminal.note,
            body: body
        )
    }
}
