public import Foundation

/// Keeps encoded values of queries behind the memory of a cache, for example in a file for the next launch.
///
/// A store may fail, be slow or lose values. A cache then loads from the handler. Functions that only read change
/// nothing that another read can see. Functions are called concurrently. `CacheStoreContract` in `DuetTesting` checks
/// an implementation.
public protocol CacheStore: Sendable {
    /// Returns the value that is stored under a key, or nil.
    func value(for key: CacheKey) async throws -> StoredValue?

    /// Stores a value in place of any other value of the key.
    ///
    /// The value is stored completely or, if this throws, not at all.
    ///
    /// A store with a limit removes other values to make room. It may refuse a value that is too large, without an
    /// error.
    func insert(_ value: StoredValue, for key: CacheKey) async throws

    /// Returns all keys of a query, in any order.
    func keys(ofQuery name: String) async throws -> [CacheKey]

    /// Removes the values of keys, and ignores keys without a value.
    func remove(_ keys: [CacheKey]) async throws

    /// Removes some values of a query.
    ///
    /// By default, these are found with ``keys(ofQuery:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the query.
    ///   - isMeant: Whether the value of a key is to be removed.
    func remove(ofQuery name: String, where isMeant: @escaping @Sendable (CacheKey) -> Bool) async throws

    /// Removes all values of a query, of all versions and scopes.
    func removeAll(ofQuery name: String) async throws

    /// Removes all values with a tag.
    func removeAll(tagged tag: String) async throws

    /// Removes values that can no longer be served.
    func removeExpired(at date: Date) async throws

    /// Removes all values for good.
    ///
    /// A store in a file leaves no bytes of them in the file.
    func removeAll() async throws
}

extension CacheStore {
    /// Removes the values whose keys ``keys(ofQuery:)`` returns, and that are meant.
    public func remove(ofQuery name: String, where isMeant: @escaping @Sendable (CacheKey) -> Bool) async throws {
        let keys = try await keys(ofQuery: name).filter(isMeant)
        if !keys.isEmpty { try await remove(keys) }
    }
}

/// The key of a stored value, made of a query and the scope whose callers share the value.
public struct CacheKey: Hashable, Sendable {
    /// The name of the query, as in `App.LoadFeed`.
    public let query: String

    /// The version of the encoding.
    ///
    /// A value of another version is not found.
    public let version: Int

    /// The scope; nil for values that all callers share.
    public let scope: String?

    /// The query, encoded as JSON with sorted keys.
    public let encodedQuery: Data

    /// Creates a key from its parts.
    public init(query: String, version: Int, scope: String?, encodedQuery: Data) {
        self.query = query
        self.version = version
        self.scope = scope
        self.encodedQuery = encodedQuery
    }
}

/// An encoded value of a query, with its dates, its tags, and its origin.
public struct StoredValue: Hashable, Sendable {
    /// The encoded value.
    public let bytes: Data

    /// When the value was loaded.
    ///
    /// A store must keep this date exactly.
    public let loaded: Date

    /// When the value can no longer be served, even if loading fails; nil for never.
    public let usableUntil: Date?

    /// The tags by which the value can be removed.
    public let tags: [String]

    /// The cache that stored the value.
    public let writer: UUID

    /// The number of invalidations of the writer before the load began.
    public let epoch: Int

    /// Creates a stored value from its parts.
    public init(bytes: Data, loaded: Date, usableUntil: Date?, tags: [String], writer: UUID, epoch: Int) {
        self.bytes = bytes
        self.loaded = loaded
        self.usableUntil = usableUntil
        self.tags = tags
        self.writer = writer
        self.epoch = epoch
    }
}
