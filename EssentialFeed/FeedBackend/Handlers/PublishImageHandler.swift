import DuetMacros
import FeedFeature
import GRDB

/// Publishes an image at the top of the feed.
///
/// Of two images with one id, the first remains. A removed image remains removed, even if a publisher repeats a request
/// late.
@Resolvable
struct PublishImageHandler: CommandHandler {
    let database: FeedDatabase

    func handle(_ command: PublishImage) async throws {
        try checkStorable(command.description, field: "description")
        try checkStorable(command.location, field: "location")
        guard let format = ImageFormat(data: command.data) else {
            throw InvalidMessage(field: "body", reason: "must be a JPEG, PNG, GIF or WebP image")
        }
        try await database.connection.write { db in
            guard try db.position(of: command.id) == nil else { return }
            guard try db.position(ofRemoved: command.id) == nil else { throw ImageRemoved(id: command.id) }
            try db.insert(command, format: format)
        }
    }
}
