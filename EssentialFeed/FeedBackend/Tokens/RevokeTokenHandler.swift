import DuetMacros
import GRDB

@Resolvable
struct RevokeTokenHandler: CommandHandler {
    let database: FeedDatabase

    func handle(_ command: RevokeToken) async throws {
        try await database.connection.write { db in
            try db.execute(sql: "DELETE FROM token WHERE name = ?", arguments: [command.name])
            // A name that is misspelt must not pass for revoked.
            guard db.changesCount == 1 else { throw TokenError.notFound(command.name) }
        }
    }
}
