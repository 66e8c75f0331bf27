import DuetHTTP

/// Where a body is that has been stored while it came.
struct StoredBody: Sendable {
    let entry: HTTPCacheEntry
    let question: Question
    let engine: CacheEngine

    /// Its bytes from one on; nil when it has gone again.
    func rest(from start: Int64) async -> HTTPBody? {
        let count = entry.response.content.range.length
        guard start <= count else { return nil }
        return await engine.store.body(of: entry.id, in: start..<count, count: count - start, to: question)
    }
}
