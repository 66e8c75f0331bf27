import Duet
import DuetMacros
import FeedFeature
import Foundation
import GRDB

@Resolvable
struct KeepTokenHandler: CommandHandler {
    let work: UnitOfWork
    let now: CurrentDate

    func handle(_ command: KeepToken) async throws {
        // No carrier has this command, so no door has validated it.
        try command.checkNames()
        let createdAt = now().millisecondsSince1970
        let scopes = command.permissions.map(\.rawValue).sorted().joined(separator: " ")
        work.add { db in
            let isTaken: Bool? = try db.first("SELECT EXISTS (SELECT * FROM token WHERE name = ?)", [command.name])
            guard isTaken == false else { throw TokenError.nameTaken(command.name) }
            try db.executeCached(
                "INSERT INTO token (hash, name, display_name, scopes, created_at) VALUES (?, ?, ?, ?, ?)",
                [command.hash, command.name, command.displayName, scopes, createdAt]
            )
        }
        try await work.commit()
    }
}

@Resolvable
struct RevokeTokenHandler: CommandHandler {
    let work: UnitOfWork

    func handle(_ command: RevokeToken) async throws {
        work.add { db in
            try db.executeCached("DELETE FROM token WHERE name = ?", [command.name])
            // A misspelled name must not be reported as revoked.
            guard db.changesCount == 1 else { throw TokenError.notFound(command.name) }
        }
        try await work.commit()
    }
}

@Resolvable
struct LoadTokensHandler: QueryHandler {
    let work: UnitOfWork

    func handle(_ query: LoadTokens) async throws -> [TokenSummary] {
        try await work.read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: "SELECT name, scopes, created_at, display_name FROM token ORDER BY created_at, name"
            )
            return try Array(
                rows.map { row in
                    let scopes = try row.decode(String.self, atIndex: 1)
                    return TokenSummary(
                        name: try row.decode(atIndex: 0),
                        displayName: try row.decode(atIndex: 3),
                        permissions: Set(scopes.split(separator: " ").compactMap { Permission(rawValue: String($0)) }),
                        createdAt: Date(millisecondsSince1970: try row.decode(atIndex: 2))
                    )
                }
            )
        }
    }
}

@Resolvable
struct LoadTokenHolderHandler: QueryHandler {
    let work: UnitOfWork

    func handle(_ query: LoadTokenHolder) async throws -> Principal? {
        try await work.read { db in
            let sql = "SELECT name, scopes FROM token WHERE hash = ?"
            guard let row = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [query.hash]) else { return nil }
            let scopes = try row.decode(String.self, atIndex: 1)
            return Principal(id: try row.decode(atIndex: 0), scopes: Set(scopes.split(separator: " ").map(String.init)))
        }
    }
}
