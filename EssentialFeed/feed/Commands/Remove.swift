import ArgumentParser
import FeedFeature
import Foundation

/// Removes an image from the feed.
struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove an image and its comments.",
        discussion: """
            A token with the permission to publish is required, in FEED_TOKEN or a file. Create it with "feed token" \
            on the backend's machine. Removing an unknown image changes nothing. A removed image cannot be published \
            again under its id.

            Examples:
              export FEED_TOKEN=$(feed token)
              feed remove 7BC6B6AD-36CE-538F-8CC5-DF0FE69DE0F0
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
