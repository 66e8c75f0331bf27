public import Duet
import DuetDependencies
import DuetSQLite
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
    /// A damaged cache is renamed and replaced by a new one, and `onWarning` is called.
    ///
    /// - Throws: The error that `body` throws; `InvalidBaseURL`; `ExposedToken`; `SQLiteStoreError` if the cache or the
    ///   outbox is required and cannot be opened.
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
    /// - Throws: As ``withDispatcher(_:environment:onWarning:body:)``; `SQLiteStoreError` if
    ///   the outbox is required and cannot be opened.
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

        /// Memory, until the program ends.
        case memory
    }

    /// The backend's URL, with a path if it has one.
    public internal(set) var remote: URL

    /// The longest duration of a request with its response.
    public let timeout: Duration

    /// The cache's database file, one per account; nil for a cache that ends with the process.
    public let cache: URL?

    /// The kind of the cache's store.
    public let store: StoreKind

    /// The credentials for the backend, which are sent to no other server; nil to send none.
    public let credentials: Credentials?

    /// The file of comments that wait for the server, one per account; nil to keep them only in memory.
    public let outbox: URL?

    /// Whether a cache that cannot be opened is an error; otherwise there is a warning and a cache in memory.
    public let isCacheRequired: Bool

    /// As ``isCacheRequired``, for the outbox.
    public let isOutboxRequired: Bool

    /// Whether the program serves readers.
    ///
    /// The log then says when the backend cannot be reached anymore, and when it can be reached again. Comments that
    /// wait for the backend fail if it requires a token, because no reader can give one to the program.
    public let servesReaders: Bool

    /// Whether files are only read: missing ones are not created, and damaged ones are not renamed.
    public let onlyReads: Bool

    /// Creates options.
    public init(
        remote: URL,
        timeout: Duration = .seconds(30),
        cache: URL?,
        store: StoreKind = .sqlite,
        credentials: Credentials? = nil,
        outbox: URL? = nil,
        isCacheRequired: Bool = false,
        isOutboxRequired: Bool = false,
        servesReaders: Bool = false,
        onlyReads: Bool = false
    ) {
        self.isCacheRequired = isCacheRequired
        self.isOutboxRequired = isOutboxRequired
        self.servesReaders = servesReaders
        self.onlyReads = onlyReads
        self.outbox = outbox
        self.remote = remote
        self.timeout = timeout
        self.cache = cache
        self.store = store
        self.credentials = credentials
    }
}

extension ClientOptions {
    /// Opens the cache.
    ///
    /// - Parameter onWarning: Called if a damaged cache was replaced, or if the cache is kept in memory.
    /// - Throws: `SQLiteStoreError` if the cache is required and cannot be opened.
    func openStore(onWarning: @escaping FeedClient.WarningHandler) async throws -> any FeedStore & FeedImageDataStore {
        guard store == .sqlite, let cache, isUsed(cache) else { return InMemoryFeedStore() }
        do {
            return try await SQLiteFeedStore(url: cache, startsOver: !onlyReads) { onWarning("\($0)") }
        } catch let error as SQLiteStoreError where !isCacheRequired {
            onWarning("\(error) Until then, nothing is cached on the disk.")
            return InMemoryFeedStore()
        }
    }

    /// Whether a file is opened: a missing or empty one is not filled only to be read.
    func isUsed(_ file: URL) -> Bool {
        guard onlyReads else { return true }
        let path = file.resolvingSymlinksInPath().path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: path) else { return false }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.type] as? FileAttributeType != .typeRegular || attributes?[.size] as? Int != 0
    }
}
