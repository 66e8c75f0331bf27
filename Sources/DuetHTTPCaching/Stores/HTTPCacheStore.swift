public import DuetHTTP

/// Keeps responses for an HTTP cache, which decides what is stored and for whom.
///
/// A store is bounded by bytes. When a response is stored, the least recently used ones are removed at once. One
/// response takes at most a quarter of the bytes, and responses that are being stored displace at most half. A response
/// is stored as a whole or not at all. `HTTPCacheStoreContract` in `DuetTesting` verifies what all stores have in
/// common.
///
/// An error that is an ``HTTPCacheRemovalError`` may say that something else removed the response.
///
/// ## Secrets
/// Others may find what a store that ``isDurable`` writes. The cache gives it no field of `Set.secrets`, such as
/// `Set-Cookie`, and no value of such a field of a request, unless it is configured to.
public protocol HTTPCacheStore: Sendable {
    /// Whether stored responses outlive the process, as in a file; true by default.
    var isDurable: Bool { get }

    /// The constant size of the largest response that the store takes, in bytes; nil by default.
    ///
    /// The cache does not report a response as stored whose body is announced to be larger.
    var largestResponse: Int64? { get }

    /// Returns the responses under a key, the one that was stored last first.
    ///
    /// - Throws: An error if they cannot be read now. Responses that can never be read again are removed without an
    ///   error.
    func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry]

    /// Returns the stored body of an entry, or the stored bytes of a range.
    ///
    /// The body's ``DuetHTTP/HTTPBody/size``, if it has one, is the number of bytes that are returned. A returned body
    /// stays complete when its entry is removed, replaced or trimmed through this store meanwhile. It may end with an
    /// error when everything is removed, when another process removes it, and when such bodies take more room than the
    /// store has.
    ///
    /// - Returns: Nil if the entry has been removed.
    /// - Throws: An error if the body cannot be read.
    func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) async throws -> HTTPBody?

    /// Begins to store a response, which is found when its writer has committed it.
    ///
    /// - Parameters:
    ///   - key: The key of the response.
    ///   - length: The length of its body, if known. A body that is too large takes no room then.
    /// - Throws: An error if the response cannot be stored.
    func writer(for key: HTTPCacheKey, length: Int64?) async throws -> any HTTPCacheWriter

    /// Replaces the head of an entry, which counts as a use.
    ///
    /// Does nothing if the entry has been removed.
    func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) async throws

    /// Records the use of an entry.
    func markUsed(_ id: HTTPCacheEntry.ID) async throws

    /// Writes what the store has deferred, such as uses; does nothing by default.
    ///
    /// ``CachingHTTPClient/run()`` ends with this.
    func flush() async throws

    /// Removes entries, as far as they exist.
    func remove(_ ids: [HTTPCacheEntry.ID]) async throws

    /// Removes the responses to a URI in all partitions.
    func removeAll(uri: String) async throws

    /// Removes the responses to all URIs with a prefix, in all partitions.
    func removeAll(prefix: String) async throws

    /// Removes everything, also from the store's files, unless another process is reading them.
    func removeAll() async throws

    /// The number of bytes that the stored bodies and heads take.
    func size() async throws -> Int64
}

extension HTTPCacheStore {
    /// True, so that a store gets no secrets unless it declares otherwise.
    public var isDurable: Bool { true }

    /// Nil, so that the size is unknown.
    public var largestResponse: Int64? { nil }

    /// Does nothing, for stores that defer nothing.
    public func flush() async throws {}
}
