import DuetMacros
import GRDB

/// Pages by position, not by offset, so that each page costs the same, however long the feed is.
@Resolvable
struct LoadPublishedImagesHandler: QueryHandler {
    let database: FeedDatabase

    func handle(_ query: LoadPublishedImages) async throws -> [PublishedImage] {
        try await database.connection.read { db in
            var end = Int64.max
            if let id = query.after {
                guard let position = try db.position(of: id) ?? db.position(ofRemoved: id) else {
                    throw BackendError.imageNotFound(id)
                }
                end = position
            }
            let sql = "SELECT id, description, location FROM image WHERE position < ? ORDER BY position DESC LIMIT ?"
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [end, query.limit])
            return try Array(rows.map { PublishedImage(id: $0[0], description: $0[1], location: $0[2]) })
        }
    }
}
