public import DuetHTTP

/// Keeps responses for an HTTP cache; what may be kept, and for whom, is for the cache to say.
///
/// A store is bounded by bytes: what was used longest ago goes first, at once when something new is stored. One response takes
/// at most a quarter of them, and what is being stored drives out at most half. A response is there as a whole or not at all.
/// `HTTPCacheStoreContract` in `DuetTesting` says what all stores have in common.
///
/// ## Secrets
/// A store that ``isDurable`` writes what it is given where others may find it. The cache hands it no field of `Set.secrets`, as
/// `Set-Cookie`, and no value that one had in a request, unless it is told to.
public protocol HTTPCacheStore: Sendable {
    /// Whether what is stored outlives the process, as bytes in a file do; true unless a store says otherwise.
    var isDurable: Bool { get }

    /// How many bytes one response takes at most, which does not change; nil unless a store says so.
    ///
    /// A body that is announced to be longer is not said to be stored.
    var largestResponse: Int64? { get }

    /// The responses that are stored under a key; of several, the one that was stored last comes first.
    ///
    /// - Throws: What kept them from being read. What can never be read again is dropped by the store, and not told here.
    func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry]

    /// The stored bytes of an entry, as they are read; of a range, as many as there are.
    ///
    /// - Returns: Nil when the entry is gone. If the body has a ``DuetHTTP/HTTPBody/size``, that is the length of what is returned:
    ///   of the range, as far as there are bytes in it, and not of all that is stored. A body that was returned is whole although its
    ///   entry is removed, also with its URI, replaced or trimmed through this store meanwhile. It may end with an error when everything
    ///   is removed, when another process removes it, and when such bodies take more than the store has room for.
    /// - Throws: What kept it from being read.
    func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) async throws -> HTTPBody?

    /// Begins to store a response under a key; nothing is seen of it before its writer commits.
    ///
    /// - Parameters:
    ///   - key: What it will be found by.
    ///   - length: How many bytes its body will have, if that is known: what is too large takes no room then.
    /// - Throws: What kept it from beginning.
    func writer(for key: HTTPCacheKey, length: Int64?) async throws -> any HTTPCacheWriter

    /// Puts another head in place of an entry's, with the same body, and counts that as a use.
    ///
    /// Nothing happens when the entry is gone.
    func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) async throws

    /// Takes note that an entry was used.
    func markUsed(_ id: HTTPCacheEntry.ID) async throws

    /// Writes what was put off, as uses may be; nothing unless a store says so, as one that wraps another does.
    ///
    /// ``CachingHTTPClient/run()`` ends with it.
    func flush() async throws

    /// Removes entries, as far as they are there.
    func remove(_ ids: [HTTPCacheEntry.ID]) async throws

    /// Removes all that is stored for a URI, in all partitions.
    func removeAll(uri: String) async throws

    /// Removes all that is stored for URIs that begin with a text, in all partitions.
    func removeAll(prefix: String) async throws

    /// Removes everything, so that nothing of it can be found in the store's files, unless another process is just reading them.
    func removeAll() async throws

    /// How many bytes the stored bodies and heads take.
    func size() async throws -> Int64
}

extension HTTPCacheStore {
    /// True: what says nothing of itself is given no secrets.
    public var isDurable: Bool { true }

    /// Nil.
    public var largestResponse: Int64? { nil }

    /// Nothing is put off.
    public func flush() async throws {}
}
