import ArgumentParser
import Duet
import FeedFeature
import Foundation

/// An image or a comment, named by its id or by the beginning of its id.
struct IDReference {
    /// The least number of digits, so that a typing error is not mistaken for an id.
    static let minimumLength = 4

    /// The id, if the reference is complete.
    let id: UUID?

    let text: String

    /// Creates a reference from digits with or without dashes; nil if they cannot begin an id.
    init?(_ text: String) {
        let digits = Self.digits(of: text)
        guard (Self.minimumLength...32).contains(digits.count), digits.allSatisfy(\.isHexDigit),
            text.allSatisfy(\.isASCII)
        else { return nil }
        id = UUID(uuidString: text)
        // 32 digits without dashes are not an id in any other program.
        guard digits.count < 32 || id != nil else { return nil }
        self.text = text
    }

    /// Returns the item that the reference names; nil without one.
    ///
    /// - Parameter kind: The name of the items, in the plural.
    /// - Throws: ``CommandError`` if the reference names several items.
    func match<Item: Identifiable<UUID>>(in items: [Item], _ kind: String) throws(CommandError) -> Item? {
        let found = items.filter { Self.digits(of: $0.id.uuidString).hasPrefix(Self.digits(of: text)) }
        guard found.count > 1 else { return found.first }
        let ids = found.prefix(3).map(\.id.uuidString).joined(separator: ", ")
        throw CommandError(
            "\(found.count) \(kind) have an id that begins with \(text): \(ids)\(found.count > 3 ? ", …" : ""). "
                + "Write more of the id."
        )
    }

    /// The error for a reference that names no image of the feed.
    var notFound: any Error {
        if let id { return ImageNotFound(id: id) }
        return CommandError(
            #"No image of the feed has an id that begins with \#(text). "feed load --all" prints the ids."#
        )
    }

    private static func digits(of text: String) -> String {
        text.uppercased().filter { $0 != "-" }
    }
}

struct ImageArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The image's id, or its beginning.", valueName: "id"), transform: idReference)
    var reference: IDReference
}

/// Reads an id, or its beginning.
///
/// - Throws: `ValidationError` with an example of an id.
@Sendable func idReference(_ text: String) throws -> IDReference {
    guard let reference = IDReference(text) else {
        throw ValidationError(
            """
            '\(text)' is not an id or the beginning of one, at least \(IDReference.minimumLength) digits. Write one \
            like 8112E60D-949B-5F7E-BDED-DBE3CABE2D36 or 8112E60D.
            """
        )
    }
    return reference
}

extension QueryDispatcher {
    /// Finds an image in the cached feed, or else in the feed of the server.
    ///
    /// - Throws: ``CommandError`` for an ambiguous or unknown beginning of an id; `ImageNotFound` for an unknown id;
    ///   `RemoteFailure` if the image is not cached and the server cannot be reached.
    func image(_ reference: IDReference) async throws -> FeedImage {
        let cached = try await dispatch(LoadFeedCacheSummary())?.images ?? []
        if let image = try reference.match(in: cached, "images") { return image }
        let loaded = try await FeedPager(dispatcher: self, limit: LoadFeed.limits.upperBound).load(pages: .max)
        if let image = try reference.match(in: loaded.page.images, "images") { return image }
        throw loaded.page.failure ?? reference.notFound
    }

    /// Finds a comment among all on an image.
    ///
    /// - Throws: ``CommandError`` for an ambiguous or unknown id; the error of the query.
    func comment(_ reference: IDReference, on image: FeedImage.ID) async throws -> ImageComment {
        let limit = LoadImageComments.limits.upperBound
        let newest = try await dispatch(LoadImageComments(imageID: image, limit: limit))
        let comments = try await comments(to: newest, on: image, limit: limit) { _ in true }
        if let comment = try reference.match(in: comments, "comments") { return comment }
        throw CommandError(
            #"No comment on the image has an id that begins with \#(reference.text). "feed comments" prints the ids."#
        )
    }

    /// Returns the comments of a page with those of the pages before it, as long as the earliest page needs another.
    ///
    /// - Throws: The error of the query.
    func comments(
        to newest: ImageCommentPage,
        on image: FeedImage.ID,
        limit: Int,
        while needsEarlier: (ImageCommentPage) -> Bool
    ) async throws -> [ImageComment] {
        var (page, comments) = (newest, newest.comments)
        while page.hasEarlier, let first = page.comments.first, needsEarlier(page) {
            page = try await dispatch(LoadImageComments(imageID: image, limit: limit, before: first.id))
            // A server that ignores the place, or leads in a circle, repeats a page.
            if comments.contains(where: { $0.id == page.comments.first?.id }) { break }
            comments = page.comments + comments
        }
        return comments
    }
}

extension CacheOptions {
    /// Returns the id of an image; a complete one needs neither the cache nor the server.
    ///
    /// - Throws: For the beginning of an id, as `image(_:)`.
    func id(of reference: IDReference, from remote: RemoteOptions, log: LogOptions) async throws -> UUID {
        if let id = reference.id { return id }
        return try await log.withDispatcher(of: client(remote: remote.url, timeout: remote.duration)) {
            try await $0.image(reference).id
        }
    }
}
