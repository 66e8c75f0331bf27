public import Foundation

/// What the client side can be told from outside.
public struct ClientOptions: Sendable {
    /// What the feed is cached in.
    public enum StoreKind: String, CaseIterable, Sendable {
        /// A SQLite database, through GRDB.
        case sqlite

        /// A folder of files.
        case file
    }

    /// The backend, with a path if it has one.
    public let remote: URL

    /// The cache's database file or folder, one per account; nil keeps nothing beyond the process.
    public let cache: URL?

    /// What the feed is cached in.
    public let store: StoreKind

    /// What is shown to the backend, and to nobody else; nil to be a stranger to it.
    public let credentials: Credentials?

    /// Makes options of their parts.
    public init(remote: URL, cache: URL?, store: StoreKind = .sqlite, credentials: Credentials? = nil) {
        self.remote = remote
        self.cache = cache
        self.store = store
        self.credentials = credentials
    }
}
