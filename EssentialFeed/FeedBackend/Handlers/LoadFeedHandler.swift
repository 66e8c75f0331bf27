import DuetMacros
import FeedFeature
import GRDB

/// Pages by position, not by offset, so that each page costs the same, however long the feed is.
@Resolvable
struct LoadFeedHandler: QueryHandler {
    let database: FeedDatabase
    let links: ImageLinks

    func handle(_ query: LoadFeed) async throws -> FeedPage {
        let images = try await database.connection.read { db in
            var end = Int64.max
            if let id = query.after {
                guard let position = try db.position(of: id) ?? db.position(ofRemoved: id) else {
                    throw ImageNotFound(id: id)
                }
                end = position
            }
            let sql = "SELECT id, description, location FROM image WHERE position < ? ORDER BY position DESC LIMIT ?"
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [end, query.limit])
            return try Array(
                rows.map { row in
                    FeedImage(id: row[0], description: row[1], location: row[2], url: try links.url(of: row[0]))
                }
            )
        }
        return FeedPage(images: images, source: .remote)
    }
}
