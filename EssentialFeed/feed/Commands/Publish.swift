import ArgumentParser
import FeedComposition
import FeedFeature
import Foundation

/// An image, put at the top of the feed.
struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Publish an image, and print its id.",
        discussion: """
            Takes a token that permits it, in FEED_TOKEN or a file: on the backend's machine feed token makes one. \
            Publishing an image again under its id changes nothing.
            """
    )

    @Argument(help: "The image: a JPEG, PNG, GIF or WebP file.", transform: filePath)
    var file: String

    @Option(help: ArgumentHelp("What it shows.", valueName: "text"))
    var description: String?

    @Option(help: ArgumentHelp("Where it was taken.", valueName: "text"))
    var location: String?

    @Option(help: ArgumentHelp("The id to publish it under. (default: a new one)", valueName: "id"), transform: imageID)
    var id: UUID?

    @OptionGroup
    var sender: SenderOptions

    func run() async throws {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: file))
        } catch {
            throw CommandError("\(file) cannot be read: \(error.plainReason). Name a file that holds an image.")
        }
        guard ImageFormat(data: data) != nil else {
            throw CommandError("\(file) is no JPEG, PNG, GIF or WebP image. Convert it to one of these.")
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
