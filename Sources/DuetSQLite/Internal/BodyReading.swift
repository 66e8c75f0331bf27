import DuetHTTPCaching

/// Keeps the rows of a body for as long as it is referred to, although the entry may be removed, and the file replaced.
final class BodyReading: Sendable {
    /// The database that holds them, which need not stay the one at the place.
    let cache: OpenedHTTPCache
    private let id: HTTPCacheEntry.ID

    init(_ id: HTTPCacheEntry.ID, in cache: OpenedHTTPCache) {
        self.id = id
        self.cache = cache
        cache.readers.begin(id)
    }

    deinit {
        if cache.readers.end(id) { cache.discardLater(id) }
    }
}
