public import Duet
import DuetMacros
public import FeedFeature
public import Foundation
import GRDB

/// Publishes an image at the top of the feed.
///
/// The handler removes metadata again, because any client can send an image. The same bytes under the same id are a
/// repeat, which changes nothing; the id is refused for other bytes. A removed image remains removed, even if a
/// publisher repeats a request late. Only an image in the feed has duplicates.
@Resolvable
struct PublishImageHandler: CommandHandler {
    let work: UnitOfWork
    let now: CurrentDate

    func handle(_ command: PublishImage) async throws {
        try checkStorable(command.description, command.caption, command.location)
        let (image, file) = try command.withoutMetadata()
        let (publisher, publishedAt) = (Principal.current?.id, now())
        work.add { db in
            if let position = try db.position(of: command.id) {
                guard try db.isImage(at: position, image.data) else { throw IDReused(id: command.id) }
                return
            }
            guard try db.position(ofRemoved: command.id) == nil else { throw ImageRemoved(id: command.id) }
            if image.refusesDuplicate == true, let other = try db.image(with: image.data) {
                throw DuplicateImage(id: other)
            }
            try db.insert(image, file, by: publisher, publishedAt: publishedAt)
        }
        // A repeated upload is the same command, with the same metadata.
        try await work.commit(command)
    }
}

/// Removes an image with its bytes and comments, and stores its place for clients that page from it.
@Resolvable
struct RemoveImageHandler: CommandHandler {
    let work: UnitOfWork

    func handle(_ command: RemoveImage) async throws {
        let caller = Principal.current
        work.add { db in
            guard let position = try db.position(of: command.id) else { return }
            try db.checkOwner(of: position, caller)
            let sql = """
                INSERT INTO removed_image (id, position, comment_count, sequence)
                SELECT id, position, comment_count, (SELECT COALESCE(MAX(sequence), 0) + 1 FROM removed_image)
                FROM image WHERE id = ?
                """
            try db.executeCached(sql, [command.id])
            try db.executeCached("DELETE FROM image WHERE id = ?", [command.id])
        }
        try await work.commit(command)
    }
}

@Resolvable
struct CorrectImageHandler: CommandHandler {
    let work: UnitOfWork

    func handle(_ command: CorrectImage) async throws {
        try checkStorable(command.description, command.caption, command.location)
        let caller = Principal.current
        work.add { db in
            let position = try db.presentPosition(of: command.id)
            try db.checkOwner(of: position, caller)
            try db.correct(command, at: position)
        }
        try await work.commit(command)
    }
}

/// Loads the ids of the removed images, the last removal first.
@Resolvable
struct LoadRemovedImagesHandler: QueryHandler {
    let work: UnitOfWork

    func handle(_ query: LoadRemovedImages) async throws -> [FeedImage.ID] {
        try await work.read { db in
            let sql = "SELECT id FROM removed_image ORDER BY sequence DESC, id LIMIT ?"
            return try UUID.fetchAll(db.cachedStatement(sql: sql), arguments: [LoadRemovedImages.limit])
        }
    }
}

@Resolvable
struct LoadPublishedImageDataHandler: QueryHandler {
    let work: UnitOfWork

    func handle(_ query: LoadPublishedImageData) async throws -> PublishedImageData {
        try await work.read { db in
            let position = try db.presentPosition(of: query.id)
            let (sql, arguments): (String, StatementArguments) =
                if let width = query.width {
                    ("SELECT bytes, 'webp' FROM image_version WHERE image = ? AND width = ?", [position, width])
                } else {
                    ("SELECT bytes, format FROM image_bytes WHERE image = ?", [position])
                }
            guard let row = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments),
                let format = ImageFormat(rawValue: try row.decode(atIndex: 1))
            else { throw ImageNotFound(id: query.id) }
            return PublishedImageData(data: try row.decode(atIndex: 0), format: format)
        }
    }
}

/// Returns whether an image is in the feed.
///
/// While a `PublishImage` is repeated under its idempotency key, the value is that of the first request, so that both
/// have the same response.
public struct IsImagePublished: Query, Hashable {
    /// Whether it is in the feed.
    public typealias Value = Bool

    /// The image.
    public let id: FeedImage.ID

    /// Creates a query for an image.
    public init(id: FeedImage.ID) {
        self.id = id
    }
}

@Resolvable
struct IsImagePublishedHandler: QueryHandler {
    let work: UnitOfWork
    let now: CurrentDate

    func handle(_ query: IsImagePublished) async throws -> Bool {
        let now = now()
        let key = HandledKey.current
        return try await work.read { db in
            if let key, try db.fingerprint(ofHandled: key, at: now) != nil { return false }
            return try db.position(of: query.id) != nil
        }
    }
}
