import Duet
import DuetCaching

/// Returns the hits of a complete query cache, which reports uses to its eviction queues as in a program.
func queryCacheHits(on trace: Trace, capacity: Int) async throws -> Int {
    let dispatcher = try KeyDispatcher().caching(in: .memory(limit: .entries(capacity))) {
        Cache(LoadKey.self, .untilInvalidated, scope: .shared)
    }
    for key in trace.keys { _ = try await dispatcher.dispatch(LoadKey(key: key)) }
    return dispatcher.cache.statistics(of: LoadKey.self).hits
}

private struct LoadKey: Query, Hashable {
    typealias Value = Int
    let key: Int
}

private struct WrongQuery: Error {}

private struct KeyDispatcher: Dispatcher {
    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard let value = (message as? LoadKey)?.key as? M.Value else { throw WrongQuery() }
        return value
    }
}
