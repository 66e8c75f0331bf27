public import Foundation

/// Keeps encoded values of queries behind the memory of a cache, for example in a file for the next launch.
///
/// A store may fail, be slow or lose values. A cache then loads from the handler. Functions that only read change
/// nothing that another read can see. Functions are called concurrently. `CacheStoreContract` in `DuetContracts`
/// checks an implementation.
public protocol CacheStore: Sendable {
    /// The place of the values, which is equal for all stores of this process that share them; nil if it is unknown.
    ///
    /// With it, a cache notices another one that keeps values of another query under the same name.
    var location: String? { get }

    /// Returns the value of a key, or nil.
    func value(for key: CacheKey) async throws -> StoredValue?

    /// Stores a value in place of any other value of the key.
    ///
    /// The value is stored completely or, if this throws, not at all. If another writer has marked values since
    /// ``StoredValue/stamp``, it is stored as if it had been marked, too. If everything was removed since, nothing
    /// happens.
    ///
    /// A store with a limit removes other values to make room. It may refuse a value that is too large, without an
    /// error.
    func insert(_ value: StoredValue, for key: CacheKey) async throws

    /// Returns a number that changes when values are marked by other writers, or when all values are removed.
    ///
    /// - Parameter writer: The writer whose own marks do not count.
    func stamp(for writer: UUID) async throws -> Int64

    /// Notes in constant time that values of a query may be stale, before ``markStale(_:by:)`` has found them.
    ///
    /// Until the note has ended, ``StoredValue/doubts`` contains its number for all values that were stored before, and
    /// for those that the writer stores meanwhile, also after the process has ended. A store that opens may mark such
    /// values as stale, and end the notes. The note counts as a mark for ``stamp(for:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the query.
    ///   - writer: The cache that will mark values.
    /// - Returns: The number of the note; nil if the store keeps no notes, which is the default.
    func noteDoubt(query name: String, by writer: UUID) async throws -> Int64?

    /// Ends notes, and ignores numbers without one.
    func endDoubts(_ numbers: [Int64]) async throws

    /// Marks values as stale, for good.
    ///
    /// Values that are useless then are removed instead: those without ``StoredValue/isKeptWhenStale``.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - writer: The cache that marks them.
    func markStale(_ values: StoredValues, by writer: UUID) async throws

    /// Changes the bytes of values of a query, of all versions and scopes, that are marked as stale.
    ///
    /// Everything else of them stays, and so do the bytes of a value that would become too large. No other change of
    /// the store comes between reading the bytes and changing them.
    ///
    /// - Parameters:
    ///   - name: The name of the query.
    ///   - change: Returns new bytes, or nil for those that stay. It must not use the store.
    func updateStale(
        query name: String,
        _ change: @escaping @Sendable (_ key: CacheKey, _ bytes: Data) -> Data?
    ) async throws

    /// Removes the values of keys, and ignores keys without a value.
    func remove(_ keys: [CacheKey]) async throws

    /// Removes values that can no longer be served.
    func removeExpired(at date: Date) async throws

    /// Notes that all values are to be removed, so that no launch finds them even if ``removeAll()`` fails or hangs.
    ///
    /// ``removeAll()`` ends the note. A store with a note removes its values before its first use.
    ///
    /// - Returns: Whether the store keeps such a note; false by default.
    func noteRemoval() async throws -> Bool

    /// Removes all values for good.
    ///
    /// A store in a file leaves no bytes of them in the file.
    func removeAll() async throws
}

extension CacheStore {
    /// Nil: equal names of different queries go unnoticed.
    public var location: String? { nil }

    /// Returns nil: without notes, commands wait until the store has marked the values.
    public func noteDoubt(query name: String, by writer: UUID) async throws -> Int64? { nil }

    /// Does nothing.
    public func endDoubts(_ numbers: [Int64]) async throws {}

    /// Returns false: the next launch may find values that could not be removed.
    public func noteRemoval() async throws -> Bool { false }
}

/// The values of a store that become stale together.
public enum StoredValues: Sendable {
    /// The values of some keys; those without a value are ignored.
    case keys([CacheKey])

    /// The values of a query, of all versions and scopes, whose keys meet a condition.
    ///
    /// The condition must not use the store.
    case query(name: String, where: @Sendable (CacheKey) -> Bool)

    /// The values with a tag.
    case tag(String)

    /// All values.
    case everything

    /// All values of a query, of all versions and scopes.
    public static func query(name: String) -> StoredValues { .query(name: name) { _ in true } }
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

    /// Creates a key.
    public init(query: String, version: Int, scope: String?, encodedQuery: Data) {
        self.query = query
        self.version = version
        self.scope = scope
        self.encodedQuery = encodedQuery
    }
}

/// An encoded value of a query, with its dates, its tags, its origin, and its mark.
public struct StoredValue: Hashable, Sendable {
    /// The encoded value.
    public package(set) var bytes: Data

    /// When the value was loaded.
    ///
    /// A store must keep this date exactly.
    public let loaded: Date

    /// When the value can no longer be served, even if loading fails; nil for never.
    public let usableUntil: Date?

    /// The tags by which the value can be marked as stale.
    public let tags: [String]

    /// The cache that stored the value.
    public let writer: UUID

    /// The number of invalidations of the writer before the load began.
    public let epoch: Int

    /// Whether the value can still replace a failed load when it is stale.
    public let isKeptWhenStale: Bool

    /// Whether the value was marked as stale.
    public package(set) var isStale: Bool

    /// The notes of ``CacheStore/noteDoubt(query:by:)`` that concern the value.
    ///
    /// A store returns them, and does not keep them with the value.
    public var doubts: [Int64] = []

    /// The stamp of the store before the load began, or nil for a value that is new in any case.
    ///
    /// A store does not keep it.
    public package(set) var stamp: Int64?

    /// Creates a stored value.
    public init(
        bytes: Data,
        loaded: Date,
        usableUntil: Date?,
        tags: [String],
        writer: UUID,
        epoch: Int,
        isKeptWhenStale: Bool = false,
        isStale: Bool = false,
        stamp: Int64? = nil
    ) {
        self.bytes = bytes
        self.loaded = loaded
        self.usableUntil = usableUntil
        self.tags = tags
        self.writer = writer
        self.epoch = epoch
        self.isKeptWhenStale = isKeptWhenStale
        self.isStale = isStale
        self.stamp = stamp
    }
}
