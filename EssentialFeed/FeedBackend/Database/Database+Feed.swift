import Crypto
import Duet
import DuetHTTP
import FeedFeature
import Foundation
import GRDB

/// The steps that the handlers and the seeder share. Each runs within the caller's transaction.
extension Database {
    /// Returns an image's position in the feed, or nil if it is not there; the newest has the largest one.
    func position(of image: UUID) throws -> Int64? {
        try first("SELECT position FROM image WHERE id = ?", [image])
    }

    /// Returns a removed image's former position, or nil if no image of this id was removed.
    func position(ofRemoved image: UUID) throws -> Int64? {
        try first("SELECT position FROM removed_image WHERE id = ?", [image])
    }

    /// Returns the position that an image has in the feed, or had before it was removed.
    ///
    /// - Throws: `ImageNotFound` if there never was such an image.
    func lastPosition(of image: UUID) throws -> Int64 {
        guard let position = try position(of: image) ?? position(ofRemoved: image) else {
            throw ImageNotFound(id: image)
        }
        return position
    }

    /// Returns an image's position in the feed, or throws the error for its absence.
    func presentPosition(of image: UUID) throws -> Int64 {
        guard let position = try position(of: image) else { throw try absence(of: image) }
        return position
    }

    /// Returns the error for an image that is not in the feed: whether it was removed, or never existed.
    func absence(of image: UUID) throws -> any Error {
        try position(ofRemoved: image) == nil ? ImageNotFound(id: image) : ImageRemoved(id: image)
    }

    /// Returns whether the image at a position has these bytes, which have no metadata.
    func isImage(at position: Int64, _ bytes: Data) throws -> Bool {
        try first("SELECT 1 FROM image_bytes WHERE image = ? AND bytes = ?", [position, bytes]) ?? false
    }

    /// Returns the first image with these bytes, which have no metadata; nil without one.
    func image(with bytes: Data) throws -> UUID? {
        let sql = """
            SELECT id FROM image JOIN image_bytes ON position = image_bytes.image
            WHERE hash = ? AND bytes = ? ORDER BY position LIMIT 1
            """
        return try first(sql, [bytes.addressHash, bytes])
    }

    /// Inserts a new image at the top of the feed; an empty text is stored as a missing one.
    ///
    /// - Parameters:
    ///   - image: The image without metadata.
    ///   - publisher: The name of the publisher's token; nil if the program itself publishes.
    ///   - author: The name that is shown; nil for the display name of the token.
    func insert(
        _ image: PublishImage,
        _ file: ImageFile,
        by publisher: String? = nil,
        author: String? = nil,
        publishedAt: Date
    ) throws {
        let sql = """
            INSERT INTO image (
                id, description, caption, location, published_at, search_text, width, height, is_animated,
                hash, publisher, author
            ) VALUES (
                ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, IFNULL(?, (SELECT display_name FROM token WHERE name = ?))
            )
            """
        try executeCached(
            sql,
            [
                image.id, image.description?.nonEmpty, image.caption?.nonEmpty, image.location?.nonEmpty,
                publishedAt.millisecondsSince1970,
                SearchText.searchable(image.description, image.caption, image.location),
                file.shownSize.width, file.shownSize.height, file.isAnimated, image.data.addressHash,
                publisher, author, publisher,
            ]
        )
        try executeCached(
            "INSERT INTO image_bytes (image, format, bytes) VALUES (?, ?, ?)",
            [lastInsertedRowID, file.format.rawValue, image.data]
        )
    }

    /// Changes the texts of an image that are not nil; an empty text is stored as a missing one.
    func correct(_ image: CorrectImage, at position: Int64) throws {
        let sql = "SELECT description, caption, location FROM image WHERE position = ?"
        guard let row = try Row.fetchOne(cachedStatement(sql: sql), arguments: [position]) else { return }
        let stored: [String?] = try (0..<3).map { try row.decode(atIndex: $0) }
        let texts = zip([image.description, image.caption, image.location], stored).map { ($0 ?? $1)?.nonEmpty }
        // The same texts are no change.
        let update = """
            UPDATE image SET description = ?1, caption = ?2, location = ?3, search_text = ?4
            WHERE position = ?5 AND (description, caption, location) IS NOT (?1, ?2, ?3)
            """
        try executeCached(
            update,
            [texts[0], texts[1], texts[2], SearchText.searchable(texts[0], texts[1], texts[2]), position]
        )
    }

    /// Checks that a caller may change an image and its comments: its publisher, or a moderator.
    ///
    /// An image whose publisher is unknown, such as a sample, belongs to all publishers.
    ///
    /// - Parameter caller: The principal of the command; nil for the program itself.
    /// - Throws: `AuthorizationError`.
    func checkOwner(of position: Int64, _ caller: Principal?) throws {
        guard let caller, !caller.scopes.contains(Permission.moderate.rawValue) else { return }
        let sql = "SELECT publisher FROM image WHERE position = ? AND publisher IS NOT NULL"
        let publisher: String? = try first(sql, [position])
        guard publisher == nil || publisher == caller.id else { throw AuthorizationError.forbidden }
    }

    /// Returns whether exactly this comment exists.
    func contains(_ comment: PostImageComment) throws -> Bool {
        let sql = """
            SELECT 1 FROM comment WHERE id = ? AND message = ? AND username = ?
            AND image = (SELECT position FROM image WHERE id = ?)
            """
        return try first(sql, [comment.id, comment.message, comment.username, comment.imageID]) ?? false
    }

    func isRemoved(_ comment: ImageComment.ID) throws -> Bool {
        try first("SELECT 1 FROM removed_comment WHERE id = ?", [comment]) ?? false
    }

    /// Returns a page of the comments on the image at a position.
    ///
    /// - Throws: `InvalidMessage` if the comment that ends the page was never on the image.
    func comments(at position: Int64, answering query: LoadImageComments) throws -> ImageCommentPage {
        var end = (date: Int64.max, sequence: Int64.max)
        if let comment = query.before {
            let sql = """
                SELECT created_at, sequence FROM comment WHERE id = ?1 AND image = ?2
                UNION ALL SELECT created_at, sequence FROM removed_comment WHERE id = ?1 AND image = ?2
                """
            guard let row = try Row.fetchOne(cachedStatement(sql: sql), arguments: [comment, position]) else {
                throw InvalidMessage(field: "before_id", reason: "must be the id of a comment on the image")
            }
            end = (try row.decode(atIndex: 0), try row.decode(atIndex: 1))
        }
        let sql = """
            SELECT id, message, created_at, username FROM comment WHERE image = ? AND (created_at, sequence) < (?, ?)
            ORDER BY created_at DESC, sequence DESC LIMIT ?
            """
        // With one more than the page has, it is known whether there are earlier ones.
        let rows = try Row.fetchCursor(
            cachedStatement(sql: sql),
            arguments: [position, end.date, end.sequence, query.maximumCount + 1]
        )
        let comments = try Array(
            rows.map { row in
                ImageComment(
                    id: try row.decode(atIndex: 0),
                    message: try row.decode(atIndex: 1),
                    createdAt: Date(millisecondsSince1970: try row.decode(atIndex: 2)),
                    username: try row.decode(atIndex: 3)
                )
            }
        )
        return ImageCommentPage(
            comments: comments.prefix(query.maximumCount).reversed(),
            hasEarlier: comments.count > query.maximumCount
        )
    }

    /// Removes a comment, whose place stays known to readers who have its page open.
    func remove(comment: UUID, at position: Int64) throws {
        let sql = """
            INSERT OR REPLACE INTO removed_comment (id, image, created_at, sequence)
            SELECT id, image, created_at, sequence FROM comment WHERE id = ? AND image = ?
            """
        try executeCached(sql, [comment, position])
        try executeCached("DELETE FROM comment WHERE id = ? AND image = ?", [comment, position])
    }

    /// Adds a comment; does nothing if it exists.
    ///
    /// - Throws: `CommentRemoved` if a comment of its id was removed; `IDReused` if its id belongs to another comment.
    func insert(_ comment: PostImageComment, at position: Int64, createdAt: Date) throws {
        guard try !isRemoved(comment.id) else { throw CommentRemoved(id: comment.id) }
        let sql = "INSERT OR IGNORE INTO comment (id, image, message, username, created_at) VALUES (?, ?, ?, ?, ?)"
        try executeCached(
            sql,
            [comment.id, position, comment.message, comment.username, createdAt.millisecondsSince1970]
        )
        guard try changesCount > 0 || contains(comment) else { throw IDReused(id: comment.id) }
    }
}

/// Statements that stay prepared.
extension Database {
    func executeCached(_ sql: String, _ arguments: StatementArguments) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func first<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ sql: String,
        _ arguments: StatementArguments
    ) throws -> Value? {
        try Value.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }
}

extension Data {
    /// The beginning of the SHA-256 hash of these bytes, for their address: 16 hexadecimal digits.
    var addressHash: String {
        FieldSyntax.hexadecimal(Array(SHA256.hash(data: self).prefix(8)))
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

/// As ``checkStorable(_:field:)``, for the texts of an image.
func checkStorable(_ description: String?, _ caption: String?, _ location: String?) throws {
    try checkStorable(description, field: "description")
    try checkStorable(caption, field: "caption")
    try checkStorable(location, field: "location")
}
