import DuetHTTPCaching

/// Keeps the rows of a body for as long as it is referred to, although the entry may be removed.
final class BodyReading: Sendable {
    private let id: HTTPCacheEntry.ID
    private let database: HTTPCacheDatabase

    init(_ id: HTTPCacheEntry.ID, in database: HTTPCacheDatabase) {
        self.id = id
        self.database = database
        database.readers.begin(id)
    }

    deinit {
        if database.readers.end(id) { database.removeLater(id) }
    }
}
