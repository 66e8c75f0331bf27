import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import Foundation

/// Prints the comments on an image.
struct Comments: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the comments on an image.",
        discussion: """
            Comments are not saved, so the backend must be reachable. "feed load" prints the ids of the images. The \
            beginning of an id is enough if no other id begins with it.

            EXAMPLES:
              feed comments 7BC6B6AD
              feed comments 7BC6B6AD-36CE-538F-8CC5-DF0FE69DE0F0 --json

            JSON:
              {"items": [{"id", "message", "createdAt", "username"}]}
            """
    )

    @Argument(help: ArgumentHelp("The image's id, or its beginning.", valueName: "id"), transform: imageReference)
    var image: ImageReference

    @OptionGroup
    var remote: RemoteOptions

    @OptionGroup
    var cache: CacheOptions

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var log: LogOptions

    func run() async throws {
        let environment = log.environment()
        let id = try await cache.id(of: image, remote: remote.url, log: log)
        let comments = try await FeedClient.withDispatcher(
            try ClientOptions(remote: remote.url, cache: nil),
            environment: environment,
            onWarning: Terminal.note
        ) {
            try await $0.dispatch(LoadImageComments(imageID: id))
        }
        try output.print(["items": comments.map(\.json)], now: environment.now()) { $0.print(comments) }
    }
}
