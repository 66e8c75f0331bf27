import DuetCaching
import DuetSQLite

extension SQLiteCacheStore {
    /// Opens a file, and waits for others as long as a test may take.
    static func open(
        _ path: String,
        limit: Limit = Limit(),
        onLoss: @escaping @Sendable (SQLiteStoreLoss) -> Void = { _ in }
    ) async throws -> SQLiteCacheStore {
        try await SQLiteCacheStore(path: path, limit: limit, busyTimeout: .seconds(3_600), onLoss: onLoss)
    }
}

extension SQLiteCommandStore {
    /// Opens a file, and waits for others as long as a test may take.
    static func open(
        _ path: String,
        limit: CommandStoreLimit = CommandStoreLimit(),
        onLoss: @escaping @Sendable (SQLiteStoreLoss) -> Void = { _ in }
    ) async throws -> SQLiteCommandStore {
        try await SQLiteCommandStore(path: path, limit: limit, busyTimeout: .seconds(3_600), onLoss: onLoss)
    }
}
