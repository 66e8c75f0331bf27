import DuetMacros
import FeedFeature
import GRDB

/// Removes an image with its bytes and comments, and stores its position for clients that page from it.
@Resolvable
struct RemoveImageHandler: CommandHandler {
    let database: FeedDatabase

    func handle(_ command: RemoveImage) async throws {
        try await database.connection.write { db in
            try db.execute(
                sql: "INSERT INTO removed_image (id, position) SELECT id, position FROM image WHERE id = ?",
                arguments: [command.id]
            )
            try db.execute(sql: "DELETE FROM image WHERE id = ?", arguments: [command.id])
        }
    }
}
