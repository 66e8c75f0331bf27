import FeedFeature
import Foundation
import GRDB

/// The steps that the handlers and the seeder share. Each runs within the caller's transaction.
extension Database {
    /// Returns an image's position in the feed, or nil if it is not there; the newest has the largest one.
    func position(of image: UUID) throws -> Int64? {
        try Int64.fetchOne(
            cachedStatement(sql: "SELECT position FROM image WHERE id = ?"),
            arguments: [image]
        )
    }

    /// Returns a removed image's former position, or nil if no image of this id was removed.
    func position(ofRemoved image: UUID) throws -> Int64? {
        try Int64.fetchOne(
            cachedStatement(sql: "SELECT position FROM removed_image WHERE id = ?"),
            arguments: [image]
        )
    }

    /// Inserts a new image at the top of the feed; an empty text is stored as a missing one.
    func insert(_ image: PublishImage, format: ImageFormat, publishedAt: Date) throws {
        let sql = "INSERT INTO image (id, description, location, published_at, search_text) VALUES (?, ?, ?, ?, ?)"
        try cachedStatement(sql: sql)
            .execute(arguments: [
                image.id, image.description?.nonEmpty, image.location?.nonEmpty, publishedAt.millisecondsSince1970,
                SearchText.searchable(description: image.description, location: image.location),
            ])
        try cachedStatement(sql: "INSERT INTO image_bytes (image, format, bytes) VALUES (?, ?, ?)")
            .execute(arguments: [lastInsertedRowID, format.rawValue, image.data])
    }

    /// Returns whether a comment of this id exists, on any image.
    func contains(comment: UUID) throws -> Bool {
        try Bool.fetchOne(cachedStatement(sql: "SELECT 1 FROM comment WHERE id = ?"), arguments: [comment]) ?? false
    }

    /// Returns the number of comments on the image at a position.
    func commentCount(at position: Int64) throws -> Int {
        let sql = "SELECT comment_count FROM image WHERE position = ?"
        return try Int.fetchOne(cachedStatement(sql: sql), arguments: [position]) ?? 0
    }

    /// Adds a comment; does nothing if a comment of its id exists.
    func insert(_ comment: PostImageComment, at position: Int64, createdAt: Date) throws {
        let sql = "INSERT OR IGNORE INTO comment (id, image, message, username, created_at) VALUES (?, ?, ?, ?, ?)"
        try cachedStatement(sql: sql)
            .execute(arguments: [
                comment.id, position, comment.message, comment.username, createdAt.millisecondsSince1970,
            ])
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

/// The database's format of dates.
extension Date {
    var millisecondsSince1970: Int64 { Int64((timeIntervalSince1970 * 1_000).rounded()) }

    init(millisecondsSince1970 milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}

/// Checks that a text can be read back unchanged, because SQLite's C strings end at U+0000.
///
/// - Throws: `InvalidMessage` that names the field.
func checkStorable(_ text: String?, field: String) throws {
    guard text?.utf8.contains(0) != true else {
        throw InvalidMessage(field: field, reason: "must not contain the character U+0000")
    }
}
