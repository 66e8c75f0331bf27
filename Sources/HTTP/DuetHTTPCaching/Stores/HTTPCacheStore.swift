public import DuetHTTP
public import Foundation

/// Keeps responses for an HTTP cache, which decides which responses are stored and who receives them.
///
/// The capacity of a store is a number of bytes. To make room for a response, the store removes the least recently used
/// ones at once. One response takes at most a quarter of the capacity, and responses that are being stored displace at
/// most half of it. A response is stored as a whole or not at all. `HTTPCacheStoreContract` in `DuetContracts` verifies
/// the requirements on all stores:
///
/// ```swift
/// for clause in HTTPCacheStoreContract.allCases {
///     try await clause.verify { capacity in InMemoryHTTPCacheStore(capacity: capacity) }
/// }
/// ```
///
/// A store that others can remove responses from reports such a removal with an ``HTTPCacheRemovalError``. A store that
/// ``isDurable`` gets no secrets unless ``CachingHTTPClient/Configuration/storesSecretsDurably`` is set.
public protocol HTTPCacheStore: Sendable {
    /// Whether stored responses outlive the process, as in a file; true by default.
    var isDurable: Bool { get }

    /// The constant size of the largest response that the store takes, in bytes; nil by default.
    ///
    /// The cache does not report a response as stored if its `Content-Length` is larger.
    var largestResponse: Int64? { get }

    /// Returns the responses under a key, beginning with the one that was stored last.
    ///
    /// - Throws: An error if they cannot be read now. Responses that can never be read again are removed without an
    ///   error instead.
    func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry]

    /// Returns the stored body of an entry, or the stored bytes of a range.
    ///
    /// The body's ``/DuetHTTP/HTTPBody/size``, if it has one, is the number of returned bytes. A returned body stays
    /// complete if its entry is removed, replaced or evicted through this store while it is being read. It may end with
    /// an error in three cases: everything is removed, another process removes the entry, or such bodies take more room
    /// than the store has.
    ///
    /// - Returns: Nil if the entry has been removed.
    /// - Throws: An error if the body cannot be read.
    func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) async throws -> HTTPBody?

    /// Begins to store a response, which ``entries(for:)`` returns when its writer has committed it.
    ///
    /// - Parameters:
    ///   - key: The key of the response.
    ///   - length: The length of its body, if known, so that a body that is too large takes no room.
    /// - Throws: An error if the response cannot be stored.
    func writer(for key: HTTPCacheKey, length: Int64?) async throws -> any HTTPCacheWriter

    /// Replaces the head of an entry, which counts as a use.
    ///
    /// Does nothing if the entry has been removed.
    func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) async throws

    /// Records the use of an entry.
    func markUsed(_ id: HTTPCacheEntry.ID) async throws

    /// Performs deferred writes, such as those of uses; does nothing by default.
    ///
    /// ``CachingHTTPClient/run()`` calls this at its end.
    func flush() async throws

    /// Removes entries, as far as they exist.
    func remove(_ ids: [HTTPCacheEntry.ID]) async throws

    /// Removes the responses to a URI in all partitions.
    func removeAll(uri: String) async throws

    /// Removes the responses to all URIs with a prefix, in all partitions.
    func removeAll(prefix: String) async throws

    /// Removes all responses, and their bytes from files that no other process is reading.
    func removeAll() async throws

    /// Returns the number of bytes that the stored bodies and heads take.
    func size() async throws -> Int64
}

extension HTTPCacheStore {
    /// True, so that a store receives no secrets by default.
    public var isDurable: Bool { true }

    /// Nil, for stores of unknown size.
    public var largestResponse: Int64? { nil }

    /// Does nothing, for stores that defer nothing.
    public func flush() async throws {}
}

/// A stored response in a store: its head, and the ID of its body.
public struct HTTPCacheEntry: Sendable, Hashable, Identifiable {
    /// The ID of the entry, which no other entry of the store ever has.
    public let id: Int64

    /// The head, with the length or range of the body.
    public let response: StoredResponse

    /// Creates an entry.
    public init(id: Int64, response: StoredResponse) {
        self.id = id
        self.response = response
    }
}

/// Writes one response, which is stored when it is complete.
///
/// A writer that is released without ``commit(_:replacing:)`` stores nothing.
public protocol HTTPCacheWriter: Sendable {
    /// Appends the next bytes of the body.
    ///
    /// - Returns: Whether the store still has room for the response. If not, ``commit(_:replacing:)`` stores nothing,
    ///   and further bytes need not be passed.
    /// - Throws: An error if the bytes cannot be written. Nothing can be committed then.
    @discardableResult
    func append(_ piece: Data) async throws -> Bool

    /// Stores the response with the bytes so far, and removes the entries that it replaces, in one step.
    ///
    /// - Returns: The new entry, or nil if the store has no room for it. The other entries are removed in either case,
    ///   because they are out of date.
    /// - Throws: An error if the response cannot be stored. The other entries still exist then.
    func commit(_ response: StoredResponse, replacing ids: [HTTPCacheEntry.ID]) async throws -> HTTPCacheEntry?

    /// Discards the bytes, and releases their room.
    func discard() async
}

/// An error of a store which may mean that the response was removed while it was being written or read.
///
/// A cache treats a removal as a miss, and does not report a failure of the store.
public protocol HTTPCacheRemovalError: Error {
    /// Whether the response was removed, for example by another process.
    var isRemoval: Bool { get }
}

/// The capacity of a store in bytes, and how it is divided.
package struct StoreCapacity: Sendable {
    /// The size of all stored responses.
    package let bytes: Int64

    package init(_ bytes: Int64) {
        self.bytes = bytes
    }

    /// The size of the largest response with its head; a larger one would displace too many others.
    package var largestResponse: Int64 { bytes / 4 }

    /// The size of all responses that are being written; at least half of the stored ones stay.
    var unfinished: Int64 { bytes / 2 }
}
