import DuetContext
import DuetMacros
import GRDB

@Resolvable
struct LoadTokenHolderHandler: QueryHandler {
    let database: FeedDatabase

    func handle(_ query: LoadTokenHolder) async throws -> Principal? {
        try await database.connection.read { db in
            let sql = "SELECT name, scopes FROM token WHERE hash = ?"
            guard let row = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [query.hash]) else { return nil }
            let scopes = try row.decode(String.self, atIndex: 1)
            return Principal(id: try row.decode(atIndex: 0), scopes: Set(scopes.split(separator: " ").map(String.init)))
        }
    }
}
