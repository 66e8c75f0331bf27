import ArgumentParser
import FeedComposition
import FeedFeature
import Foundation

/// Something said about an image.
struct Comment: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Post a comment on an image.",
        discussion: """
            Takes a token only where the backend was started with --closed-comments: in FEED_TOKEN or a file, made by \
            feed token --scope comment on the backend's machine.
            """
    )

    @Argument(help: ArgumentHelp("The image's id.", valueName: "id"), transform: imageID)
    var image: UUID

    @Argument(help: "What is said, at most 2,000 characters.")
    var message: String

    @Option(help: ArgumentHelp("Who says it, at most 64 characters.", valueName: "name"))
    var user: String

    @OptionGroup
    var sender: SenderOptions

    func run() async throws {
        let id = sender.log.environment().newID()
        try await sender.send(PostImageComment(id: id, imageID: image, message: message, username: user))
    }
}
