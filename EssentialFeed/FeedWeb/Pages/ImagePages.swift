import Duet
import DuetHTTP
import DuetHummingbird
import DuetMacros
import FeedFeature
import FeedPresentation
import FeedServing
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// The page of an image, with its comments, and the page that asks before the image is removed.
@Resolvable
struct ImagePages {
    let queries: any QueryDispatcher
    let commands: any CommandDispatcher
    let outbox: any CommentOutbox
    let images: ImageIndex
    let removed: RemovedImages
    let now: CurrentDate
    let calendar: Calendar
    let newID: NewID
    let quota: ClientQuota
    let logger: Logger
}

extension ImagePages {
    /// Responds with the whole image and its comments; with the comments alone if this server does not know the image,
    /// and with one sentence if it was removed.
    func imagePage(_ request: Request, _ context: some RequestContext, _ visit: Visit) async throws -> Response {
        try await show(context.imageID, CommentRange(request), CommentDraft(id: newID(), visit: visit), visit)
    }

    /// Posts a comment, and responds with the image's page, or with the same form and the fault of a field.
    ///
    /// - Throws: `HTTPError` with 429 if the reader has posted too many in a short time.
    func comment(_ request: Request, _ context: ScopedRequestContext, _ visit: Visit) async throws -> Response {
        let imageID = try context.imageID
        if let pause = quota.use(by: visit.address.client(of: request, connectedFrom: context.clientAddress)) {
            let seconds = Int((pause / .seconds(1)).rounded(.up))
            throw HTTPError(.tooManyRequests, headers: [.retryAfter: "\(seconds)"])
        }
        let comment = try await Form.with(request) { form in
            PostImageComment(
                id: try form.id(),
                imageID: imageID,
                message: form["message"],
                username: form["username"]
            )
        }
        do {
            try await post(comment, visit)
            return .seeOther(visit.link(to: visit.path, visit.position, fragment: "comments"))
        } catch {
            logger.notice("A comment on the image \(imageID) was not posted: \(error)")
            // A token that the backend does not know any more ends the session.
            let isOver = error as? AuthorizationError == .unauthenticated && visit.session.token != nil
            let shown = isOver ? visit.signedOut : visit
            let draft = CommentDraft(comment, refusedWith: error, visit: shown)
            var response = try await show(imageID, CommentRange(request), draft, shown, status: .init(for: error))
            if isOver { response.headers[values: .setCookie] = [Session.endCookie(at: visit.address)] }
            return response
        }
    }

    /// Posts a comment, or keeps it until the server can be reached.
    ///
    /// The outbox has no token, so a comment of a reader who has signed in is not kept here. Neither is one on an image
    /// that this server does not know, because anyone can invent ids.
    private func post(_ comment: PostImageComment, _ visit: Visit) async throws {
        do {
            try await commands.dispatch(comment)
        } catch let failure as RemoteFailure where failure.kind == .connectivity && visit.session.token == nil {
            guard await knownImage(comment.imageID) != nil else { throw failure }
            try await outbox.keep(comment)
            logger.notice("A comment on the image \(comment.imageID) waits for the server: \(failure)")
        }
    }

    private func show(
        _ id: FeedImage.ID,
        _ range: CommentRange,
        _ draft: CommentDraft,
        _ visit: Visit,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        guard !images.isRemoved(id) else { return try showRemoved(visit, status: .gone) }
        let image = await knownImage(id)
        let presenter = ImageCommentsPresenter(language: visit.language, now: now(), calendar: calendar)
        var status = status
        let waiting = await outbox.comments.filter { $0.comment.imageID == id }
        let comments: ImageCommentsViewModel
        var links = CommentLinks()
        do {
            let all = try await queries.dispatch(LoadImageComments(imageID: id))
            let shown = range.indices(of: all)
            comments = presenter.present(Array(all[shown]))
            links = CommentLinks(shown, of: all, in: visit.language) {
                visit.link(to: visit.path, visit.position.merging($0) { $1 }, fragment: "comments")
            }
        } catch let error where error is ImageNotFound || error is ImageRemoved {
            // Anyone can invent ids, and forgetting makes many values stale.
            if image != nil { await removed.forget([id]) }
            return try showRemoved(visit, status: .init(for: error))
        } catch {
            logger.error("The comments on the image \(id) could not be loaded: \(error)")
            comments = presenter.present(error)
            // With comments that wait for the server, the page is what the reader asked for.
            if status == .ok, waiting.isEmpty { status = .init(for: error) }
        }
        let shown = image.map { FeedImageViewModel($0, language: visit.language) }
        let page = Page(
            heading: shown?.label ?? comments.title,
            summary: shown.map { [$0.label, $0.location].compactMap(\.self).uniqued().joined(separator: " · ") },
            image: shown.map { "/images/\($0.id)/data" },
            error: comments.error,
            content: Discussion(
                id: id,
                image: shown,
                list: CommentList(comments, waiting: presenter.present(waiting: waiting), links: links),
                draft: draft,
                visit: visit
            ),
            visit: visit
        )
        return try .html("image", page, status: status)
    }

    /// Responds with one sentence in place of the image, its comments and the form.
    private func showRemoved(_ visit: Visit, status: HTTPResponse.Status) throws -> Response {
        try .html("removed", Page(content: visit.language[.imageRemoved], visit: visit), status: status)
    }
}

extension ImagePages {
    /// Returns an image if this server knows it; the page is useful without it.
    private func knownImage(_ id: FeedImage.ID) async -> FeedImage? {
        do {
            return try await images.image(id, from: queries)
        } catch {
            logger.error("The image \(id) could not be looked up in the cached feed: \(error)")
            return nil
        }
    }
}

extension ImagePages {
    /// Asks whether an image should be removed; a reader who has not signed in is asked to do so first.
    func removalPage(_ context: some RequestContext, _ visit: Visit) async throws -> Response {
        guard visit.session.token != nil else { return .seeOther(visit.signIn) }
        return try await askForRemoval(of: context.imageID, visit)
    }

    /// Removes an image, and responds with the feed.
    func remove(_ context: some RequestContext, _ visit: Visit) async throws -> Response {
        let id = try context.imageID
        do {
            try await commands.dispatch(RemoveImage(id: id))
            await removed.forget([id])
            return .seeOther(visit.link(to: "/"))
        } catch {
            logger.notice("The image \(id) was not removed: \(error)")
            return try await askForRemoval(
                of: id,
                visit,
                error: visit.language.message(for: error),
                status: .init(for: error)
            )
        }
    }

    private func askForRemoval(
        of id: FeedImage.ID,
        _ visit: Visit,
        error: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let image = await knownImage(id)
        let content = Removal(
            name: image.map { FeedImageViewModel($0, language: visit.language).label.shortened(to: 200) },
            remove: visit.link(to: "/images/\(id)/remove", visit.position),
            cancel: visit.link(to: "/images/\(id)", visit.position)
        )
        let page = Page(heading: visit.language[.removeTitle], error: error, content: content, visit: visit)
        return try .html("remove", page, status: status)
    }
}

/// The content of the template that asks before an image is removed.
struct Removal {
    let name: String?
    let remove: String
    let cancel: String
}

extension [String] {
    fileprivate func uniqued() -> [String] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
