import DuetSQLite
import FeedCache
import FeedFeature
import Foundation
import GRDB

/// The steps of a transaction, on the writing connection.
///
/// A deletion waits for the next step. If that inserts the images that are there, only their timestamp is written.
final class SQLiteTransaction: FeedStoreTransaction {
    private let tables: FeedTables
    /// Whether images' bytes may no longer be needed.
    private var removesImages = false
    private var deletes = false
    private var isDeletionPending = false

    private init(_ tables: FeedTables) {
        self.tables = tables
    }

    /// Runs `body` in a transaction, and drops unneeded bytes at its end.
    static func run(
        _ body: (any FeedStoreTransaction) throws -> Void,
        in database: Database,
        _ file: DatabaseFile
    ) throws {
        let tables = FeedTables(database, file)
        let transaction = SQLiteTransaction(tables)
        do {
            try run(body, transaction, tables, database, file)
        } catch SQLiteStoreError.damaged where transaction.deletes {
            // The damage prevents even the deletion. The whole content is unwanted, so an empty database replaces it,
            // and the steps run again there.
            try file.mapping { try file.empty(database) }
            try run(body, SQLiteTransaction(tables), tables, database, file)
        }
    }

    private static func run(
        _ body: (any FeedStoreTransaction) throws -> Void,
        _ transaction: SQLiteTransaction,
        _ tables: FeedTables,
        _ database: Database,
        _ file: DatabaseFile
    ) throws {
        do {
            try file.mapping(database) {
                try database.inTransaction(.immediate) {
                    do {
                        try body(transaction)
                    } catch {
                        throw BodyFailure(error: error)
                    }
                    try transaction.deletePending()
                    if transaction.removesImages { try tables.prune() }
                    return .commit
                }
            }
        } catch let failure as BodyFailure {
            throw failure.error
        }
    }

    func deleteCachedFeed() throws {
        (deletes, isDeletionPending) = (true, true)
    }

    func insert(_ images: [FeedImage], timestamp: Date) throws {
        isDeletionPending = false
        // A feed that cannot be read is replaced.
        if let feed = try? tables.feed(), feed.images == images { return try tables.setTimestamp(timestamp) }
        removesImages = true
        try tables.insert(images, timestamp: timestamp)
    }

    func append(_ images: [FeedImage]) throws {
        try deletePending()
        try tables.append(images)
    }

    func retrieve() throws -> CachedFeed? {
        try deletePending()
        return try tables.feed()
    }

    func retrieveTimestamp() throws -> Date? {
        try deletePending()
        return try tables.timestamp()
    }

    func contains(_ id: FeedImage.ID) throws -> Bool {
        try deletePending()
        return try tables.contains(id)
    }

    private func deletePending() throws {
        guard isDeletionPending else { return }
        (removesImages, isDeletionPending) = (true, false)
        try tables.delete()
    }
}

/// Marks an error as the body's own, so that it is not mistaken for one of the transaction.
private struct BodyFailure: Error {
    let error: any Error
}
