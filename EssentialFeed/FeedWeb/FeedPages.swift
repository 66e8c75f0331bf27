import Duet
import DuetMacros
import FeedFeature
import FeedPresentation
import Foundation
import Hummingbird
import Logging

/// The pages of the feed.
///
/// Each request creates its own value, so that failures are logged with the request's logger.
@Resolvable
struct FeedPages {
    let dispatcher: any QueryDispatcher
    let images: ImageIndex
    let now: CurrentDate
    let calendar: Calendar
    let logger: Logger
}

extension FeedPages {
    /// Responds with the first page of the feed, or with the page after an image for browsers without script.
    func feedPage(_ request: Request) async throws -> Response {
        let preferences = ReaderPreferences(request)
        let last = try request.uri.queryParameters["after"].map(Self.imageID)
        let presenter = presenter(for: preferences)
        do {
            let page = try await loadFeed(after: last)
            if let failure = page.failure { logger.notice("The feed is not the server's: \(failure)") }
            return try show(presenter.present(page), for: preferences)
        } catch {
            logger.error("The feed could not be loaded: \(error)")
            return try show(presenter.present(error), for: preferences, status: .init(for: error))
        }
    }

    /// Responds with the cards of the page after an image, or with one line of text about the failure.
    func nextPage(_ request: Request) async throws -> Response {
        let preferences = ReaderPreferences(request)
        guard let last = request.uri.queryParameters["after"] else { throw HTTPError(.badRequest) }
        let imageID = try Self.imageID(last)
        do {
            let page = try await loadFeed(after: imageID)
            // No images together with a failure are not the end of the feed, which only the server can report.
            if page.images.isEmpty, let failure = page.failure { throw failure }
            let content = presenter(for: preferences).present(page)
            return try .html("cards", Page(title: content.title, content: content, preferences: preferences))
        } catch {
            logger.error("The next page could not be loaded: \(error)")
            return .text(preferences.language.message(for: error), status: .init(for: error))
        }
    }

    /// Loads a page and remembers its images.
    func loadFeed(after last: FeedImage.ID?) async throws -> FeedPage {
        let page = try await dispatcher.dispatch(LoadFeed(after: last))
        images.insert(page.images)
        return page
    }

    private func presenter(for preferences: ReaderPreferences) -> FeedPresenter {
        FeedPresenter(language: preferences.language, now: now(), calendar: calendar)
    }

    private func show(
        _ content: FeedViewModel,
        for preferences: ReaderPreferences,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        try .html(
            "feed",
            Page(title: content.title, error: content.error, content: content, preferences: preferences),
            status: status
        )
    }

    private static func imageID(_ text: Substring) throws -> FeedImage.ID {
        guard let id = UUID(uuidString: String(text)) else { throw HTTPError(.badRequest) }
        return id
    }
}

extension FeedPages {
    /// Responds with the comments on an image, below the image if this server knows it.
    func commentsPage(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let id = try Self.imageID(context)
        let preferences = ReaderPreferences(request)
        let image = try? await image(id)
        let presenter = ImageCommentsPresenter(language: preferences.language, now: now(), calendar: calendar)
        var status = HTTPResponse.Status.ok
        let comments: ImageCommentsViewModel
        do {
            comments = presenter.present(try await dispatcher.dispatch(LoadImageComments(imageID: id)))
        } catch {
            logger.error("The comments on the image \(id) could not be loaded: \(error)")
            comments = presenter.present(error)
            status = .init(for: error)
        }
        let content = Discussion(
            image: image.map { FeedImageViewModel($0, language: preferences.language) },
            comments: comments.comments.map(Discussion.Comment.init),
            emptyMessage: comments.emptyMessage
        )
        let page = Page(title: comments.title, error: comments.error, content: content, preferences: preferences)
        return try .html("comments", page, status: status)
    }
}

extension FeedPages {
    /// Responds with the bytes of an image, if this server knows its id.
    func imageData(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let id = try Self.imageID(context)
        let data: Data
        do {
            guard let image = try await image(id) else { throw HTTPError(.notFound) }
            data = try await dispatcher.dispatch(LoadImageData(url: image.url))
        } catch let error as HTTPError {
            throw error
        } catch {
            logger.error("The image \(id) could not be loaded: \(error)")
            throw HTTPError(.init(for: error))
        }
        guard let format = ImageFormat(data: data) else {
            logger.error("The bytes of the image \(id) are not an image")
            throw HTTPError(.badGateway)
        }
        return Response(
            status: .ok,
            headers: [.contentType: format.mediaType, .cacheControl: "private, max-age=3600"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data))
        )
    }

    /// Returns the image with an id, or nil if this server has neither delivered nor cached it.
    ///
    /// An image's URL comes only from the feed, so a request cannot make this server load anything else. An unknown id
    /// causes no request to the backend, because anyone can invent ids.
    func image(_ id: FeedImage.ID) async throws -> FeedImage? {
        if let image = images[id] { return image }
        // A page that was open before this server started shows images of the cached feed.
        try await images.restore { [dispatcher] in
            try await dispatcher.dispatch(LoadFeedCacheSummary())?.images ?? []
        }
        return images[id]
    }

    static func imageID(_ context: some RequestContext) throws -> FeedImage.ID {
        guard let id = context.parameters.get("id", as: UUID.self) else { throw HTTPError(.notFound) }
        return id
    }
}

extension HTTPResponse.Status {
    /// Creates the status for an error, which attributes it to the reader, the backend or this server.
    init(for error: any Error) {
        self =
            switch error {
            case is ImageNotFound: .notFound
            case is RemoteFailure: .badGateway
            default: .internalServerError
            }
    }
}
