import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import FeedPresentation
import Foundation

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print new images, or the comments on an image, as they arrive.",
        discussion: """
            Ctrl-C stops it. Of the comments, it first prints the newest 50. If the connection is lost, it connects \
            again and prints what has arrived meanwhile.

            EXAMPLES:
              feed watch
              feed watch 8112E60D
              feed watch --json | jq --unbuffered .description

            JSON, one line for each image; members without a value are left out, as of "feed image":
              {"author": "Ann", "caption": "Make a wish", "commentCount": 3,
               "description": "Dandelions", "height": 600,
               "id": "8112E60D-949B-5F7E-BDED-DBE3CABE2D36", "isAnimated": false,
               "location": "Athens", "publishedAt": "2026-03-01T09:12:44Z",
               "url": "http://127.0.0.1:8080/v1/image/1",
               "versions": [{"url": "http://127.0.0.1:8080/v1/image/2", "width": 400}],
               "width": 800}
            JSON, one line for each comment:
              {"createdAt": "2026-03-01T09:12:44Z",
               "id": "5D0C6A1E-6F2B-4C1D-9A3E-0B7F8C2D4E51",
               "message": "Nice!", "username": "ann"}
            """
    )

    @Argument(
        help: ArgumentHelp("The image whose comments to print: its id, or its beginning.", valueName: "id"),
        transform: idReference
    )
    var image: IDReference?

    @OptionGroup var remote: RemoteOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var log: LogOptions

    func run() async throws {
        var imageID: FeedImage.ID?
        if let image { imageID = try await cache.id(of: image, from: remote, log: log) }
        let environment = log.environment()
        try await log.withDispatcher(
            of: ClientOptions(remote: remote.url, timeout: remote.duration, cache: nil)
        ) { [imageID] dispatcher in
            if let imageID {
                try await watchComments(on: imageID, dispatcher, now: environment.now)
            } else {
                try await watchImages(dispatcher, now: environment.now)
            }
        }
        throw CommandError("The server does not report changes anymore.", status: .unavailable)
    }

    private func watchImages(_ dispatcher: any Dispatcher, now: @Sendable () -> Date) async throws {
        var known = Set(try await dispatcher.dispatch(LoadFeed()).images.map(\.id))
        try await follow(LoadNewestImage(), dispatcher) { newest in
            guard let newest, !known.contains(newest) else { return }
            for image in try await dispatcher.dispatch(LoadFeed()).images.reversed()
            where known.insert(image.id).inserted {
                if output.json {
                    Terminal.print(try ImageResult(image).json(isPretty: false))
                } else {
                    FeedOutput(language: output.language.language, now: now()).print(image)
                }
            }
        }
    }

    private func watchComments(
        on image: FeedImage.ID,
        _ dispatcher: any Dispatcher,
        now: @Sendable () -> Date
    ) async throws {
        var known: Set<ImageComment.ID> = []
        let query = LoadImageComments(imageID: image)
        try await follow(query, dispatcher) { newest in
            // More than a page may have arrived without a connection.
            let comments = try await dispatcher.comments(to: newest, on: image, limit: query.maximumCount) { page in
                !known.isEmpty && !page.comments.contains { known.contains($0.id) }
            }
            let new = comments.filter { known.insert($0.id).inserted }
            guard !new.isEmpty else { return }
            if output.json {
                for comment in new { Terminal.print(try CommentResult(comment).json(isPretty: false)) }
            } else {
                FeedOutput(language: output.language.language, now: now()).printItems(new)
            }
        }
    }

    /// Calls `show` with each value of a query, and reports a lost connection.
    private func follow<Q: Query>(
        _ query: Q,
        _ dispatcher: any Dispatcher,
        show: (Q.Value) async throws -> Void
    ) async throws where Q.Value: Sendable & Equatable {
        // A failure that will not pass, such as an unknown image, ends the command.
        _ = try await dispatcher.dispatch(query)
        guard dispatcher.isLive(Q.self) else { return }
        Terminal.note(output.text(.terminalWaitingForChanges))
        var (last, isLost) = (Q.Value?.none, false)
        for await state in dispatcher.observe(query) {
            if let error = state.error {
                if !isLost { Terminal.note("\(error) Connecting again.", .yellow) }
                isLost = true
            } else if let value = state.value, state.isServable {
                if isLost { Terminal.note(output.text(.terminalConnectedAgain)) }
                isLost = false
                if value != last { try await show(value) }
                last = value
            }
            try Terminal.flush()
        }
    }
}
