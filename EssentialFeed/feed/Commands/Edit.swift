import ArgumentParser
import Duet
import FeedFeature
import FeedPresentation
import Foundation

struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Correct the description, the caption or the location of an image.",
        discussion: """
            Only the texts that you give are replaced; corrections of the others by somebody else remain. An empty text \
            removes one.

            A token is required, in FEED_TOKEN or a file: that of the image's publisher, or one with the permission to \
            moderate.

            "feed load" prints the ids. The beginning of an id is enough if no other id begins with it.

            EXAMPLES:
              export FEED_TOKEN=$(feed token create)
              feed edit 8112E60D --caption "One wish each"
              feed edit 8112E60D --location ""

            JSON, with only the texts that you gave:
              {"caption": "One wish each", "description": "Dandelions",
               "id": "8112E60D-949B-5F7E-BDED-DBE3CABE2D36", "location": ""}
            """
    )

    @OptionGroup var image: ImageArgument
    @OptionGroup var texts: ImageTextOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var sender: SenderOptions

    func validate() throws {
        guard texts.description != nil || texts.caption != nil || texts.location != nil else {
            throw ValidationError("Give at least one of --description, --caption and --location.")
        }
    }

    func run() async throws {
        let id = try await cache.id(of: image.reference, from: sender.remote, log: sender.log)
        let correction = CorrectImage(
            id: id,
            description: texts.description,
            caption: texts.caption,
            location: texts.location
        )
        try await sender.withDispatcher { try await $0.dispatch(correction) }
        try output.format.print(EditResult(correction))
        Terminal.note(output.text(.terminalCorrected, id))
    }
}

package struct EditResult: Codable {
    let id: UUID
    let description: String?
    let caption: String?
    let location: String?

    init(_ correction: CorrectImage) {
        id = correction.id
        description = correction.description
        caption = correction.caption
        location = correction.location
    }
}
