import DuetMacros
import FeedFeature
import GRDB

/// Puts an image at the top of the feed.
///
/// Of two images with one id the first stays. An image that was removed stays removed: a publisher's late repetition
/// must not bring it back.
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
