import DuetSQLite
import FeedCache
import FeedFeature
import Foundation
import GRDB

/// The statements that read and write the feed, on one connection.
struct FeedTables {
    private let database: Database
    private let errors: ErrorMapping

    init(_ database: Database, _ errors: ErrorMapping) {
        self.database = database
        self.errors = errors
    }

    func feed() throws -> CachedFeed? {
        try errors.mapping {
            let cache = try database.cachedStatement(sql: "SELECT timestamp FROM feed")
            defer { cache.rewind() }
            guard try cache.step() else { return nil }

            let rows = try database.cachedStatement(
                sql: "SELECT id, description, location, url FROM feedImage ORDER BY position"
            )
            defer { rows.rewind() }
            var images: [FeedImage] = []
            while try rows.step() {
                guard let id = rows.uuid(at: 0), let url = rows.text(at: 3).flatMap(URL.init(string:)) else {
                    throw FeedStoreError.unreadable(
                        path: errors.path,
                        reason: "image \(images.count) has no id or no URL"
                    )
                }
                images.append(
                    FeedImage(id: id, description: rows.text(at: 1), location: rows.text(at: 2), url: url)
                )
            }
            return CachedFeed(
                images: images,
                timestamp: Date(timeIntervalSinceReferenceDate: cache.double(at: 0))
            )
        }
    }

    func delete() throws {
        try errors.mapping {
            try database.cachedStatement(sql: "DELETE FROM feedImage").run()
            try database.cachedStatement(sql: "DELETE FROM feed").run()
        }
    }

    func insert(_ images: [FeedImage], timestamp: Date) throws {
        try delete()
        try errors.mapping {
            let cache = try database.cachedStatement(sql: "INSERT INTO feed (id, timestamp) VALUES (1, ?)")
            cache.bind(timestamp.timeIntervalSinceReferenceDate, at: 1)
            try cache.run()

            let row = try database.cachedStatement(
                sql: "INSERT INTO feedImage (position, id, description, location, url) VALUES (?, ?, ?, ?, ?)"
            )
            for (position, image) in images.enumerated() {
                row.bind(position, at: 1)
                row.bind(image.id, at: 2)
                row.bind(image.description, at: 3)
                row.bind(image.location, at: 4)
                row.bind(image.url.absoluteString, at: 5)
                try row.run()
            }
        }
    }

    /// Drops the bytes of every URL that is not in the feed.
    func prune() throws {
        try errors.mapping {
            try database.cachedStatement(sql: "DELETE FROM imageData WHERE url NOT IN (SELECT url FROM feedImage)")
                .run()
        }
    }

    /// Keeps the bytes of a URL that is in the feed.
    ///
    /// The URL has no index: it would slow down each save, and a look through ten thousand rows takes a millisecond.
    func insert(_ data: Data, for url: URL) throws {
        try errors.mapping {
            let statement = try database.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO imageData (url, data)
                    SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM feedImage WHERE url = ?1)
                    """
            )
            statement.bind(url.absoluteString, at: 1)
            statement.bind(data, at: 2)
            try statement.run()
        }
    }

    func data(for url: URL) throws -> Data? {
        try errors.mapping {
            let statement = try database.cachedStatement(sql: "SELECT data FROM imageData WHERE url = ?")
            statement.bind(url.absoluteString, at: 1)
            defer { statement.rewind() }
            return try statement.step() ? statement.data(at: 0) : nil
        }
    }
}
