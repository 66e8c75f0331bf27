import DuetSQLite
import FeedCache
import FeedFeature
import Foundation
import GRDB

/// The statements that read and write the feed, on one connection.
///
/// A text with U+0000 is stored as a blob, because GRDB reads and writes a `String` as a C string. Texts are read as
/// database values, because GRDB traps on other types than the expected one, which a damaged file may hold.
struct FeedTables {
    /// Selects the URLs of the small versions among the facts of the images; a damaged file may have any facts.
    private static func versions(ofImagesWhere condition: String) -> String {
        """
        SELECT iif(version.type = 'object', version.value, '{}') ->> 'url' AS versionURL FROM feedImage, json_each(
            iif(json_valid(CAST(facts AS TEXT)), CAST(facts AS TEXT), '{}'), '$.versions'
        ) AS version
        WHERE \(condition) AND versionURL IS NOT NULL
            AND iif(version.type = 'object', version.value, '{}') ->> 'width' <= \(FeedImage.storedWidthLimit)
        """
    }

    private let database: Database
    private let file: DatabaseFile

    init(_ database: Database, _ file: DatabaseFile) {
        self.database = database
        self.file = file
    }

    // MARK: Commands

    func delete() throws {
        try execute("DELETE FROM feedImage")
        try execute("DELETE FROM feed")
    }

    func insert(_ images: [FeedImage], timestamp: Date) throws {
        try delete()
        try execute("INSERT INTO feed (id, timestamp) VALUES (1, ?)", [timestamp.timeIntervalSinceReferenceDate])
        try file.mapping(database) {
            let statement = try database.cachedStatement(
                sql: "INSERT INTO feedImage (position, id, description, location, url, facts) VALUES (?, ?, ?, ?, ?, ?)"
            )
            for (position, image) in images.enumerated() { try statement.execute(arguments: [position] + row(image)) }
        }
    }

    func setTimestamp(_ timestamp: Date) throws {
        try execute("UPDATE feed SET timestamp = ?", [timestamp.timeIntervalSinceReferenceDate])
    }

    func append(_ images: [FeedImage]) throws {
        guard try timestamp() != nil else { return }
        try file.mapping(database) {
            let statement = try database.cachedStatement(
                sql: """
                    INSERT INTO feedImage (position, id, description, location, url, facts)
                    SELECT (SELECT IFNULL(MAX(position), -1) + 1 FROM feedImage),
                        ?1, ?2, ?3, ?4, ?5
                    WHERE NOT EXISTS (SELECT 1 FROM feedImage WHERE id = ?1)
                    """
            )
            for image in images { try statement.execute(arguments: row(image)) }
        }
    }

    /// Drops the bytes of every URL that is not in the feed.
    func prune() throws {
        try execute(
            """
            DELETE FROM imageData WHERE url NOT IN (
                SELECT url FROM feedImage UNION ALL \(Self.versions(ofImagesWhere: "facts IS NOT NULL"))
            )
            """
        )
    }

    /// Stores the bytes of a URL that is in the feed.
    ///
    /// The feed has no index of URLs: it would slow down each save, and a scan of ten thousand rows takes a few
    /// milliseconds. Only facts that contain the URL are parsed.
    func insert(_ data: Data, for url: URL) throws {
        // Data without bytes is bound as NULL.
        try execute(
            """
            INSERT OR REPLACE INTO imageData (url, data)
            SELECT ?1, IFNULL(?2, x'') WHERE EXISTS (SELECT 1 FROM feedImage WHERE url = ?1)
                OR ?1 IN (\(Self.versions(ofImagesWhere: "instr(facts, ?3) > 0")))
            """,
            [url.absoluteString, data, JSONEncoder().encode(url)]
        )
    }

    // MARK: Queries

    func feed() throws -> CachedFeed? {
        guard let timestamp = try timestamp() else { return nil }
        return try file.mapping(database) {
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: "SELECT id, description, location, url, facts FROM feedImage ORDER BY position"
                )
            )
            let decoder = JSONDecoder()
            var images: [FeedImage] = []
            while let row = try rows.next() {
                guard let id = try? row.decode(UUID.self, atIndex: 0),
                    let url = text(row[3]).flatMap(URL.init(string:))
                else {
                    throw SQLiteStoreError.damaged(path: file.path, reason: "image \(images.count) has no id or no URL")
                }
                let facts = Data.fromDatabaseValue(row[4])
                    .flatMap { try? decoder.decode(ImageFacts.self, from: $0) }
                images.append(
                    FeedImage(
                        id: id,
                        description: text(row[1]),
                        caption: facts?.caption,
                        location: text(row[2]),
                        author: facts?.author,
                        publishedAt: facts?.publishedAt,
                        commentCount: facts?.commentCount,
                        size: facts?.size,
                        color: facts?.color,
                        isAnimated: facts?.isAnimated ?? false,
                        versions: facts?.versions ?? [],
                        url: url
                    )
                )
            }
            return CachedFeed(images: images, timestamp: timestamp)
        }
    }

    func timestamp() throws -> Date? {
        try first("SELECT timestamp FROM feed").map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// The number of images, from the last of their positions, which have no gaps.
    func count() throws -> Int? {
        guard try timestamp() != nil else { return nil }
        return try first("SELECT IFNULL(MAX(position), -1) + 1 FROM feedImage")
    }

    func contains(_ id: FeedImage.ID) throws -> Bool {
        try first("SELECT EXISTS (SELECT 1 FROM feedImage WHERE id = ?)", [id]) ?? false
    }

    func data(for url: URL) throws -> Data? {
        try first("SELECT data FROM imageData WHERE url = ?", [url.absoluteString])
    }

    // MARK: Statements

    private func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
        try file.mapping(database) { try database.cachedStatement(sql: sql).execute(arguments: arguments) }
    }

    private func first<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ sql: String,
        _ arguments: StatementArguments = []
    ) throws -> Value? {
        try file.mapping(database) {
            try Value.fetchOne(database.cachedStatement(sql: sql), arguments: arguments)
        }
    }

    /// The columns id, description, location, url and facts of an image.
    private func row(_ image: FeedImage) throws -> StatementArguments {
        [
            image.id, bindable(image.description), bindable(image.location), image.url.absoluteString,
            try ImageFacts(image).map(JSONEncoder().encode),
        ]
    }

    private func bindable(_ text: String?) -> (any DatabaseValueConvertible)? {
        guard let text, text.utf8.contains(0) else { return text }
        return Data(text.utf8)
    }

    private func text(_ value: DatabaseValue) -> String? {
        String.fromDatabaseValue(value)
    }
}
