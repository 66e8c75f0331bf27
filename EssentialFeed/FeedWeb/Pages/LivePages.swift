import Duet
import DuetDependencies
import DuetHummingbird
import FeedFeature
import FeedPresentation
import Foundation
import Hummingbird

/// The events of open pages: new images in the feed, removed ones, and the comments on an image.
///
/// Events outlive the scope of their request, so they are resolved in the container.
struct LivePages: Sendable {
    let container: Container

    /// All readers behind one proxy share its address.
    private let streams = EventStreams(LiveOptions(streamsPerClient: 500))

    private let lists = RenderedLists()

    init(container: Container) {
        self.container = container
    }

    /// Responds with the id of the newest image each time it changes.
    func feed(_ request: Request) async throws -> Response {
        try await respond(to: request, observing: LoadNewestImage()) { Data(($0?.uuidString ?? "").utf8) }
    }

    /// Responds with the ids of the images that were removed last, each time one is.
    func removals(_ request: Request) async throws -> Response {
        let images: ImageIndex = try await container.resolve()
        return try await respond(to: request, observing: LoadRemovedImages()) { ids in
            // Before browsers load the images' pages again.
            images.markRemoved(Set(ids))
            return Data(ids.map(\.uuidString).joined(separator: " ").utf8)
        }
    }

    /// Responds with the list of comments each time it changes, in the reader's language.
    func comments(_ request: Request, _ context: some RequestContext, _ visit: Visit) async throws -> Response {
        let id = try context.imageID
        let (now, calendar): (CurrentDate, Calendar) = try await (container.resolve(), container.resolve())
        let range = CommentRange(request)
        return try await respond(to: request, observing: LoadImageComments(imageID: id)) { [lists] all in
            let date = now()
            let shown = range.indices(of: all)
            return try lists.html(of: Array(all[shown]), shown, on: id, in: visit.language, at: date) { comments in
                let presenter = ImageCommentsPresenter(language: visit.language, now: date, calendar: calendar)
                // All readers get the same links, so theirs do not lead back to a place in the feed.
                let links = CommentLinks(shown, of: all, in: visit.language) { Visit.address("/images/\(id)", $0) }
                return Data(try CommentList(presenter.present(comments), links: links).html.utf8)
            }
        }
    }

    private func respond<Q: Query>(
        to request: Request,
        observing query: Q,
        _ content: @escaping @Sendable (Q.Value) throws -> Data
    ) async throws -> Response where Q.Value: Sendable {
        let dispatcher: any QueryDispatcher = try await container.resolve()
        guard let updates = (dispatcher as? any LiveDispatcher)?.updates(of: query) else {
            // Browsers do not connect again after this status.
            return Response(status: .noContent)
        }
        return streams.response(to: request, with: updates.mapValues(content))
    }
}
