import Duet
import FeedFeature
import FeedPresentation
import Foundation
import Hummingbird
import Logging

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
