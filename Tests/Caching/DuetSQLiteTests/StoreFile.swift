import Foundation
import GRDB

/// What tests do with the files of a store behind its back.
enum StoreFile {
    static func copy(from path: String, to other: String) throws {
        for suffix in ["", "-wal", ".lock", ".unreadable"]
        where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: other + suffix)
        }
    }

    static func inDatabase(at path: String, _ work: @escaping @Sendable (Database) throws -> Void) async throws {
        let other = try DatabaseQueue.other(at: path)
        try await other.writeWithoutTransaction(work)
        try other.close()
    }

    /// The first value of a query, through another connection.
    static func number(_ sql: String, at path: String) async throws -> Int64? {
        let other = try DatabaseQueue.other(at: path)
        defer { try? other.close() }
        return try await other.read { try Int64.fetchOne($0, sql: sql) }
    }
}
