import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import FeedPresentation
import Foundation

struct Publish: AsyncParsableCommand {
    /// The largest body that a backend accepts, in bytes.
    private static let sizeLimit = 16_777_216

    static let configuration = CommandConfiguration(
        abstract: "Publish an image, and print its id.",
        discussion: """
            A token with the permission to publish is required, in FEED_TOKEN or a file. Create it with "feed token \
            create" on the backend's machine. Publishing an image again under its id changes nothing; "feed edit" corrects \
            its texts. Another picture needs another id. A picture that the feed has already is published only with --allow-duplicate.

            Before it is sent, everything that is not needed to show the image is removed from it: the place, the camera, \
            the time and the owner of a photograph, descriptions, comments, previews and the video of a motion photo. The \
            file stays as it is. An image has at most 100 million pixels and 16 MB.

            EXAMPLES:
              export FEED_TOKEN=$(feed token create)
              feed publish cat.jpg --description "A cat" --location "Athens"
              curl -s https://example.com/cat.jpg | feed publish -

            JSON; "isNew" is false if the image was published before:
              {"id": "8112E60D-949B-5F7E-BDED-DBE3CABE2D36", "isNew": true,
               "removed": ["location", "exif", "xmp", "iptc", "text", "preview",
                           "trailing", "other"]}
            """
    )

    @Argument(
        help: "The image: a JPEG, PNG, GIF or WebP file; - for standard input.",
        completion: .file(),
        transform: filePath
    )
    var file: String

    @OptionGroup var texts: ImageTextOptions

    @Option(help: ArgumentHelp("The id of the image. (default: a new id)", valueName: "id"), transform: imageID)
    var id: UUID?

    @Flag(help: "Publish the image even if the feed has the same picture.")
    var allowDuplicate = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var sender: SenderOptions

    func validate() throws {
        try sender.validate(standardInputIsUsed: file == "-")
    }

    func run() async throws {
        let original = try image(in: Terminal.read(file, advice: "Choose an image file."))
        let image = PublishImage(
            id: id ?? sender.log.environment().newID(),
            description: texts.description,
            caption: texts.caption,
            location: texts.location,
            refusesDuplicate: allowDuplicate ? nil : true,
            data: try sendable(original)
        )
        let isNew = try await sender.withDispatcher { try await publish(image, $0) }
        let removed = ImageMetadata.allCases.filter(original.metadata.contains)
        try output.format.print(PublishResult(id: image.id, isNew: isNew, removed: removed)) {
            Terminal.print("\(image.id)")
        }
        guard isNew else { return Terminal.note(output.text(.terminalPublishedBefore, image.id)) }
        Terminal.note(output.text(.terminalPublished))
        if let removed = output.language.language.removedText(original.metadata) { Terminal.note(removed) }
    }

    /// - Returns: Whether the image is new.
    private func publish(_ image: PublishImage, _ dispatcher: any Dispatcher) async throws -> Bool {
        var isNew = true
        // A new id cannot be known.
        if id != nil {
            do {
                _ = try await dispatcher.dispatch(LoadImageDetails(id: image.id))
                isNew = false
            } catch is ImageNotFound, is RemoteFailure {
                // The command has the better error.
            }
        }
        do {
            try await dispatcher.dispatch(image)
        } catch let error as DuplicateImage {
            throw CommandError("\(error) To publish it again, add --allow-duplicate.")
        }
        return isNew
    }

    /// - Returns: The bytes without metadata.
    /// - Throws: ``CommandError`` if no backend accepts so many.
    private func sendable(_ file: ImageFile) throws -> Data {
        let data = file.withoutMetadata
        guard data.count <= Self.sizeLimit else {
            throw CommandError(
                """
                \(name) has \(data.count) bytes without its metadata, and an image has at most \(Self.sizeLimit) (16 MB). \
                Make it smaller.
                """
            )
        }
        return data
    }

    private var name: String { file == "-" ? "Standard input" : file }

    private func image(in data: Data) throws -> ImageFile {
        do {
            return try ImageFile(data)
        } catch {
            throw CommandError("\(name) \(Self.advice(for: error))")
        }
    }

    private static func advice(for fault: InvalidImage) -> String {
        switch fault {
        case .unknownFormat: "is not a JPEG, PNG, GIF or WebP image. Convert it to one of these formats."
        case .heic:
            """
            is a HEIC photograph, which few browsers show. Export it as JPEG: on the phone, with Preview on a Mac, or \
            with "heif-convert" from Debian's package libheif-examples.
            """
        case .tooManyPixels: "\(fault.reason). Make it smaller."
        case .tooManyFrames: "\(fault.reason). Make it shorter or smaller."
        default: "\(fault.reason). Copy or export it again."
        }
    }
}

package struct PublishResult: Codable {
    let id: UUID
    let isNew: Bool
    let removed: [ImageMetadata]
}
