import DuetMacros
import FeedFeature
import GRDB

@Resolvable
struct LoadPublishedImageDataHandler: QueryHandler {
    let database: FeedDatabase

    func handle(_ query: LoadPublishedImageData) async throws -> PublishedImageData {
        try await database.connection.read { db in
            let sql = """
                SELECT bytes, format FROM image_bytes
                WHERE image = (SELECT position FROM image WHERE id = ?)
                """
            guard let row = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [query.id]),
                let format = ImageFormat(rawValue: try row.decode(atIndex: 1))
            else { throw ImageNotFound(id: query.id) }
            return PublishedImageData(data: try row.decode(atIndex: 0), format: format)
        }
    }
}
