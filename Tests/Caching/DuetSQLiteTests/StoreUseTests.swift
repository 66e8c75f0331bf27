import Duet
import DuetCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import TestSupport
import Testing

/// Two caches of one store that keep values of two queries with one name.
@Suite struct StoreUseTests {
    private enum First {
        struct Load: Query, Hashable, Codable {
            typealias Value = String
            static var messageName: String { "Load" }
        }
    }

    private enum Second {
        struct Load: Query, Hashable, Codable {
            typealias Value = String
            static var messageName: String { "Load" }
        }
    }

    private func cache<Q: Query & Hashable & Codable>(_ query: Q.Type, in store: any CacheStore) throws -> QueryCache
    where Q.Value: Codable & Sendable {
        try QueryCache(in: .stored(in: store)) {
            Cache(Q.self, .untilInvalidated).stored(version: 1)
        }
    }

    @Test func `they are a fault at creation, as long as both exist`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("cache.sqlite")
        let memory = InMemoryCacheStore()
        let (file, same) = (try await SQLiteCacheStore.open(path), try await SQLiteCacheStore.open(path))
        let other = try await SQLiteCacheStore.open(directory.path("other.sqlite"))
        for (one, two) in [(memory, memory), (file, file), (file, same)] as [(any CacheStore, any CacheStore)] {
            do {
                let first = try cache(First.Load.self, in: one)
                let faults = #expect(throws: InvalidCacheRules.self) { try cache(Second.Load.self, in: two) }
                #expect(faults?.description.contains("another query with the name Load") == true)
                // The same query may be cached twice.
                _ = try cache(First.Load.self, in: two)
                _ = try cache(Second.Load.self, in: other)
                withExtendedLifetime(first) {}
            }
            _ = try cache(Second.Load.self, in: two)
        }
    }
}
