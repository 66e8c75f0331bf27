import ArgumentParser
import FeedFeature
import Foundation

/// An image, taken out of the feed.
struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove an image and its comments.",
        discussion: """
            Takes a token that permits it, in FEED_TOKEN or a file: on the backend's machine feed token makes one. \
            Removing an image that is not there changes nothing. What was removed is not published again under its id.
            """
    )

    @Argument(help: ArgumentHelp("The image's id.", valueName: "id"), transform: imageID)
    var id: UUID

    @OptionGroup
    var sender: SenderOptions

    func run() async throws {
        try await sender.send(RemoveImage(id: id))
    }
}
