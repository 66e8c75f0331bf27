import DuetMacros
import GRDB

@Resolvable
struct IsImagePublishedHandler: QueryHandler {
    let database: FeedDatabase

    func handle(_ query: IsImagePublished) async throws -> Bool {
        try await database.connection.read { try $0.position(of: query.id) != nil }
    }
}
