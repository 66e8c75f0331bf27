import FeedFeature
import Foundation
import GRDB

/// The steps that handlers and the seeder have in common; each runs within the caller's transaction.
extension Database {
    /// Where an image stands in the feed, or nil when it is not there; the newest has the largest position.
    func position(of image: UUID) throws -> Int64? {
        try Int64.fetchOne(
            cachedStatement(sql: "SELECT position FROM image WHERE id = ?"),
            arguments: [image]
        )
    }

    /// Where a removed image stood, or nil when none of this id was removed.
    func position(ofRemoved image: UUID) throws -> Int64? {
        try Int64.fetchOne(
            cachedStatement(sql: "SELECT position FROM removed_image WHERE id = ?"),
            arguments: [image]
        )
    }

    /// Puts an image that is not there at the top of the feed; an empty text says as little as one that is not there.
    func insert(_ image: PublishImage, format: ImageFormat) throws {
        try cachedStatement(sql: "INSERT INTO image (id, description, location) VALUES (?, ?, ?)")
            .execute(arguments: [image.id, image.description?.orNil, image.location?.orNil])
        let position = lastInsertedRowID
        // The same bits, signed: SQLite has no unsigned integer.
        let checksum = Int64(bitPattern: Checksum.of(image.data))
        try cachedStatement(sql: "INSERT INTO image_bytes (image, format, checksum, bytes) VALUES (?, ?, ?, ?)")
            .execute(arguments: [position, format.rawValue, checksum, image.data])
    }

    /// Whether a comment of an id is there, on whatever image.
    func isThere(comment: UUID) throws -> Bool {
        try Bool.fetchOne(cachedStatement(sql: "SELECT 1 FROM comment WHERE id = ?"), arguments: [comment]) ?? false
    }

    /// How many comments the image at a position has.
    func numberOfComments(at position: Int64) throws -> Int {
        let sql = "SELECT COUNT(*) FROM comment WHERE image = ?"
        return try Int.fetchOne(cachedStatement(sql: sql), arguments: [position]) ?? 0
    }

    /// Adds a comment; one whose id is there already changes nothing.
    func insert(_ comment: PostImageComment, at position: Int64, createdAt: Date) throws {
        let sql = "INSERT OR IGNORE INTO comment (id, image, message, username, created_at) VALUES (?, ?, ?, ?, ?)"
        try cachedStatement(sql: sql)
            .execute(arguments: [
                comment.id, position, comment.message, comment.username, createdAt.millisecondsSince1970,
            ])
    }
}

extension String {
    fileprivate var orNil: String? { isEmpty ? nil : self }
}
