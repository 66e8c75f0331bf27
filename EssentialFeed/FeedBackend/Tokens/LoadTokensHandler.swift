import DuetMacros
import FeedFeature
import Foundation
import GRDB

@Resolvable
struct LoadTokensHandler: QueryHandler {
    let database: FeedDatabase

    func handle(_ query: LoadTokens) async throws -> [TokenSummary] {
        try await database.connection.read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: "SELECT name, scopes, created_at FROM token ORDER BY created_at, name"
            )
            return try Array(
                rows.map { row in
                    let scopes = try row.decode(String.self, atIndex: 1)
                    return TokenSummary(
                        name: try row.decode(atIndex: 0),
                        permissions: Set(scopes.split(separator: " ").compactMap { Permission(rawValue: String($0)) }),
                        createdAt: Date(millisecondsSince1970: try row.decode(atIndex: 2))
                    )
                }
            )
        }
    }
}
