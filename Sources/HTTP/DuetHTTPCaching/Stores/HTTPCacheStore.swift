import DuetHTTP

/// Keeps responses for an HTTP cache, which decides which responses are stored and who receives them.
///
/// A store for responses that outlive the process, or that several programs share, has these four functions.
/// `HTTPCacheStoreContract` in `DuetContracts` verifies the requirements on all stores.
///
/// The cache calls the functions of a store at the same time, and each is one step for the others.
public protocol HTTPCacheStore: Sendable {
    /// Whether stored responses outlive the process, as in a file; true by default.
    ///
    /// Such a store gets no secrets unless `CachingHTTPClient.Configuration(storesSecretsDurably:)` is set, and an
    /// operation that takes longer than `CachingHTTPClient.Configuration(storeTimeout:)` is abandoned. A store in
    /// memory gets everything, and never waits.
    var isDurable: Bool { get }

    /// Returns the responses under a key, beginning with the one that was stored last.
    ///
    /// This counts as a use, for stores that make room by removing the least recently used responses.
    ///
    /// - Throws: An error if they cannot be read now. Responses that can never be read again are removed without an
    ///   error instead.
    func responses(for key: HTTPCacheKey) async throws -> [StoredResponse]

    /// Stores a response under a key, and removes the responses that it replaces, in one step.
    ///
    /// - Parameters:
    ///   - response: The response, whose identifier no other response has.
    ///   - key: The key, under which other responses stay.
    ///   - ids: The identifiers of the responses that it replaces, as far as they exist.
    /// - Returns: False if the store has no room for the response. The others are removed in either case, because they
    ///   are out of date.
    /// - Throws: An error if the response cannot be stored. The others still exist then.
    func insert(
        _ response: StoredResponse,
        for key: HTTPCacheKey,
        replacing ids: [StoredResponse.ID]
    ) async throws -> Bool

    /// Removes some responses, as far as they exist.
    func remove(_ removal: HTTPCacheRemoval) async throws

    /// Removes all responses, and their bytes from files.
    func removeAll() async throws
}

extension HTTPCacheStore {
    /// True, so that a store receives no secrets by default.
    public var isDurable: Bool { true }
}

/// The responses that a store is to remove.
public enum HTTPCacheRemoval: Sendable, Hashable {
    /// These responses under a key.
    case responses([StoredResponse.ID], of: HTTPCacheKey)

    /// The responses to a URI in all partitions.
    case uri(String)

    /// The responses to all URIs with a prefix, in all partitions.
    case prefix(String)
}
