import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import Foundation

/// Prints the comments on an image.
struct Comments: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the comments on an image.",
        discussion: """
            Comments are not saved, so the backend must be reachable. "feed load" prints the ids of the images. The \
            beginning of an id is enough if no other id begins with it. The id of a comment is for "feed remove \
            --comment".

            EXAMPLES:
              feed comments 8112E60D
              feed comments 8112E60D-949B-5F7E-BDED-DBE3CABE2D36 --json

            JSON:
              {"items": [{"id", "message", "createdAt", "username"}]}
            """
    )

    @Argument(help: ArgumentHelp("The image's id, or its beginning.", valueName: "id"), transform: idReference)
    var image: IDReference

    @OptionGroup
    var remote: RemoteOptions

    @OptionGroup
    var cache: CacheOptions

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var log: LogOptions

    func run() async throws {
        let environment = log.environment()
        let id = try await cache.id(of: image, from: remote, log: log)
        let comments = try await load(id, in: environment)
        try output.print(["items": comments.map(\.json)], now: environment.now()) { $0.print(comments) }
    }

    private func load(
        _ id: FeedImage.ID,
        in environment: FeedComposition.Environment
    ) async throws -> LoadImageComments.Value {
        do {
            return try await FeedClient.withDispatcher(
                try ClientOptions(remote: remote.url, timeout: remote.duration, cache: nil),
                environment: environment,
                onWarning: Terminal.note
            ) {
                try await $0.dispatch(LoadImageComments(imageID: id))
            }
        } catch let failure as RemoteFailure where failure.kind == .connectivity {
            throw CommandError(
                "\(failure) Comments are not saved on this machine. Try again when the server can be reached.",
                status: .unavailable
            )
        }
    }
}
