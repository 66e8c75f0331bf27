public import Duet
import DuetDependencies
import FeedCache
import FeedCacheSQLite
public import FeedFeature
public import Foundation

/// The client side of the feed.
///
/// Screens use only its dispatcher.
public enum FeedClient {
    /// Receives a warning for the user of the program.
    public typealias WarningHandler = @Sendable (_ text: String) -> Void

    /// Runs `body` with a client's dispatcher, and closes everything afterwards.
    ///
    /// An unreadable cache is set aside with its bytes and replaced by a new one, and `onWarning` is called.
    ///
    /// - Throws: The error that `body` throws; `InvalidBaseURL`; `ExposedToken`; the cache's own error when it cannot
    ///   be created.
    public static func withDispatcher<Value: Sendable>(
        _ options: ClientOptions,
        environment: Environment,
        onWarning: @escaping WarningHandler,
        body: @Sendable (_ dispatcher: any Dispatcher) async throws -> Value
    ) async throws -> Value {
        try await Container.client(options, environment: environment, onWarning: onWarning).use { container in
            try await container.openStore()
            return try await body(container.resolve())
        }
    }

    /// Runs `body` with a client's dispatcher and its outbox, and closes everything afterwards.
    ///
    /// - Throws: As ``withDispatcher(_:environment:onWarning:body:)``; `SQLiteCacheError` if the outbox cannot be
    ///   opened.
    public static func withOutbox<Value: Sendable>(
        _ options: ClientOptions,
        environment: Environment,
        onWarning: @escaping WarningHandler,
        body: @Sendable (_ dispatcher: any Dispatcher, _ outbox: any CommentOutbox) async throws -> Value
    ) async throws -> Value {
        try await Container.client(options, environment: environment, onWarning: onWarning).use { container in
            try await container.openStore()
            return try await body(container.resolve(), container.resolve())
        }
    }
}

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

    /// The file of comments that wait for the server, one per account; nil to keep them only in memory.
    public let outbox: URL?

    /// Creates options.
    public init(
        remote: URL,
        cache: URL?,
        store: StoreKind = .sqlite,
        credentials: Credentials? = nil,
        outbox: URL? = nil
    ) {
        self.outbox = outbox
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
        func adopt<Store>(_ opened: OpenedStore<Store>) -> Store {
            if let setAside = opened.setAside { onSetAside(setAside) }
            return opened.store
        }
        return switch store {
        case .sqlite: adopt(try SQLiteFeedStore.open(at: cache))
        case .file: adopt(try FileFeedStore.open(at: cache))
        }
    }
}
