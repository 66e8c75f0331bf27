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
    func feedPage(_ request: Request, _ visit: Visit) async throws -> Response {
        let last = try request.uri.queryParameters["after"].map(Self.imageID)
        let presenter = presenter(for: visit)
        do {
            let page = try await loadFeed(after: last)
            if let failure = page.failure { logger.notice("The feed is not the server's: \(failure)") }
            return try show(presenter.present(page), for: visit)
        } catch {
            logger.error("The feed could not be loaded: \(error)")
            return try show(presenter.present(error), for: visit, status: .init(for: error))
        }
    }

    /// Responds with the cards of the page after an image, or with one line of text about the failure.
    func nextPage(_ request: Request, _ visit: Visit) async throws -> Response {
        guard let last = request.uri.queryParameters["after"] else { throw HTTPError(.badRequest) }
        let imageID = try Self.imageID(last)
        do {
            let page = try await loadFeed(after: imageID)
            // No images together with a failure are not the end of the feed, which only the server can report.
            if page.images.isEmpty, let failure = page.failure { throw failure }
            let content = presenter(for: visit).present(page)
            return try .html("cards", Page(content: Gallery(content, visit: visit), visit: visit))
        } catch {
            logger.error("The next page could not be loaded: \(error)")
            return .text(visit.language.message(for: error), in: visit.language, status: .init(for: error))
        }
    }

    /// Loads a page and remembers its images.
    private func loadFeed(after last: FeedImage.ID?) async throws -> FeedPage {
        let page = try await dispatcher.dispatch(LoadFeed(after: last))
        images.insert(page.images)
        return page
    }

    private func presenter(for visit: Visit) -> FeedPresenter {
        FeedPresenter(language: visit.language, now: now(), calendar: calendar)
    }

    private func show(
        _ content: FeedViewModel,
        for visit: Visit,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let page = Page(error: content.error, content: Gallery(content, visit: visit), visit: visit)
        return try .html("feed", page, status: status, caching: .validated)
    }

    private static func imageID(_ text: Substring) throws -> FeedImage.ID {
        guard let id = UUID(uuidString: String(text)) else { throw HTTPError(.badRequest) }
        return id
    }
}

/// The content of the template for the feed.
struct Gallery {
    /// One image of the feed, with the address of its page.
    struct Card {
        let id: UUID
        let description: String?
        let location: String?
        let label: String
        let address: String
        /// Whether the image is in view at once, so that waiting for the layout would only delay it.
        let isEager: Bool
        let isFirst: Bool
    }

    /// The number of images in the first row of a wide window.
    private static let eagerCount = 3

    let cards: [Card]
    let age: String?
    let ageText: String
    let savedAt: String?
    let emptyMessage: String?
    let lastImage: UUID?
    /// Whether new images appear on this page.
    let isFirst: Bool

    init(_ feed: FeedViewModel, visit: Visit) {
        cards = feed.images.enumerated().map { index, image in
            Card(
                id: image.id,
                description: image.description,
                location: image.location,
                label: image.label,
                address: visit.link(to: "/images/\(image.id)", visit.position),
                isEager: index < Self.eagerCount && visit.path == "/",
                isFirst: index == 0 && visit.path == "/"
            )
        }
        age = feed.age
        ageText = visit.language[.feedSaved]
        savedAt = feed.savedAt?.ISO8601Format()
        emptyMessage = feed.emptyMessage
        lastImage = feed.lastImage
        isFirst = visit.path == "/" && visit.position.isEmpty
    }
}

extension FeedPages {
    /// Responds with the bytes of an image, if this server knows its id.
    func imageData(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let id = try context.imageID
        let data: Data
        do {
            guard let image = try await images.image(id, from: dispatcher) else { throw HTTPError(.notFound) }
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
}

extension RequestContext {
    /// The id in the path.
    ///
    /// - Throws: `HTTPError` with 404 if it is not an id.
    var imageID: FeedImage.ID {
        get throws {
            guard let id = parameters.get("id", as: UUID.self) else { throw HTTPError(.notFound) }
            return id
        }
    }
}

extension HTTPResponse.Status {
    /// Creates the status for an error, which attributes it to the reader, the backend or this server.
    init(for error: any Error) {
        self =
            switch error {
            case is ImageNotFound: .notFound
            case is ImageRemoved: .gone
            case is DiscussionFull: .conflict
            case is InvalidMessage: .unprocessableContent
            case is AccessDenied: .forbidden
            case is RemoteFailure: .badGateway
            default: .internalServerError
            }
    }
}
