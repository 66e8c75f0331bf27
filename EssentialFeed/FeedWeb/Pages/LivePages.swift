import AsyncAlgorithms
import Duet
import DuetDependencies
import DuetHTTP
import DuetHummingbird
import FeedFeature
import FeedPresentation
import FeedServing
import Foundation
import Hummingbird

/// The events of open pages: new images in the feed, or the comments on an image, and the images that were removed.
///
/// A page has one stream for all of it, because a browser opens only six connections to a server without HTTP/2. The
/// first line of each event has the ids of the images that were removed last; the rest is what the page shows.
///
/// Events outlive the scope of their request, so they are resolved in the container.
struct LivePages {
    let container: Container
    let address: SiteAddress

    private let streams = EventStreams(LiveOptions(streamsPerClient: 250))
    private let lists = RenderedLists<CommentPlace, ImageCommentPage, Data>()

    /// Responds with the id of the newest image each time it changes.
    func feed(_ request: Request, _ context: ScopedRequestContext) async throws -> Response {
        try await respond(to: request, context, observing: LoadNewestImage()) { Data(($0?.uuidString ?? "").utf8) }
    }

    /// Responds with the newest comments each time they change, in the reader's language.
    ///
    /// Earlier comments hardly change, and each new comment would load and render all of their pages again.
    func comments(_ request: Request, _ context: ScopedRequestContext, _ visit: Visit) async throws -> Response {
        let id = try context.imageID
        let (now, calendar): (CurrentDate, Calendar) = try await (container.resolve(), container.resolve())
        guard visit.before == nil else { return Response(status: .noContent) }
        let query = LoadImageComments(imageID: id)
        return try await respond(to: request, context, observing: query) { [lists] page in
            let date = now()
            return try await lists.html(of: page, as: CommentPlace(query: query, language: visit.language), at: date) {
                let presenter = ImageCommentsPresenter(language: visit.language, now: date, calendar: calendar)
                // All readers get the same links, so theirs do not lead back to a place in the feed.
                let links = CommentLinks(of: page, before: nil, in: visit.language) {
                    Visit.address("/images/\(id)", $0.map { ["before": $0.uuidString] } ?? [:]) + "#comments"
                }
                let comments = presenter.present(page.comments)
                return Data(try CommentList(comments, on: id, in: visit.language, links: links).html.utf8)
            }
        }
    }

    private func respond<Q: Query>(
        to request: Request,
        _ context: ScopedRequestContext,
        observing query: Q,
        _ content: @escaping @Sendable (Q.Value) async throws -> Data
    ) async throws -> Response where Q.Value: Sendable {
        let dispatcher: any Dispatcher = try await container.resolve()
        // Browsers do not connect again after this status.
        guard dispatcher.isLive(Q.self) else { return Response(status: .noContent) }
        let images: ImageIndex = try await container.resolve()
        let removals = dispatcher.observe(LoadRemovedImages()).map { ids in
            // Before browsers load the images' pages again.
            images.markRemoved(Set(ids))
            return Data(ids.map(\.uuidString).joined(separator: " ").utf8)
        }
        return streams.response(
            to: request,
            with: dispatcher.observe(query).contents(content, below: removals),
            client: address.client(of: request, connectedFrom: context.clientAddress)
        )
    }
}

/// What determines the HTML of comments beside the comments.
private struct CommentPlace: Hashable {
    let query: LoadImageComments
    let language: Language
}

extension QueryStates {
    /// The contents of these values, below a first line with its own states, which is empty until its first value.
    fileprivate func contents(
        _ content: @escaping @Sendable (Value) async throws -> Data,
        below firstLine: QueryStates<Data>
    ) -> QueryStates<Data> {
        QueryStates<Data> {
            let (events, event) = AsyncStream.makeStream(of: Data.self, bufferingPolicy: .bufferingNewest(1))
            let task = Task {
                var (line, shown, generation) = (Data(), Data?.none, 0)
                for await (first, state) in combineLatest(firstLine, self) {
                    if first.isServable, let value = first.value { line = value }
                    if state.isServable, let value = state.value, state.generation != generation {
                        generation = state.generation
                        // As after a failed load, readers keep what they have.
                        shown = (try? await content(value)) ?? shown
                    }
                    if let shown { event.yield(line + Data("\n".utf8) + shown) }
                }
                event.finish()
            }
            event.onTermination = { _ in task.cancel() }
            var iterator = events.makeAsyncIterator()
            var state = QueryState<Data>()
            return {
                guard let content = await iterator.next(isolation: #isolation) else { return nil }
                state.show(content)
                return state
            }
        }
    }
}
