import ArgumentParser
import FeedComposition
import FeedFeature
import Foundation

/// Publishes an image at the top of the feed.
struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Publish an image, and print its id.",
        discussion: """
            A token with the permission to publish is required, in FEED_TOKEN or a file. Create it with "feed token" \
            on the backend's machine. Publishing an image again under its id changes nothing.

            Examples:
              export FEED_TOKEN=$(feed token)
              feed publish cat.jpg --description "A cat" --location "Athens"
            """
    )

    @Argument(help: "The image: a JPEG, PNG, GIF or WebP file.", transform: filePath)
    var file: String

    @Option(help: ArgumentHelp("A description of the image.", valueName: "text"))
    var description: String?

    @Option(help: ArgumentHelp("The place where it was taken.", valueName: "text"))
    var location: String?

    @Option(help: ArgumentHelp("The id of the image. (default: a new id)", valueName: "id"), transform: imageID)
    var id: UUID?

    @OptionGroup
    var sender: SenderOptions

    func run() async throws {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: file))
        } catch {
            throw CommandError("\(file) cannot be read: \(error.plainReason). Choose an image file.")
        }
        guard ImageFormat(data: data) != nil else {
            throw CommandError("\(file) is not a JPEG, PNG, GIF or WebP image. Convert it to one of these formats.")
        }
        let image = PublishImage(
            id: id ?? sender.log.environment().newID(),
            description: description,
            location: location,
            data: data
        )
        try await sender.send(image)
        print(image.id)
        try Terminal.flush()
    }
}
