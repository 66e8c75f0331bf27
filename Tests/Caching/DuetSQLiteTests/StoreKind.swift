import DuetCaching
import DuetContracts
import DuetSQLite
import Foundation

/// The kinds of stores in a file.
enum StoreKind: CaseIterable, Sendable {
    case values, commands

    /// A store of any kind, which stores entries by their numbers.
    struct Store: Sendable {
        let insert: @Sendable (Int) async throws -> Void
        /// Returns whether an entry is stored, and is whole.
        let contains: @Sendable (Int) async throws -> Bool
    }

    /// The size of an entry in bytes, which takes several pages.
    private static let size = 50_000

    func open(
        _ path: String,
        busyTimeout: Duration = .seconds(3_600),
        onLoss: @escaping @Sendable (SQLiteStoreLoss) -> Void = { _ in }
    ) async throws -> Store {
        switch self {
        case .values:
            let store = try await SQLiteCacheStore(path: path, busyTimeout: busyTimeout, onLoss: onLoss)
            return Store {
                let value = CacheStoreSubject.value($0, count: Self.size)
                try await store.insert(value, for: CacheStoreSubject.key($0))
            } contains: {
                let value = CacheStoreSubject.value($0, count: Self.size)
                return try await store.value(for: CacheStoreSubject.key($0)) == value
            }
        case .commands:
            let store = try await SQLiteCommandStore(path: path, busyTimeout: busyTimeout, onLoss: onLoss)
            return Store {
                try await store.insert(CommandStoreSubject.command($0, count: Self.size))
            } contains: { number in
                let command = CommandStoreSubject.command(number, count: Self.size)
                return try await store.all().contains { $0.id == command.id && $0.bytes == command.bytes }
            }
        }
    }

    /// The loss that is reported when the file is renamed.
    func isLoss(_ loss: SQLiteStoreLoss, renamedTo path: String) -> Bool {
        switch (self, loss) {
        case (.commands, .commands(renamedTo: path, reason: _)): true
        case (.values, .database(renamedTo: path, reason: _)): true
        default: false
        }
    }
}
