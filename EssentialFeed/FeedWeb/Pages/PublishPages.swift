import Duet
import DuetMacros
import FeedFeature
import FeedPresentation
import Foundation
import Hummingbird
import Logging

/// The page on which a reader who has signed in publishes an image.
@Resolvable
struct PublishPages {
    let queries: any QueryDispatcher
    let commands: any CommandDispatcher
    let newID: NewID
    let logger: Logger
}

extension PublishPages {
    /// The size of an image that the backend accepts, in bytes.
    static let fileLimit = 16_777_216

    /// The size of the form: an image and two texts.
    static let formLimit = fileLimit + 65_536

    /// Responds with the form; a reader who has not signed in is asked to do so first.
    func publishPage(_ visit: Visit) throws -> Response {
        guard visit.session.token != nil else { return .seeOther(visit.signIn) }
        return try show(ImageDraft(id: newID(), visit: visit), visit)
    }

    /// Publishes an image, and responds with the feed, or with the same form and the fault of a field.
    ///
    /// The backend is asked for the reader's permissions before the form is read, so that only publishers can send a
    /// large one.
    func publish(_ request: Request, _ visit: Visit) async throws -> Response {
        guard visit.session.token != nil else { throw HTTPError(.forbidden) }
        do {
            guard try await queries.dispatch(LoadPermissions()).contains(.publish) else {
                throw AuthorizationError.forbidden
            }
        } catch {
            return try refuse(PublishImage(id: newID(), data: Data()), error, visit)
        }
        return try await Form.with(request, upTo: Self.formLimit) { form in try await publish(form, visit) }
    }

    private func publish(_ form: Form, _ visit: Visit) async throws -> Response {
        let image = PublishImage(
            id: try form.id(),
            description: form["description"].nonBlank,
            location: form["location"].nonBlank,
            data: form.file("file")
        )
        do {
            guard image.data.count <= Self.fileLimit else { throw HTTPError(.contentTooLarge) }
            let (published, original) = try image.withoutMetadata()
            try await commands.dispatch(published)
            let removed = RemovedMetadata(original.metadata).parameters
            return .seeOther(visit.link(to: "/", removed, fragment: "image-\(image.id)"))
        } catch let error as HTTPError {
            throw error
        } catch {
            return try refuse(image, error, visit)
        }
    }

    private func refuse(_ image: PublishImage, _ error: any Error, _ visit: Visit) throws -> Response {
        logger.notice("An image was not published: \(error)")
        return try show(ImageDraft(image, refusedWith: error, visit: visit), visit, status: .init(for: error))
    }

    private func show(_ draft: ImageDraft, _ visit: Visit, status: HTTPResponse.Status = .ok) throws -> Response {
        let page = Page(heading: visit.language[.publishTitle], error: draft.failure, content: draft, visit: visit)
        return try .html("publish", page, status: status)
    }
}

/// The form for an image, empty or with the texts and the faults of a refused one.
///
/// A browser chooses files only on behalf of its user, so the file has to be chosen again.
struct ImageDraft {
    /// The id of the image, which stays the same until the image is published.
    let id: UUID
    let description: String
    let location: String
    let fileFault: String?
    let descriptionFault: String?
    let locationFault: String?
    /// A failure that concerns no field.
    let failure: String?
    let action: String
    let fileLimit = PublishPages.fileLimit
    let textLimit = PublishImage.textLimit
    let textLimitText: String

    init(id: UUID, visit: Visit) {
        self.init(PublishImage(id: id, data: Data()), fault: { _, _ in nil }, fileFault: nil, error: nil, visit: visit)
    }

    init(_ image: PublishImage, refusedWith error: any Error, visit: Visit) {
        let invalid = error as? InvalidMessage
        self.init(
            image,
            fault: { text, field in
                guard let invalid, let text else { return nil }
                return FieldFault(in: text, limit: PublishImage.textLimit).confirmed(by: invalid, field: field)
            },
            fileFault: invalid.flatMap { _ in image.fileFault?.text },
            error: error,
            visit: visit
        )
    }

    private init(
        _ image: PublishImage,
        fault: (_ text: String?, _ field: String) -> FieldFault?,
        fileFault: Text?,
        error: (any Error)?,
        visit: Visit
    ) {
        let language = visit.language
        id = image.id
        description = image.description ?? ""
        location = image.location ?? ""
        self.fileFault = fileFault.map { language[$0] }
        descriptionFault = fault(image.description, "description")?.text(in: language)
        locationFault = fault(image.location, "location")?.text(in: language)
        let hasFault = self.fileFault != nil || descriptionFault != nil || locationFault != nil
        failure = hasFault ? nil : error.map(language.message)
        action = visit.link(to: "/publish")
        textLimitText = language.text(.fieldLimit, PublishImage.textLimit)
    }
}

extension PublishImage {
    fileprivate var fileFault: InvalidImage? {
        do {
            _ = try ImageFile(data)
            return nil
        } catch {
            return error
        }
    }
}

extension String {
    /// The text, or nil if nothing of it is visible.
    fileprivate var nonBlank: String? {
        allSatisfy(\.isWhitespace) ? nil : self
    }
}
