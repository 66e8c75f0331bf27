import FeedCache
import FeedCacheSQLite
public import Foundation

/// The options of the client side.
public struct ClientOptions: Sendable {
    /// The kind of the cache's store.
    public enum StoreKind: String, CaseIterable, Sendable {
        /// An SQLite database, through GRDB.
        case sqlite

        /// A folder of files.
        case file
    }

    /// The backend's URL, with a path if it has one.
    public let remote: URL

    /// The cache's database file or folder, one per account; nil for a cache that ends with the process.
    public let cache: URL?

    /// The kind of the cache's store.
    public let store: StoreKind

    /// The credentials for the backend, which are sent to no other server; nil to send none.
    public let credentials: Credentials?

    /// Creates options.
    public init(remote: URL, cache: URL?, store: StoreKind = .sqlite, credentials: Credentials? = nil) {
        self.remote = remote
        self.cache = cache
        self.store = store
        self.credentials = credentials
    }
}

extension ClientOptions {
    /// Opens the cache; calls `onSetAside` if an unreadable one was replaced.
    ///
    /// - Throws: The store's own error when none can be created.
    func openStore(onSetAside: (SetAsideStore) -> Void) throws -> any FeedStore & FeedImageDataStore {
        guard let cache else { return InMemoryFeedStore() }
        func settled<Store>(_ opened: OpenedStore<Store>) -> Store {
            if let setAside = opened.setAside { onSetAside(setAside) }
            return opened.store
        }
        return switch store {
        case .sqlite: settled(try SQLiteFeedStore.open(at: cache))
        case .file: settled(try FileFeedStore.open(at: cache))
        }
    }
}
