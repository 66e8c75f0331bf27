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
    let images: ImageIndex
    let newID: NewID
    let logger: Logger
}

extension PublishPages {
    /// The size of an image that the backend accepts, in bytes.
    static let fileLimit = 16_777_216

    /// The size of the form with its image.
    static let formLimit = fileLimit + Form.limit

    /// Responds with the form; the reader must sign in first.
    func publishPage(_ visit: Visit) throws -> Response {
        guard visit.isSignedIn else { return .seeOther(visit.signIn) }
        guard visit.session.offersPublishing else {
            let reason = visit.language.message(for: AuthorizationError.forbidden)
            return try .page("error", .publishTitle, reason, visit, status: .forbidden)
        }
        return try show(ImageDraft(id: newID(), visit: visit), visit)
    }

    /// Publishes an image, and responds with the feed, or with the same form and the fault of a field.
    ///
    /// The backend is asked for the reader's permissions before the form is read, so that only publishers can send a
    /// large one.
    func publish(_ request: Request, _ visit: Visit) async throws -> Response {
        do {
            guard visit.isSignedIn else { throw AuthorizationError.unauthenticated }
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
            caption: form["caption"].nonBlank,
            location: form["location"].nonBlank,
            refusesDuplicate: form["duplicate"] == "allowed" ? nil : true,
            data: form.file("file")
        )
        do {
            guard image.data.count <= Self.fileLimit else { throw HTTPError(.contentTooLarge) }
            let (published, original) = try image.withoutMetadata()
            try await commands.dispatch(published)
            let outcome = PublishingOutcome(removed: original.metadata).parameters
            return .seeOther(visit.link(to: "/", outcome, fragment: "image-\(image.id)"))
        } catch let error as HTTPError {
            throw error
        } catch {
            return try refuse(image, error, visit)
        }
    }

    private func refuse(_ image: PublishImage, _ error: any Error, _ visit: Visit) throws -> Response {
        logger.notice("An image was not published: \(error)")
        let id = error.isOfUsedID ? newID() : image.id
        return try show(ImageDraft(image, id: id, refusedWith: error, visit: visit), visit, status: .init(for: error))
    }

    private func show(_ draft: ImageDraft, _ visit: Visit, status: HTTPResponse.Status = .ok) throws -> Response {
        try .page("publish", .publishTitle, draft, error: draft.failure, visit, status: status)
    }
}

extension PublishPages {
    /// Responds with the form for the texts of an image; the reader must sign in first.
    func editingPage(_ context: some RequestContext, _ visit: Visit) async throws -> Response {
        guard visit.isSignedIn else { return .seeOther(visit.signIn) }
        let id = try context.imageID
        do {
            // A remembered image may have texts from before another correction.
            guard let image = try await images.lookUp(id, from: queries) else { throw HTTPError(.notFound) }
            let texts = ImageTexts(image)
            return try show(id, texts, before: texts, error: nil, visit)
        } catch let error as RemoteFailure {
            return try .page("error", .editTitle, visit.message(for: error), visit, status: .init(for: error))
        }
    }

    /// Changes the texts of an image that differ from those with which the form was filled, and responds with the
    /// image's page, or with the same form and the fault of a field.
    func correct(_ request: Request, _ context: some RequestContext, _ visit: Visit) async throws -> Response {
        let id = try context.imageID
        let (texts, before) = try await Form.with(request) { form in
            (ImageTexts { form[$0] }, ImageTexts { form["\($0)-before"] })
        }
        do {
            guard visit.isSignedIn else { throw AuthorizationError.unauthenticated }
            try await commands.dispatch(texts.correction(of: id, from: before))
        } catch {
            logger.notice("The image \(id) was not corrected: \(error)")
            return try show(id, texts, before: before, error: error, visit)
        }
        do {
            _ = try await images.lookUp(id, from: queries)
        } catch {
            logger.notice("The corrected image \(id) was not loaded: \(error)")
        }
        return .seeOther(visit.link(to: "/images/\(id)", visit.position))
    }

    private func show(
        _ id: FeedImage.ID,
        _ texts: ImageTexts,
        before: ImageTexts,
        error: (any Error)?,
        _ visit: Visit
    ) throws -> Response {
        let fields = ImageFields(
            description: texts.description,
            caption: texts.caption,
            location: texts.location,
            refusedWith: error,
            visit: visit
        )
        let content = Correction(
            fields: fields,
            before: before,
            picture: images[id].map { Picture($0, in: .feed(isLazy: false)) },
            action: visit.link(to: visit.path, visit.position),
            cancel: visit.link(to: "/images/\(id)", visit.position)
        )
        let failure = fields.hasFault ? nil : error.map(visit.message)
        let status: HTTPResponse.Status = error.map { .init(for: $0) } ?? .ok
        return try .page("edit", .editTitle, content, error: failure, visit, status: status)
    }
}

/// Fills the template for the texts of an image.
struct Correction {
    let fields: ImageFields
    let before: ImageTexts
    let picture: Picture?
    let action: String
    let cancel: String
}

/// The texts of an image in a form; empty ones are missing.
struct ImageTexts {
    let description: String
    let caption: String
    let location: String

    init(_ text: (_ name: String) -> String) {
        description = text("description")
        caption = text("caption")
        location = text("location")
    }

    init(_ image: FeedImage) {
        description = image.description ?? ""
        caption = image.caption ?? ""
        location = image.location ?? ""
    }

    /// Returns the command that changes those of the earlier texts that differ from these.
    func correction(of id: FeedImage.ID, from before: ImageTexts) -> CorrectImage {
        func change(_ text: KeyPath<ImageTexts, String>) -> String? {
            let new = self[keyPath: text].nonBlank ?? ""
            // Two texts of different characters can be equal as strings.
            return new.utf8.elementsEqual(before[keyPath: text].utf8) ? nil : new
        }
        return CorrectImage(
            id: id,
            description: change(\.description),
            caption: change(\.caption),
            location: change(\.location)
        )
    }
}

struct ImageFields {
    let description: Field
    let caption: Field
    let location: Field

    init(description: String?, caption: String?, location: String?, refusedWith error: (any Error)?, visit: Visit) {
        func field(_ text: String?, _ name: String) -> Field {
            Field(text, name, PublishImage.textLimit, refusedWith: error, visit)
        }
        self.description = field(description, "description")
        self.caption = field(caption, "caption")
        self.location = field(location, "location")
    }

    var hasFault: Bool { description.fault != nil || caption.fault != nil || location.fault != nil }
}

/// The form for an image, empty or with the texts and the faults of a refused one.
///
/// A browser chooses files only on behalf of its user, so the file has to be chosen again. After the refusal of a
/// duplicate, the form allows it.
struct ImageDraft {
    /// The id of the image, which stays the same until the image is published or the id is refused.
    let id: UUID
    let fields: ImageFields
    let fileFault: String?
    /// The address of the image that has the same bytes.
    let duplicate: String?
    /// A failure that concerns no field.
    let failure: String?
    let action: String
    let fileLimit = PublishPages.fileLimit

    init(id: UUID, visit: Visit) {
        self.init(PublishImage(id: id, data: Data()), id: id, fileFault: nil, error: nil, visit: visit)
    }

    init(_ image: PublishImage, id: UUID, refusedWith error: any Error, visit: Visit) {
        let fault: Text? =
            switch error {
            case is InvalidMessage: image.fileFault?.text
            case is DuplicateImage: .publishDuplicate
            default: nil
            }
        self.init(image, id: id, fileFault: fault, error: error, visit: visit)
    }

    private init(_ image: PublishImage, id: UUID, fileFault: Text?, error: (any Error)?, visit: Visit) {
        self.id = id
        fields = ImageFields(
            description: image.description,
            caption: image.caption,
            location: image.location,
            refusedWith: error,
            visit: visit
        )
        self.fileFault = fileFault.map { visit.language[$0] }
        duplicate = (error as? DuplicateImage).map { visit.link(to: "/images/\($0.id)") }
        let hasFault = self.fileFault != nil || fields.hasFault
        failure = hasFault ? nil : error.map(visit.message)
        action = visit.link(to: "/publish")
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
    fileprivate var nonBlank: String? { isVisible ? self : nil }
}
