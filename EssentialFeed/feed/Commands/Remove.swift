import ArgumentParser
import Duet
import FeedFeature
import FeedPresentation
import Foundation

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove an image and its comments, or one comment.",
        discussion: """
            A token is required, in FEED_TOKEN or a file: that of the image's publisher, or one with the permission to \
            moderate. Create it with "feed token create" on the backend's machine. A removed image cannot be published \
            again under its id. Removing it again is not an error.

            "feed load" prints the ids of images, and "feed comments" those of comments. The beginning of an id is \
            enough if no other id begins with it.

            EXAMPLES:
              export FEED_TOKEN=$(feed token create)
              feed remove 8112E60D
              feed remove 8112E60D --comment 5D0C6A1E

            JSON; "wasRemoved" says whether the image was removed before:
              {"id": "8112E60D-949B-5F7E-BDED-DBE3CABE2D36", "wasRemoved": false}
            JSON with --comment:
              {"id": "5D0C6A1E-6F2B-4C1D-9A3E-0B7F8C2D4E51",
               "imageID": "8112E60D-949B-5F7E-BDED-DBE3CABE2D36"}
            """
    )

    @OptionGroup var image: ImageArgument

    @Option(
        help: ArgumentHelp("Remove only this comment: its id, or its beginning.", valueName: "id"),
        transform: idReference
    )
    var comment: IDReference?

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var sender: SenderOptions

    func run() async throws {
        let id = try await cache.id(of: image.reference, from: sender.remote, log: sender.log)
        if let comment {
            let removed = try await sender.withDispatcher { try await remove(comment, on: id, $0) }
            try output.format.print(CommentRemovalResult(id: removed, imageID: id))
            Terminal.note(output.text(.terminalRemovedComment, removed))
        } else {
            let wasRemoved = try await sender.withDispatcher { try await remove(id, $0) }
            try output.format.print(ImageRemovalResult(id: id, wasRemoved: wasRemoved))
            Terminal.note(output.text(wasRemoved ? .terminalRemovedBefore : .terminalRemovedImage, id))
        }
    }

    /// - Returns: Whether the image was removed before.
    /// - Throws: `ImageNotFound` if it never existed.
    private func remove(_ id: FeedImage.ID, _ dispatcher: any Dispatcher) async throws -> Bool {
        do {
            _ = try await dispatcher.dispatch(LoadImageDetails(id: id))
        } catch is ImageRemoved {
            return true
        } catch is RemoteFailure {
            // The command has the better error, such as a token that must not be sent.
        }
        try await dispatcher.dispatch(RemoveImage(id: id))
        return false
    }

    private func remove(
        _ comment: IDReference,
        on image: FeedImage.ID,
        _ dispatcher: any Dispatcher
    ) async throws -> ImageComment.ID {
        let id = if let id = comment.id { id } else { try await dispatcher.comment(comment, on: image).id }
        try await dispatcher.dispatch(RemoveImageComment(imageID: image, id: id))
        return id
    }
}

package struct ImageRemovalResult: Codable {
    let id: UUID
    /// Whether it had been removed before.
    let wasRemoved: Bool
}

package struct CommentRemovalResult: Codable {
    let id: UUID
    let imageID: UUID
}
