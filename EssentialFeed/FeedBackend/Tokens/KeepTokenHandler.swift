import DuetMacros
import FeedFeature
import Foundation
import GRDB

@Resolvable
struct KeepTokenHandler: CommandHandler {
    let database: FeedDatabase
    let now: CurrentDate

    func handle(_ command: KeepToken) async throws {
        let createdAt = now().millisecondsSince1970
        let scopes = command.permissions.map(\.rawValue).sorted().joined(separator: " ")
        try await database.connection.write { db in
            let isTaken = try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT * FROM token WHERE name = ?)",
                arguments: [command.name]
            )
            guard isTaken == false else { throw TokenError.nameTaken(command.name) }
            try db.execute(
                sql: "INSERT INTO token (hash, name, scopes, created_at) VALUES (?, ?, ?, ?)",
                arguments: [command.hash, command.name, scopes, createdAt]
            )
        }
    }
}
