import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import Foundation

struct Comments: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the newest comments on an image, or those before one.",
        discussion: """
            Comments are not saved, so the backend must be reachable. "feed load" prints the ids of the images. The \
            beginning of an id is enough if no other id begins with it. The id of a comment is for "feed remove \
            --comment".

            EXAMPLES:
              feed comments 8112E60D
              feed comments 8112E60D --before 5D0C6A1E --limit 100
              feed comments 8112E60D-949B-5F7E-BDED-DBE3CABE2D36 --json

            JSON; "hasEarlier" says whether there are comments before these:
              {"hasEarlier": false,
               "items": [{"createdAt": "2026-03-01T09:12:44Z",
                          "id": "5D0C6A1E-6F2B-4C1D-9A3E-0B7F8C2D4E51",
                          "message": "Nice!", "username": "ann"}]}
            """
    )

    @OptionGroup var image: ImageArgument

    @Option(help: ArgumentHelp("The largest number of comments, 1 to 1000.", valueName: "count"))
    var limit = 50

    @Option(
        help: ArgumentHelp("Print the comments before this one: its id, or its beginning.", valueName: "id"),
        transform: idReference
    )
    var before: IDReference?

    @OptionGroup var remote: RemoteOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var log: LogOptions

    func validate() throws {
        guard LoadImageComments.limits.contains(limit) else {
            throw ValidationError("--limit must be 1 to 1000, not \(limit).")
        }
    }

    func run() async throws {
        let id = try await cache.id(of: image.reference, from: remote, log: log)
        let page = try await load(id)
        try output.print(CommentsResult(page), now: log.environment().now()) { $0.print(page, isNewest: before == nil) }
    }

    private func load(_ id: FeedImage.ID) async throws -> ImageCommentPage {
        do {
            return try await log.withDispatcher(
                of: ClientOptions(remote: remote.url, timeout: remote.duration, cache: nil)
            ) { dispatcher in
                var end = before?.id
                if end == nil, let before { end = try await dispatcher.comment(before, on: id).id }
                return try await dispatcher.dispatch(LoadImageComments(imageID: id, limit: limit, before: end))
            }
        } catch let failure as RemoteFailure where failure.kind == .connectivity {
            throw CommandError(
                "\(failure) Comments are not saved on this machine. Try again when the server can be reached.",
                status: .unavailable
            )
        }
    }
}

package struct CommentsResult: Codable {
    let hasEarlier: Bool
    let items: [CommentResult]

    init(_ page: ImageCommentPage) {
        hasEarlier = page.hasEarlier
        items = page.comments.map { CommentResult($0) }
    }
}

package struct CommentResult: Codable {
    let id: UUID
    let message: String
    let createdAt: Date
    let username: String

    init(_ comment: ImageComment) {
        id = comment.id
        message = comment.message
        createdAt = comment.createdAt
        username = comment.username
    }
}
