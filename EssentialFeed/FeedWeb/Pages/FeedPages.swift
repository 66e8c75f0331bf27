import Duet
import DuetHTTP
import DuetHummingbird
import DuetMacros
import FeedFeature
import FeedPresentation
import Foundation
import Hummingbird
import Logging

/// The number of images in a page of the feed.
struct PageSize {
    let images: Int
}

/// The pages of the feed.
///
/// Each request creates its own value, so that failures are logged with the request's logger.
@Resolvable
struct FeedPages {
    let dispatcher: any QueryDispatcher
    let images: ImageIndex
    let removed: RemovedImages
    let cards: RenderedCards
    let pageSize: PageSize
    let now: CurrentDate
    let calendar: Calendar
    let logger: Logger
}

extension FeedPages {
    /// Responds with the first page of the feed or of a search's results, or with the page after an image for browsers
    /// without script.
    func feedPage(_ request: Request, _ visit: Visit) async throws -> Response {
        let position = try FeedPosition(request)
        do {
            let (content, failure) = try await load(position, for: visit)
            if let failure { logger.notice("The feed is not the server's: \(failure)") }
            let notice = PublishingOutcome(request).text(in: visit.language)
            return try await show(content, at: position, notice: notice, for: visit)
        } catch let error as InvalidMessage {
            let words = position.search?.words ?? ""
            let isTooLong = FieldFault(in: words, limit: SearchFeed.textLimit) == .tooLong(limit: SearchFeed.textLimit)
            let fault =
                isTooLong ? visit.language.text(.fieldTooLong, SearchFeed.textLimit) : visit.language[.badRequestError]
            return try await show(nil, at: position, fault: fault, for: visit, status: .init(for: error))
        } catch {
            logger.report("The feed could not be loaded", error)
            let content = presenter(for: visit).present(error)
            return try await show(content, at: position, for: visit, status: .init(for: error))
        }
    }

    /// Responds with the cards of the page after an image, or with one line of text about the failure.
    func nextPage(_ request: Request, _ visit: Visit) async throws -> Response {
        let position = try FeedPosition(request)
        guard position.last != nil else { throw HTTPError(.badRequest) }
        do {
            let (content, failure) = try await load(position, for: visit)
            // No images together with a failure are not the end of the feed, which only the server can report.
            if content.images.isEmpty, let failure { throw failure }
            return .html(try await cards(of: content, at: position, for: visit) ?? "", in: visit.language)
        } catch {
            logger.report("The next page could not be loaded", error)
            return .text(visit.language.message(for: error), in: visit.language, status: .init(for: error))
        }
    }

    /// Loads a page of the feed or of a search's results, and remembers its images.
    func load(
        _ position: FeedPosition,
        for visit: Visit
    ) async throws -> (content: FeedViewModel, failure: RemoteFailure?) {
        let presenter = presenter(for: visit)
        guard let search = position.search else {
            let query = LoadFeed(after: position.last?.imageID, limit: pageSize.images)
            let page = try await dispatcher.dispatch(query)
            images.insert(page.images)
            return (presenter.present(page, of: query), page.failure)
        }
        let query = search.query(after: position.last, limit: pageSize.images, now: now(), calendar: calendar)
        let page = try await dispatcher.dispatch(query)
        images.insert(page.images)
        return (presenter.present(page, of: query), page.failure)
    }

    private func presenter(for visit: Visit) -> FeedPresenter {
        FeedPresenter(language: visit.language, now: now(), calendar: calendar)
    }

    /// Returns the HTML of a page's images, which all readers with the same page share; nil for none.
    private func cards(
        of content: FeedViewModel?,
        at position: FeedPosition,
        for visit: Visit
    ) async throws -> String? {
        guard let images = content?.images, !images.isEmpty else { return nil }
        return try await cards.html(of: images, as: CardPlace(visit), at: now()) {
            try Templates.render("cards", CardList(images, at: position, visit: visit))
        }
    }

    private func show(
        _ content: FeedViewModel?,
        at position: FeedPosition,
        fault: String? = nil,
        notice: String? = nil,
        for visit: Visit,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let page = Page(
            heading: position.search.map { visit.language.searchTitle($0.words.shortened(to: 60)) },
            // The age of a cached feed says enough.
            error: content?.age == nil ? content?.error : nil,
            content: Gallery(
                content,
                try await cards(of: content, at: position, for: visit),
                at: position,
                fault: fault,
                notice: notice,
                visit: visit
            ),
            now: now(),
            visit: visit
        )
        return try .html("feed", page, status: status, caching: .validated)
    }
}

/// Fills the template for the feed.
struct Gallery {
    /// A hidden field of a form.
    struct Field {
        let name: String
        let value: String
    }

    /// The HTML of the images; nil for none.
    let cards: String?
    let age: String?
    let ageText: String
    let savedAt: String?
    let emptyMessage: String?
    let lastImage: UUID?
    /// The address of the whole feed, from a page or a search without images.
    let whole: String?
    /// Whether new images appear on this page.
    let isFirst: Bool
    let form: SearchForm
    /// The fields with which refreshing and loading more repeat the search.
    let fields: [Field]
    let found: String?
    let notice: String?
    /// The number of comments after which the next page begins, if the order depends on it.
    let lastCount: Int?

    init(
        _ feed: FeedViewModel?,
        _ cards: String?,
        at position: FeedPosition,
        fault: String? = nil,
        notice: String? = nil,
        visit: Visit
    ) {
        self.cards = cards
        age = feed?.age.map { age in
            guard position.search == nil, let saved = feed?.savedText else { return age }
            return visit.language.text(.feedOffline, saved)
        }
        ageText = visit.language[position.search == nil ? .feedOffline : .searchSaved]
        savedAt = feed?.savedAt?.ISO8601Format()
        emptyMessage = feed?.emptyMessage
        lastImage = feed?.lastImage
        whole = cards == nil && (position.last != nil || position.search != nil) ? visit.link(to: "/") : nil
        isFirst = visit.path == "/" && position.search == nil && position.last == nil
        form = SearchForm(position.search, fault: fault, visit: visit)
        fields = (position.search?.parameters ?? [:]).sorted { $0.key < $1.key }.map(Field.init)
        found = feed?.found
        self.notice = notice ?? feed?.notice
        lastCount = position.search?.order == .mostCommented ? feed?.images.last?.commentCount : nil
    }
}

extension FeedPages {
    /// Responds with the bytes of an image or of one of its versions, or with 304 if the browser has them.
    ///
    /// Bytes never change at their location, so the tag depends on it alone.
    func imageData(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let id = try context.imageID
        let width = try request.query.optional("width").map { text in
            guard let width = Int(text) else { throw HTTPError(.notFound) }
            return width
        }
        let data: Data
        var headers: HTTPFields = [.cacheControl: "private, max-age=86400, immutable"]
        do {
            guard !images.isRemoved(id) else { throw HTTPError(.gone) }
            guard let image = try await images.image(id, from: dispatcher), let url = image.url(width: width)
            else { throw HTTPError(.notFound) }
            let entityTag = "\"\(ImageAddress.version(of: url.absoluteString))\""
            headers[.eTag] = entityTag
            guard !request.knows(entityTag) else { return Response(status: .notModified, headers: headers) }
            do {
                data = try await bytes(of: image, width: width)
            } catch let failure as RemoteFailure where failure.kind == .connectivity && width != nil {
                // Better another version than none, as long as the server cannot be reached. Animations stand still.
                let others = image.storedURLs.filter { $0 != url && !(image.isAnimated && $0 == image.url) }
                guard let kept = try await dispatcher.dispatch(LoadKeptImageData(urls: others.reversed())) else {
                    throw failure
                }
                data = kept
                headers = [.cacheControl: Response.Caching.never.rawValue]
            }
        } catch let error as HTTPError {
            throw error
        } catch let failure as RemoteFailure where failure.isMissing {
            logger.notice("The image \(id) is gone: \(failure)")
            await removed.forgetMissing(id)
            // Its removal may have been reported meanwhile.
            throw HTTPError(images.isRemoved(id) ? .gone : .notFound)
        } catch {
            logger.error("The image \(id) could not be loaded: \(error)")
            throw HTTPError(.init(for: error))
        }
        guard let format = ImageFormat(data: data) else {
            logger.error("The bytes of the image \(id) are not an image")
            throw HTTPError(.badGateway)
        }
        headers[.contentType] = format.mediaType
        let response = ServedResponse(status: .ok, headers: headers, body: data)
        return Response(headers[.eTag] == nil ? response : response.ranged(for: request.head), to: .get)
    }

    private func bytes(of image: FeedImage, width: Int?) async throws -> Data {
        guard let url = image.url(width: width) else { throw HTTPError(.notFound) }
        do {
            return try await dispatcher.dispatch(LoadImageData(url: url))
        } catch let failure as RemoteFailure {
            guard let current = try? await images.changedImage(image, from: dispatcher),
                let url = current.url(width: width)
            else { throw failure }
            return try await dispatcher.dispatch(LoadImageData(url: url))
        }
    }
}

extension FeedImage {
    /// The location of the version with a width, or of the original for nil; nil if there is no such version.
    fileprivate func url(width: Int?) -> URL? {
        guard let width else { return url }
        return versions.first { $0.width == width }?.url
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

extension Error {
    /// Whether the id of a new image or comment was used before, so that its form needs a new one.
    var isOfUsedID: Bool {
        self is IDReused || self is IdempotencyKeyReused || self is CommentRemoved || self is ImageRemoved
    }
}

extension Logger {
    /// Logs a failure: as an error unless the request is at fault, such as one for an image that never was.
    fileprivate func report(_ message: String, _ error: any Error) {
        let isServers = HTTPResponse.Status(for: error).kind == .serverError
        log(level: isServers ? .error : .notice, "\(message): \(error)")
    }
}

extension HTTPResponse.Status {
    /// Creates the status for an error, which attributes it to the reader, the backend or this server.
    init(for error: any Error) {
        self =
            switch error {
            case is ImageNotFound: .notFound
            case is ImageRemoved, is CommentRemoved: .gone
            case is DuplicateImage, is IDReused, is IdempotencyKeyReused: .conflict
            case is InvalidMessage: .unprocessableContent
            case is TooManyComments: .tooManyRequests
            case is AuthorizationError, is ExposedToken: .forbidden
            case let failure as RemoteFailure: failure.isMissing ? .notFound : .badGateway
            default: .internalServerError
            }
    }
}
