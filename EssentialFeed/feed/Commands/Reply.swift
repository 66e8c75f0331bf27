import ArgumentParser
import FeedComposition
import FeedFeature
import Foundation

/// Posts a comment on an image.
struct Reply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Post a comment on an image.",
        discussion: """
            A token is required only if the backend was started with --closed-comments. Create it on the backend's \
            machine with "feed token create --scope comment", and pass it in FEED_TOKEN or a file.

            "feed load" prints the ids. The beginning of an id is enough if no other id begins with it.

            EXAMPLES:
              feed reply 7BC6B6AD "Nice!" --user ann
              fortune | feed reply 7BC6B6AD - --user ann

            JSON:
              {"id", "imageID"}
            """
    )

    @Argument(help: ArgumentHelp("The image's id, or its beginning.", valueName: "id"), transform: imageReference)
    var image: ImageReference

    @Argument(help: "The text, at most 2,000 characters; - for standard input.")
    var message: String

    @Option(help: ArgumentHelp("The author's name, at most 64 characters.", valueName: "name"))
    var user: String

    @OptionGroup
    var cache: CacheOptions

    @OptionGroup
    var format: FormatOptions

    @OptionGroup
    var sender: SenderOptions

    func validate() throws {
        try sender.validate(standardInputIsUsed: message == "-")
    }

    func run() async throws {
        let id = sender.log.environment().newID()
        let text =
            message == "-"
            ? String(decoding: try Terminal.read(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            : message
        let imageID = try await cache.id(of: image, remote: sender.remote.url, log: sender.log)
        try await sender.send(PostImageComment(id: id, imageID: imageID, message: text, username: user))
        if format.json { try printJSON(PostedCommentJSON(id: id, imageID: imageID)) }
        Terminal.note("Posted a comment on the image \(imageID).")
    }
}
