import FeedCache
import FeedFeature
import Foundation
import GRDB

/// The steps of a transaction, on the connection that writes.
final class SQLiteTransaction: FeedStoreTransaction {
    private let tables: FeedTables
    private var isChanged = false
    private var deletes = false

    private init(_ tables: FeedTables) {
        self.tables = tables
    }

    /// Runs `body` in a transaction, and drops the bytes that nobody needs any more at its end.
    static func run(
        _ body: (any FeedStoreTransaction) throws -> Void,
        in database: Database,
        _ errors: ErrorMapping
    ) throws {
        let tables = FeedTables(database, errors)
        let transaction = SQLiteTransaction(tables)
        do {
            try run(body, transaction, tables, database, errors)
        } catch let error as FeedStoreError where transaction.deletes && error.isDamage {
            // What was to be deleted cannot even be deleted. As nobody wants it any more, the whole database is
            // replaced by an empty one, and the steps are done again there.
            try errors.mapping { try replaceByEmptyDatabase(database) }
            try run(body, SQLiteTransaction(tables), tables, database, errors)
        }
    }

    private static func run(
        _ body: (any FeedStoreTransaction) throws -> Void,
        _ transaction: SQLiteTransaction,
        _ tables: FeedTables,
        _ database: Database,
        _ errors: ErrorMapping
    ) throws {
        do {
            try errors.mapping {
                try database.inTransaction(.immediate) {
                    do {
                        try body(transaction)
                    } catch {
                        throw BodyFailure(error: error)
                    }
                    if transaction.isChanged { try tables.prune() }
                    return .commit
                }
            }
        } catch let failure as BodyFailure {
            throw failure.error
        }
    }

    private static func replaceByEmptyDatabase(_ database: Database) throws {
        let empty = try DatabaseQueue()
        try FeedSchema.migrator.migrate(empty)
        try empty.inDatabase { try $0.backup(to: database) }
    }

    func deleteCachedFeed() throws {
        (isChanged, deletes) = (true, true)
        try tables.delete()
    }

    func insert(_ images: [FeedImage], timestamp: Date) throws {
        isChanged = true
        try tables.insert(images, timestamp: timestamp)
    }

    func retrieve() throws -> CachedFeed? {
        try tables.feed()
    }
}

/// Keeps an error of the body apart from those of the transaction around it, so that it is not taken for one of them.
private struct BodyFailure: Error {
    let error: any Error
}

extension FeedStoreError {
    fileprivate var isDamage: Bool {
        if case .unreadable = self { true } else { false }
    }
}
