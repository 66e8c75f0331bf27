import DuetMacros
import FeedFeature
import Foundation
import GRDB

/// Pages by position, not by offset, so that each page costs the same in a feed of any length.
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
                    let id = try row.decode(UUID.self, atIndex: 0)
                    return FeedImage(
                        id: id,
                        description: try row.decode(atIndex: 1),
                        location: try row.decode(atIndex: 2),
                        url: try links.url(of: id)
                    )
                }
            )
        }
        return FeedPage(images: images, source: .remote)
    }
}
