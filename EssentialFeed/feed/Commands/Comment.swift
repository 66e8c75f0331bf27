import ArgumentParser
import FeedComposition
import FeedFeature
import Foundation

/// Posts a comment on an image.
struct Comment: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Post a comment on an image.",
        discussion: """
            A token is required only if the backend was started with --closed-comments. Create it on the backend's \
            machine, and pass it in FEED_TOKEN or a file. "feed load" prints the ids of the images.

            Examples:
              feed comment 7BC6B6AD-36CE-538F-8CC5-DF0FE69DE0F0 "Nice!" --user ann
              export FEED_TOKEN=$(feed token --scope comment)
            """
    )

    @Argument(help: ArgumentHelp("The image's id.", valueName: "id"), transform: imageID)
    var image: UUID

    @Argument(help: "The text, at most 2,000 characters.")
    var message: String

    @Option(help: ArgumentHelp("The author's name, at most 64 characters.", valueName: "name"))
    var user: String

    @OptionGroup
    var sender: SenderOptions

    func run() async throws {
        let id = sender.log.environment().newID()
        try await sender.send(PostImageComment(id: id, imageID: image, message: message, username: user))
    }
}
