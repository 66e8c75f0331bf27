import ArgumentParser
import FeedComposition
import FeedFeature
import FeedPresentation
import Foundation

/// Publishes an image at the top of the feed.
struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Publish an image, and print its id.",
        discussion: """
            A token with the permission to publish is required, in FEED_TOKEN or a file. Create it with "feed token \
            create" on the backend's machine. Publishing an image again under its id changes nothing.

            Before it is sent, everything that is not needed to show the image is removed from it: the place, the camera, \
            the time and the owner of a photograph, descriptions, comments, previews and the video of a motion photo. The \
            file stays as it is. An image has at most 100 million pixels and 16 MB.

            EXAMPLES:
              export FEED_TOKEN=$(feed token create)
              feed publish cat.jpg --description "A cat" --location "Athens"
              curl -s https://example.com/cat.jpg | feed publish -

            JSON:
              {"id", "removed": ["location" | "exif" | "xmp" | "iptc" | "text" | "preview" | "trailing" | "other"]}
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
        let original = try image(in: data())
        let image = PublishImage(
            id: id ?? sender.log.environment().newID(),
            description: description,
            location: location,
            data: original.withoutMetadata
        )
        try await sender.send(image)
        let removed = ImageMetadata.allCases.filter(original.metadata.contains)
        try format.print(["id": image.id, "removed": removed]) { print(image.id) }
        Terminal.note("Published the image.")
        if let removed = Language.english.removedText(original.metadata) { Terminal.note(removed) }
    }

    private func image(in data: Data) throws -> ImageFile {
        do {
            return try ImageFile(data)
        } catch {
            let name = file == "-" ? "Standard input" : file
            throw CommandError("\(name) \(Self.advice(for: error))")
        }
    }

    private static func advice(for fault: InvalidImage) -> String {
        switch fault {
        case .unknownFormat: "is not a JPEG, PNG, GIF or WebP image. Convert it to one of these formats."
        case .tooManyPixels: "\(fault.reason). Make it smaller."
        case .tooManyFrames: "\(fault.reason). Make it shorter or smaller."
        default: "\(fault.reason). Copy or export it again."
        }
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
