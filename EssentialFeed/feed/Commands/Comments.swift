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
            Comments are not saved, so the backend must be reachable. "feed load" prints the ids of the images.

            Examples:
              feed comments 7BC6B6AD-36CE-538F-8CC5-DF0FE69DE0F0
              feed comments 7BC6B6AD-36CE-538F-8CC5-DF0FE69DE0F0 --json
            """
    )

    @Argument(help: ArgumentHelp("The image's id.", valueName: "id"), transform: imageID)
    var id: UUID

    @OptionGroup
    var remote: RemoteOptions

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var log: LogOptions

    func run() async throws {
        let environment = log.environment()
        let comments = try await FeedClient.withDispatcher(
            try ClientOptions(remote: remote.url, cache: nil),
            environment: environment,
            onWarning: Terminal.note
        ) {
            try await $0.dispatch(LoadImageComments(imageID: id))
        }
        try output.print(CommentsJSON(comments), now: environment.now()) { $0.print(comments) }
    }
}
