import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import FeedPresentation
import Foundation

struct Reply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Post a comment on an image.",
        discussion: """
            A token is required only if the backend was started with --closed-comments. Create it on the backend's \
            machine with "feed token create --scope comment", and pass it in FEED_TOKEN or a file.

            "feed load" prints the ids. The beginning of an id is enough if no other id begins with it.

            EXAMPLES:
              feed reply 8112E60D "Nice!" --user ann
              fortune | feed reply 8112E60D - --user ann

            If the server cannot be reached or asks to wait, the comment is kept and sent later. If a running "feed \
            web" sends kept comments, it sends this one after them: see "feed outbox --help".

            JSON:
              {"id": "5D0C6A1E-6F2B-4C1D-9A3E-0B7F8C2D4E51",
               "imageID": "8112E60D-949B-5F7E-BDED-DBE3CABE2D36", "state": "posted"}
            The state is posted or waiting.
            """
    )

    @OptionGroup var image: ImageArgument

    @Argument(help: "The text, at most 2,000 characters; - for standard input.")
    var message: String

    @Option(parsing: .unconditional, help: ArgumentHelp("The author's name, at most 64 characters.", valueName: "name"))
    var user: String

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var sender: SenderOptions
    @OptionGroup var outbox: OutboxOptions

    func validate() throws {
        try sender.validate(standardInputIsUsed: message == "-")
    }

    func run() async throws {
        let id = sender.log.environment().newID()
        let text =
            message == "-"
            ? String(decoding: try Terminal.read(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            : message
        let imageID = try await cache.id(of: image.reference, from: sender.remote, log: sender.log)
        let comment = PostImageComment(id: id, imageID: imageID, message: text, username: user)
        let isPosted = try await sender.withOutbox(outbox) { try await post(comment, $0, $1) }
        try output.format.print(ReplyResult(id: id, imageID: imageID, state: isPosted ? .posted : .waiting))
        Terminal.note(isPosted ? output.text(.terminalPosted, imageID) : output.text(.terminalWaitsInOutbox))
    }

    /// Posts a comment, after those that wait, or keeps it if the server cannot be reached or asks to wait.
    ///
    /// - Returns: Whether it was posted.
    private func post(
        _ comment: PostImageComment,
        _ dispatcher: any Dispatcher,
        _ outbox: any CommentOutbox
    ) async throws -> Bool {
        if await outbox.comments.allSatisfy(\.isFailed) {
            do {
                try await dispatcher.dispatch(comment)
                return true
            } catch  where error.allowsWaiting {
                let pause = (error as? TooManyComments).map { output.text(.terminalServerAsksToWait, $0.seconds) }
                Terminal.note(pause ?? "\(error)", .yellow)
                try await outbox.keep(comment)
                return false
            }
        }
        try await outbox.keep(comment)
        await outbox.send()
        guard let kept = await outbox.comments.first(where: { $0.id == comment.id }) else { return true }
        guard case .failed(let reason) = kept.state else { return false }
        try await outbox.drop(comment.id)
        throw CommandError("The comment was not posted. \(reason)")
    }
}

package struct ReplyResult: Codable {
    enum State: String, Codable {
        case posted, waiting
    }

    let id: UUID
    let imageID: UUID
    let state: State
}
