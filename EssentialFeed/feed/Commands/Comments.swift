import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import Foundation

/// What was said about one image.
struct Comments: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what was said about an image.",
        discussion: "Comments are never cached: the backend must be there. feed load prints the images' ids."
    )

    @Argument(help: ArgumentHelp("The image's id.", valueName: "id"), transform: imageID)
    var id: UUID

    @OptionGroup
    var remote: RemoteOptions

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var log: LogOptions

    func run() async throws {
        let client = try ClientOptions(remote: remote.url, cache: nil)
        let comments = try await FeedClient.withDispatcher(
            client,
            environment: log.environment(),
            notice: Terminal.note
        ) {
            try await $0.dispatch(LoadImageComments(imageID: id))
        }
        if output.json {
            try printJSON(CommentsJSON(comments))
        } else {
            FeedOutput(language: output.language.language, now: log.environment().now()).print(comments)
            try Terminal.flush()
        }
    }
}

/// Reads the id of an image.
///
/// - Throws: `ValidationError` that says what an id looks like.
@Sendable private func imageID(_ text: String) throws -> UUID {
    guard let id = UUID(uuidString: text) else {
        throw ValidationError("'\(text)' is not an id. Write one like 7BC6B6AD-36CE-538F-8CC5-DF0FE69DE0F0.")
    }
    return id
}
