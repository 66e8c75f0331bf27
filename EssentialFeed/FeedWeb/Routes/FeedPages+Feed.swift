import Duet
import FeedFeature
import FeedPresentation
import Foundation
import Hummingbird
import Logging

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
