import ArgumentParser
import FeedFeature
import Foundation

/// Removes an image from the feed.
struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove an image and its comments.",
        discussion: """
            A token with the permission to publish is required, in FEED_TOKEN or a file. Create it with "feed token \
            create" on the backend's machine. Removing an unknown image changes nothing. A removed image cannot be \
            published again under its id.

            "feed load" prints the ids. The beginning of an id is enough if no other id begins with it.

            EXAMPLES:
              export FEED_TOKEN=$(feed token create)
              feed remove 7BC6B6AD

            JSON:
              {"id"}
            """
    )

    @Argument(help: ArgumentHelp("The image's id, or its beginning.", valueName: "id"), transform: imageReference)
    var image: ImageReference

    @OptionGroup
    var cache: CacheOptions

    @OptionGroup
    var format: FormatOptions

    @OptionGroup
    var sender: SenderOptions

    func run() async throws {
        let id = try await cache.id(of: image, remote: sender.remote.url, log: sender.log)
        try await sender.send(RemoveImage(id: id))
        try format.print(["id": id])
        Terminal.note("The feed does not have the image \(id) and its comments anymore.")
    }
}
