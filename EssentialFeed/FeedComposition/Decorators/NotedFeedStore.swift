import FeedCache
import FeedServing
import Foundation

/// Notes the messages whose value comes from the store.
struct NotedFeedStore: FeedStore, FeedImageDataStore {
    let store: any FeedStore & FeedImageDataStore

    func retrieve() async throws -> CachedFeed? {
        try await noting { try await store.retrieve() }
    }

    func retrieveTimestamp() async throws -> Date? {
        try await store.retrieveTimestamp()
    }

    func retrieveCount() async throws -> Int? {
        try await store.retrieveCount()
    }

    func transaction(_ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        try await store.transaction(body)
    }

    func insert(_ data: Data, for url: URL) async throws {
        try await store.insert(data, for: url)
    }

    func retrieve(dataForURL url: URL) async throws -> Data? {
        try await noting { try await store.retrieve(dataForURL: url) }
    }

    private func noting<Value>(_ retrieve: () async throws -> Value?) async throws -> Value? {
        let value = try await retrieve()
        if value != nil { MessageSource.store.note() }
        return value
    }
}
