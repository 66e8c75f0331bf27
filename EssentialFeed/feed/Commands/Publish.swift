import ArgumentParser
import FeedComposition
import FeedFeature
import Foundation

/// Publishes an image at the top of the feed.
struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Publish an image, and print its id.",
        discussion: """
            A token with the permission to publish is required, in FEED_TOKEN or a file. Create it with "feed token \
            create" on the backend's machine. Publishing an image again under its id changes nothing.

            EXAMPLES:
              export FEED_TOKEN=$(feed token create)
              feed publish cat.jpg --description "A cat" --location "Athens"
              curl -s https://example.com/cat.jpg | feed publish -

            JSON:
              {"id"}
            """
    )

    @Argument(
        help: "The image: a JPEG, PNG, GIF or WebP file; - for standard input.",
        completion: .file(),
        transform: filePath
    )
    var file: String

    @Option(help: ArgumentHelp("A description of the image.", valueName: "text"))
    var description: String?

    @Option(help: ArgumentHelp("The place where it was taken.", valueName: "text"))
    var location: String?

    @Option(help: ArgumentHelp("The id of the image. (default: a new id)", valueName: "id"), transform: imageID)
    var id: UUID?

    @OptionGroup
    var format: FormatOptions

    @OptionGroup
    var sender: SenderOptions

    func validate() throws {
        try sender.validate(standardInputIsUsed: file == "-")
    }

    func run() async throws {
        let data = try data()
        guard ImageFormat(data: data) != nil else {
            let name = file == "-" ? "Standard input" : file
            throw CommandError("\(name) is not a JPEG, PNG, GIF or WebP image. Convert it to one of these formats.")
        }
        let image = PublishImage(
            id: id ?? sender.log.environment().newID(),
            description: description,
            location: location,
            data: data
        )
        try await sender.send(image)
        try format.print(ChangedImageJSON(id: image.id)) { print(image.id) }
        Terminal.note("Published the image.")
    }

    private func data() throws -> Data {
        guard file != "-" else { return try Terminal.read() }
        do {
            return try Data(contentsOf: URL(filePath: file))
        } catch {
            throw CommandError("\(file) cannot be read: \(error.plainReason). Choose an image file.")
        }
    }
}
