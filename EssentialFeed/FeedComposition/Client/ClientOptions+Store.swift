import FeedCache
import FeedCacheSQLite

extension ClientOptions {
    /// Opens the cache; `onSetAside` is told when one that cannot be read had to make way for it.
    ///
    /// - Throws: The store's own error when none can be made.
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
