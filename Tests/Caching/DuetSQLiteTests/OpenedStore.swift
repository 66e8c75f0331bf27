import DuetContracts
import DuetSQLite
import FeedTesting
import Foundation
import GRDB

/// A store in its own file, with the losses that it reports.
struct OpenedStore: Sendable {
    /// A body of several pieces.
    static let bytes = HTTPCacheStoreSubject.bytes(1, count: 600_000)

    let path: String
    let losses: Losses
    let subject: HTTPCacheStoreSubject
    private let directory: TemporaryDirectory

    init(busyTimeout: Duration = .seconds(5), copying other: OpenedStore? = nil) async throws {
        directory = try TemporaryDirectory()
        path = directory.path("cache.sqlite")
        losses = other?.losses ?? Losses()
        if let other { try Self.copyFiles(from: other.path, to: path) }
        subject = HTTPCacheStoreSubject(
            try await SQLiteHTTPCacheStore(path: path, busyTimeout: busyTimeout, onLoss: losses.add)
        )
    }

    /// Opens a copy of the files, as the next process would find them.
    func restarted() async throws -> OpenedStore { try await OpenedStore(copying: self) }

    static func copyFiles(from path: String, to other: String) throws {
        for suffix in ["", "-wal", ".lock", ".unreadable"]
        where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: other + suffix)
        }
    }

    /// Whether a damaged file was renamed.
    var isSetAside: Bool { FileManager.default.fileExists(atPath: path + ".unreadable") }

    /// Does something to the tables behind the store's back.
    func inDatabase(_ work: @escaping @Sendable (Database) throws -> Void) async throws {
        try await Self.inDatabase(at: path, work)
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
