import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB

/// A store on a file of its own, and what it says it lost.
struct OpenedStore: Sendable {
    /// What several rows are needed for.
    static let bytes = HTTPCacheStoreSubject.bytes(1, count: 600_000)

    let path: String
    let losses = Losses()
    let subject: HTTPCacheStoreSubject
    private let directory: TemporaryDirectory

    init(busyTimeout: Duration = .seconds(5)) throws {
        directory = try TemporaryDirectory()
        path = directory.path("cache.sqlite")
        subject = HTTPCacheStoreSubject(
            try SQLiteHTTPCacheStore(path: path, busyTimeout: busyTimeout, onLoss: losses.add)
        )
    }

    /// Does something to the tables behind the store's back.
    func inDatabase(_ work: @escaping @Sendable (Database) throws -> Void) async throws {
        try await Self.inDatabase(at: path, work)
    }

    static func inDatabase(at path: String, _ work: @escaping @Sendable (Database) throws -> Void) async throws {
        let other = try DatabaseQueue.other(at: path)
        try await other.writeWithoutTransaction(work)
        try other.close()
    }
}
