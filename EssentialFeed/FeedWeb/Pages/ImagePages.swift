import Duet
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
    let feed: FeedPages
    let now: CurrentDate
    let calendar: Calendar
    let newID: NewID
    let quota: CommentQuota
    let logger: Logger
}

extension ImagePages {
    /// Responds with the whole image and its comments; with the comments alone if this server does not know the image,
    /// and with one sentence if it was removed.
    func imagePage(_ request: Request, _ context: some RequestContext, _ visit: Visit) async throws -> Response {
        try await show(context.imageID, request, CommentDraft(id: newID(), visit: visit), visit)
    }

    /// Posts a comment, and responds with the image's page, or with the same form and the fault of a field.
    func comment(_ request: Request, _ context: ScopedRequestContext, _ visit: Visit) async throws -> Response {
        let imageID = try context.imageID
        let reader = visit.address.client(of: request, connectedFrom: context.clientAddress)
        let comment = try await Form.with(request) { form in
            PostImageComment(id: try form.id(), imageID: imageID, message: form["message"], username: form["username"])
        }
        do {
            try quota.use(by: reader, for: comment)
            let cookies = try await post(comment, visit)
            let target = visit.link(to: visit.path, visit.position, fragment: "comment-\(comment.id)")
            return .seeOther(target, cookies: cookies)
        } catch {
            logger.notice("A comment on the image \(imageID) was not posted: \(error)")
            // A token that the backend does not know any more ends the session.
            let isOver = error as? AuthorizationError == .unauthenticated && visit.isSignedIn
            let shown = isOver ? visit.signedOut : visit
            let draftID = error.isOfUsedID ? newID() : comment.id
            let draft = CommentDraft(comment, id: draftID, refusedWith: error, visit: shown)
            var response = try await show(imageID, request, draft, shown, status: .init(for: error))
            if let error = error as? TooManyComments { response.headers[.retryAfter] = "\(error.seconds)" }
            if isOver { response.headers[values: .setCookie] = [Session.cookie("session", at: visit.address)] }
            return response
        }
    }

    /// Posts a comment, or keeps it until the server can be reached.
    ///
    /// The outbox has no token, so a comment of a reader who has signed in is not kept here. Neither is one on an image
    /// that this server does not know, because anyone can invent ids.
    ///
    /// - Returns: The cookies that show a kept comment to its sender.
    private func post(_ comment: PostImageComment, _ visit: Visit) async throws -> [String] {
        do {
            try await commands.dispatch(comment)
            quota.accept(comment)
            return []
        } catch  where error.allowsWaiting && !visit.isSignedIn {
            guard await knownImage(comment.imageID) != nil else { throw error }
            try await outbox.keep(comment)
            logger.notice("A comment on the image \(comment.imageID) waits for the server: \(error)")
            let waiting = await outbox.comments
            return [visit.ownComments.cookie(adding: comment, waiting: waiting, at: visit.address)]
        }
    }

    private func show(
        _ id: FeedImage.ID,
        _ request: Request,
        _ draft: CommentDraft,
        _ visit: Visit,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        guard !images.isRemoved(id) else { return try showRemoved(visit, status: .gone) }
        let image = await knownImage(id)
        let presenter = ImageCommentsPresenter(language: visit.language, now: now(), calendar: calendar)
        let waiting = presenter.present(waiting: await waitingComments(on: id, visit))
        var status = status
        let comments: ImageCommentsViewModel
        var links = CommentLinks()
        do {
            let page = try await queries.dispatch(LoadImageComments(imageID: id, before: visit.before))
            comments = presenter.present(page.comments)
            links = CommentLinks(of: page, before: visit.before, in: visit.language) {
                visit.link(to: visit.path, visit.position(before: $0), fragment: "comments")
            }
        } catch is InvalidMessage where visit.before != nil {
            // No comment of this image was there.
            return .seeOther(visit.link(to: visit.path, visit.position, fragment: "comments"))
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
        let content = Discussion(
            id: id,
            image: image.map(FeedPresenter(language: visit.language, now: now(), calendar: calendar).present),
            neighbors: await neighbors(of: image, request, visit),
            list: CommentList(comments, on: id, in: visit.language, waiting: waiting, links: links),
            draft: draft,
            visit: visit
        )
        let page = Page(
            heading: content.image?.title ?? comments.title,
            summary: content.image?.summary,
            image: image.map(Picture.preview),
            error: comments.error,
            content: content,
            now: now(),
            visit: visit
        )
        return try .html("image", page, status: status)
    }

    /// Returns the reader's own comments on an image that wait for the server, for the page with the newest comments.
    private func waitingComments(on id: FeedImage.ID, _ visit: Visit) async -> [WaitingComment] {
        guard visit.before == nil else { return [] }
        return await outbox.comments.filter { $0.comment.imageID == id && visit.ownComments.contains($0.comment) }
    }

    /// Responds with one sentence in place of the image, its comments and the form.
    private func showRemoved(_ visit: Visit, status: HTTPResponse.Status) throws -> Response {
        try .html("removed", Page(content: visit.language[.imageRemoved], visit: visit), status: status)
    }

    /// Returns the addresses of the images before and after one in the feed or in the results of a search, as far as
    /// this server knows.
    private func neighbors(of image: FeedImage?, _ request: Request, _ visit: Visit) async -> Neighbors {
        guard let image else { return Neighbors() }
        do {
            let position = try FeedPosition(request)
            guard position.search == nil else { return try await neighbors(of: image, at: position, visit) }
            let neighbors = try await queries.dispatch(LoadNeighbors(of: image.id))
            func address(_ id: FeedImage.ID) -> String {
                // The page after an image does not have it.
                visit.link(to: "/images/\(id)", id == position.last?.imageID ? [:] : position.parameters)
            }
            return Neighbors(previous: neighbors.previous.map(address), next: neighbors.next.map(address))
        } catch {
            logger.notice("The images beside \(image.id) could not be loaded: \(error)")
            return Neighbors()
        }
    }

    /// Returns the addresses of the images before and after one in the results of a search.
    private func neighbors(of image: FeedImage, at position: FeedPosition, _ visit: Visit) async throws -> Neighbors {
        let images = try await feed.load(position, for: visit).content.images
        guard let index = images.firstIndex(where: { $0.id == image.id }) else { return Neighbors() }
        func address(_ id: FeedImage.ID, at position: FeedPosition) -> String {
            visit.link(to: "/images/\(id)", position.parameters)
        }
        var neighbors = Neighbors()
        if index > 0 {
            neighbors.previous = address(images[index - 1].id, at: position)
        } else if let last = position.last {
            neighbors.previous = address(last.imageID, at: FeedPosition(search: position.search, last: nil))
        }
        if index + 1 < images.count {
            neighbors.next = address(images[index + 1].id, at: position)
        } else {
            let count = position.search?.order == .mostCommented ? images[index].commentCount : nil
            let last = FeedCursor(imageID: image.id, commentCount: count)
            let following = FeedPosition(search: position.search, last: last)
            let next = try await feed.load(following, for: visit).content.images.first
            neighbors.next = next.map { address($0.id, at: following) }
        }
        return neighbors
    }
}

extension ImagePages {
    /// Returns an image if this server knows it; the page is useful without it.
    private func knownImage(_ id: FeedImage.ID) async -> FeedImage? {
        do {
            return try await images.image(id, from: queries)
        } catch {
            logger.error("The image \(id) could not be looked up: \(error)")
            return nil
        }
    }
}

extension ImagePages {
    /// Asks whether an image should be removed; the reader must sign in first.
    func removalPage(_ context: some RequestContext, _ visit: Visit) async throws -> Response {
        guard visit.isSignedIn else { return .seeOther(visit.signIn) }
        return try await askForRemoval(of: context.imageID, visit)
    }

    func remove(_ context: some RequestContext, _ visit: Visit) async throws -> Response {
        let id = try context.imageID
        do {
            try await commands.dispatch(RemoveImage(id: id))
            await removed.forget([id])
            return .seeOther(visit.link(to: "/"))
        } catch {
            logger.notice("The image \(id) was not removed: \(error)")
            return try await askForRemoval(of: id, visit, error: visit.message(for: error), status: .init(for: error))
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
            explanation: visit.language[.removeExplanation],
            remove: visit.link(to: "/images/\(id)/remove", visit.position),
            cancel: visit.link(to: "/images/\(id)", visit.position)
        )
        return try .page("remove", .removeTitle, content, error: error, visit, status: status)
    }
}

extension ImagePages {
    /// Asks whether a comment should be removed; the reader must sign in first.
    func commentRemovalPage(_ context: some RequestContext, _ visit: Visit) async throws -> Response {
        guard visit.isSignedIn else { return .seeOther(visit.signIn) }
        return try await askForRemoval(of: context.commentID, on: context.imageID, visit)
    }

    func removeComment(_ context: some RequestContext, _ visit: Visit) async throws -> Response {
        let (id, imageID) = try (context.commentID, context.imageID)
        do {
            try await commands.dispatch(RemoveImageComment(imageID: imageID, id: id))
            return .seeOther(visit.link(to: "/images/\(imageID)", visit.place, fragment: "comments"))
        } catch {
            logger.notice("The comment \(id) was not removed: \(error)")
            let message = visit.message(for: error)
            return try await askForRemoval(of: id, on: imageID, visit, error: message, status: .init(for: error))
        }
    }

    private func askForRemoval(
        of id: ImageComment.ID,
        on imageID: FeedImage.ID,
        _ visit: Visit,
        error: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let comments = try? await queries.dispatch(LoadImageComments(imageID: imageID, before: visit.before)).comments
        let comment = comments?.first { $0.id == id }
        let content = Removal(
            name: comment.map { "\($0.username.asName): \($0.message)".shortened(to: 200) },
            explanation: visit.language[.commentsRemoveExplanation],
            remove: visit.link(to: visit.path, visit.place),
            cancel: visit.link(to: "/images/\(imageID)", visit.place, fragment: "comments")
        )
        return try .page("remove", .commentsRemoveTitle, content, error: error, visit, status: status)
    }
}

extension RequestContext {
    /// The id of a comment in the path.
    ///
    /// - Throws: `HTTPError` with 404 if it is not an id.
    fileprivate var commentID: ImageComment.ID {
        get throws {
            guard let id = parameters.get("comment", as: UUID.self) else { throw HTTPError(.notFound) }
            return id
        }
    }
}

/// Fills the template that asks before an image or a comment is removed.
struct Removal {
    let name: String?
    let explanation: String
    let remove: String
    let cancel: String
}
