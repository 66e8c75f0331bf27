import DuetMacros
import FeedFeature
import Foundation
import GRDB

/// Loads the comments in the order in which they were posted.
@Resolvable
struct LoadImageCommentsHandler: QueryHandler {
    let database: FeedDatabase

    func handle(_ query: LoadImageComments) async throws -> [ImageComment] {
        try await database.connection.read { db in
            guard let position = try db.position(of: query.imageID) else {
                throw ImageNotFound(id: query.imageID)
            }
            let sql = """
                SELECT id, message, created_at, username FROM comment WHERE image = ? ORDER BY created_at, sequence
                """
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [position])
            return try Array(
                rows.map { row in
                    ImageComment(
                        id: try row.decode(atIndex: 0),
                        message: try row.decode(atIndex: 1),
                        createdAt: Date(millisecondsSince1970: try row.decode(atIndex: 2)),
                        username: try row.decode(atIndex: 3)
                    )
                }
            )
        }
    }
}
