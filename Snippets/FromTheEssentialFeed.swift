//! The loaders of the Essential Feed case study with completion handlers, and the same use cases as messages.

import Duet
import DuetCaching
import DuetHTTP
import DuetTesting
import Foundation
import Observation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// snippet.model
struct FeedImage: Codable, Hashable, Identifiable, Sendable {
    let id: UUID
    let description: String?
    let location: String?
    let url: URL
}

struct CachedFeed: Hashable, Sendable {
    let images: [FeedImage]
    let timestamp: Date
}

/// Decides whether a cached feed is fresh: it is for less than seven days of the calendar.
enum FeedCachePolicy {
    static func isFresh(_ timestamp: Date, at now: Date) -> Bool {
        guard let expiry = Calendar(identifier: .gregorian).date(byAdding: .day, value: 7, to: timestamp) else {
            return false
        }
        return timestamp <= now && now < expiry
    }
}
// snippet.end

/// The code with completion handlers.
///
/// The namespace keeps its names apart from those below.
enum Before {
    // snippet.store-before
    protocol FeedStore {
        func deleteCachedFeed(completion: @escaping (Result<Void, any Error>) -> Void)
        func insert(_ images: [FeedImage], timestamp: Date, completion: @escaping (Result<Void, any Error>) -> Void)
        func retrieve(completion: @escaping (Result<CachedFeed?, any Error>) -> Void)
    }
    // snippet.end

    // snippet.local-before
    final class LocalFeedLoader {
        private let store: any FeedStore
        private let now: () -> Date

        init(store: any FeedStore, now: @escaping () -> Date) {
            self.store = store
            self.now = now
        }

        func save(_ feed: [FeedImage], completion: @escaping (Result<Void, any Error>) -> Void) {
            store.deleteCachedFeed { [weak self] deletion in
                guard let self else { return }
                if case .failure = deletion { return completion(deletion) }
                store.insert(feed, timestamp: now()) { [weak self] insertion in
                    if self != nil { completion(insertion) }
                }
            }
        }

        func load(completion: @escaping (Result<[FeedImage], any Error>) -> Void) {
            store.retrieve { [weak self] retrieval in
                guard let self else { return }
                completion(
                    retrieval.map { [now] cached in
                        guard let cached, FeedCachePolicy.isFresh(cached.timestamp, at: now()) else { return [] }
                        return cached.images
                    }
                )
            }
        }
    }
    // snippet.end

    // snippet.remote-before
    protocol HTTPClient {
        func get(from url: URL, completion: @escaping (Result<(Data, HTTPURLResponse), any Error>) -> Void)
    }

    final class RemoteFeedLoader {
        enum Failure: Error {
            case connectivity
            case invalidData
        }

        private struct Root: Decodable {
            struct Item: Decodable {
                let id: UUID
                let description: String?
                let location: String?
                let image: URL
            }

            let items: [Item]
        }

        private let url: URL
        private let client: any HTTPClient

        init(url: URL, client: any HTTPClient) {
            self.url = url
            self.client = client
        }

        func load(completion: @escaping (Result<[FeedImage], any Error>) -> Void) {
            client.get(from: url) { [weak self] result in
                guard self != nil else { return }
                switch result {
                case .failure:
                    completion(.failure(Failure.connectivity))
                case .success(let (data, response)):
                    guard response.statusCode == 200, let root = try? JSONDecoder().decode(Root.self, from: data)
                    else { return completion(.failure(Failure.invalidData)) }
                    completion(
                        .success(
                            root.items.map {
                                FeedImage(id: $0.id, description: $0.description, location: $0.location, url: $0.image)
                            }
                        )
                    )
                }
            }
        }
    }
    // snippet.end

    // snippet.fallback-before
    final class RemoteWithLocalFallbackFeedLoader {
        private let remote: RemoteFeedLoader
        private let local: LocalFeedLoader

        init(remote: RemoteFeedLoader, local: LocalFeedLoader) {
            self.remote = remote
            self.local = local
        }

        func load(completion: @escaping (Result<[FeedImage], any Error>) -> Void) {
            remote.load { [weak self] result in
                guard let self else { return }
                switch result {
                case .success(let feed):
                    local.save(feed) { _ in completion(.success(feed)) }
                case .failure(let error):
                    local.load { cached in
                        let images = (try? cached.get()) ?? []
                        completion(images.isEmpty ? .failure(error) : .success(images))
                    }
                }
            }
        }
    }
    // snippet.end
}

extension Before.LocalFeedLoader {
    // snippet.validate-before
    func validateCache() {
        store.retrieve { [weak self] retrieval in
            guard let self else { return }
            switch retrieval {
            case .success(nil):
                break
            case .success(let cached?) where FeedCachePolicy.isFresh(cached.timestamp, at: now()):
                break
            case .success, .failure:
                store.deleteCachedFeed { _ in }
            }
        }
    }
    // snippet.end
}

// snippet.store
protocol FeedStore: Sendable {
    // Commands
    func transaction(_ body: @Sendable (any FeedStoreTransaction) throws -> Void) async throws

    // Queries
    func retrieve() async throws -> CachedFeed?
}

/// The commands and queries within a transaction, which takes effect as a whole or not at all.
protocol FeedStoreTransaction {
    // Commands
    func deleteCachedFeed() throws
    func insert(_ images: [FeedImage], timestamp: Date) throws

    // Queries
    func retrieve() throws -> CachedFeed?
}
// snippet.end

// snippet.local
struct LocalFeedLoader: Sendable {
    let store: any FeedStore
    let now: @Sendable () -> Date

    // Command
    func save(_ feed: [FeedImage]) async throws {
        try await store.transaction { store in
            try store.deleteCachedFeed()
            try store.insert(feed, timestamp: now())
        }
    }

    // Query
    func load() async throws -> [FeedImage] {
        guard let cached = try await store.retrieve(), FeedCachePolicy.isFresh(cached.timestamp, at: now()) else {
            return []
        }
        return cached.images
    }
}
// snippet.end

// snippet.remove-invalid
extension LocalFeedLoader {
    // Command
    func removeInvalidCache() async throws {
        try await store.transaction { store in
            let isValid: Bool
            do {
                isValid = try store.retrieve().map { FeedCachePolicy.isFresh($0.timestamp, at: now()) } ?? true
            } catch {
                isValid = false  // A cache that cannot be read is of no use.
            }
            if !isValid { try store.deleteCachedFeed() }
        }
    }
}
// snippet.end

// snippet.query
struct LoadFeed: ThirdPartyQuery, Hashable, Codable {
    typealias Value = [FeedImage]

    static let route: QueryRoute<Self> = .get("v1/feed").acceptedStatuses(200...200)

    struct Payload: Codable, Sendable {
        struct Item: Codable {
            let id: UUID
            let description: String?
            let location: String?
            let image: URL
        }

        let items: [Item]
    }

    static func value(from payload: Payload, answering query: LoadFeed) -> [FeedImage] {
        payload.items.map {
            FeedImage(id: $0.id, description: $0.description, location: $0.location, url: $0.image)
        }
    }
}
// snippet.end

// snippet.handlers
struct RemoveInvalidFeedCache: Command {}

struct LoadFeedHandler: QueryHandler {
    let server: any QueryDispatcher
    let local: LocalFeedLoader
    let report: @Sendable (any Error) -> Void

    func handle(_ query: LoadFeed) async throws -> [FeedImage] {
        let feed: [FeedImage]
        do {
            feed = try await server.dispatch(query)
        } catch {
            try Task.checkCancellation()
            let cached = (try? await local.load()) ?? []
            guard !cached.isEmpty else { throw error }
            return cached
        }
        do { try await local.save(feed) } catch { report(error) }
        return feed
    }
}

struct RemoveInvalidFeedCacheHandler: CommandHandler {
    let local: LocalFeedLoader

    func handle(_ command: RemoveInvalidFeedCache) async throws {
        try await local.removeInvalidCache()
    }
}
// snippet.end

// snippet.composition
func makeDispatcher(client: any HTTPClient, store: any FeedStore) throws -> any Dispatcher {
    let server = HTTPDispatcher(baseURL: try BaseURL("https://feed.example.com"), client: client)
    let local = LocalFeedLoader(store: store, now: { Date() })
    return try StandardDispatcher {
        LoadFeedHandler(server: server, local: local, report: { print("The feed could not be saved: \($0)") })
        RemoveInvalidFeedCacheHandler(local: local)
    }
}
// snippet.end

// snippet.screen
@MainActor
@Observable
final class FeedModel {
    private(set) var images: [FeedImage] = []
    private(set) var message: String?
    private(set) var isLoading = false

    private let dispatcher: any QueryDispatcher

    init(dispatcher: any QueryDispatcher) {
        self.dispatcher = dispatcher
    }

    func load() async {
        guard !isLoading else { return }
        isLoading = true
        defer { isLoading = false }
        do {
            images = try await dispatcher.dispatch(LoadFeed())
            message = nil
        } catch is CancellationError {
            // The screen is gone.
        } catch {
            message = "Couldn't connect to server"
        }
    }
}
// snippet.end

// snippet.store-spy
final class FeedStoreSpy: FeedStore {
    enum Message: Equatable {
        case deleteCachedFeed
        case insert([FeedImage], Date)
        case retrieve
    }

    private let received = Mutex<[Message]>([])
    private let retrieval: Result<CachedFeed?, any Error>

    init(retrieval: Result<CachedFeed?, any Error> = .success(nil)) {
        self.retrieval = retrieval
    }

    var messages: [Message] { received.withLock { $0 } }

    func transaction(_ body: @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        try body(Transaction(spy: self))
    }

    func retrieve() async throws -> CachedFeed? {
        try Transaction(spy: self).retrieve()
    }

    private struct Transaction: FeedStoreTransaction {
        let spy: FeedStoreSpy

        func deleteCachedFeed() { record(.deleteCachedFeed) }
        func insert(_ images: [FeedImage], timestamp: Date) { record(.insert(images, timestamp)) }

        func retrieve() throws -> CachedFeed? {
            record(.retrieve)
            return try spy.retrieval.get()
        }

        private func record(_ message: Message) { spy.received.withLock { $0.append(message) } }
    }
}
// snippet.end

// MARK: The program

/// A store in memory, for both sides.
final class InMemoryFeedStore: FeedStore, Before.FeedStore {
    private final class Transaction: FeedStoreTransaction {
        var feed: CachedFeed?

        init(_ feed: CachedFeed?) { self.feed = feed }

        func deleteCachedFeed() { feed = nil }
        func insert(_ images: [FeedImage], timestamp: Date) { feed = CachedFeed(images: images, timestamp: timestamp) }
        func retrieve() -> CachedFeed? { feed }
    }

    private let feed = Mutex<CachedFeed?>(nil)

    func transaction(_ body: @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        try feed.withLock { feed in
            let transaction = Transaction(feed)
            try body(transaction)
            feed = transaction.feed
        }
    }

    func retrieve() async throws -> CachedFeed? { feed.withLock { $0 } }

    func deleteCachedFeed(completion: @escaping (Result<Void, any Error>) -> Void) {
        feed.withLock { $0 = nil }
        completion(.success(()))
    }

    func insert(
        _ images: [FeedImage],
        timestamp: Date,
        completion: @escaping (Result<Void, any Error>) -> Void
    ) {
        feed.withLock { $0 = CachedFeed(images: images, timestamp: timestamp) }
        completion(.success(()))
    }

    func retrieve(completion: @escaping (Result<CachedFeed?, any Error>) -> Void) {
        completion(.success(feed.withLock { $0 }))
    }
}

let page = #"""
    {"items": [{"id": "8112E60D-949B-5F7E-BDED-DBE3CABE2D36", "description": "A cat", "image": "https://example.com/cat"}]}
    """#

struct StubbedClient: Before.HTTPClient {
    let isOnline: Bool

    func get(from url: URL, completion: @escaping (Result<(Data, HTTPURLResponse), any Error>) -> Void) {
        guard isOnline, let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        else { return completion(.failure(URLError(.notConnectedToInternet))) }
        completion(.success((Data(page.utf8), response)))
    }
}

let server = URL(filePath: "/v1/feed")
let cache = InMemoryFeedStore()
for isOnline in [true, false] {
    let local = Before.LocalFeedLoader(store: cache, now: { Date() })
    let remote = Before.RemoteFeedLoader(url: server, client: StubbedClient(isOnline: isOnline))
    let loader = Before.RemoteWithLocalFallbackFeedLoader(remote: remote, local: local)
    loader.load { print("Before,", isOnline ? "online: " : "offline:", (try? $0.get())?.count ?? 0, "image") }
    local.validateCache()
}

let store = InMemoryFeedStore()
let client = MockHTTPClient()
client.expect(.get, "/v1/feed", json: page)
client.expect(.get, "/v1/feed", throwing: URLError(.notConnectedToInternet))
let dispatcher = try makeDispatcher(client: client, store: store)
for state in ["online: ", "offline:"] {
    let feed = try await dispatcher.dispatch(LoadFeed())
    print("After, ", state, feed.count, "image")
}
try await dispatcher.dispatch(RemoveInvalidFeedCache())
let kept = try await store.retrieve()
precondition(kept != nil)

// snippet.test-command
let now = Date()
let spy = FeedStoreSpy()
try await LocalFeedLoader(store: spy, now: { now }).save([])
assert(spy.messages == [.deleteCachedFeed, .insert([], now)])
// snippet.end
precondition(spy.messages.count == 2)

// snippet.test-query
let old = CachedFeed(images: [], timestamp: now - 8 * 24 * 60 * 60)
let expired = FeedStoreSpy(retrieval: .success(old))
let loaded = try await LocalFeedLoader(store: expired, now: { now }).load()
assert(loaded == [])
assert(expired.messages == [.retrieve])  // A query changes nothing.
// snippet.end
precondition(expired.messages == [.retrieve])

// snippet.test-screen
let feed = SpyDispatcher()
feed.stub(LoadFeed.self, throwing: URLError(.notConnectedToInternet))
let model = FeedModel(dispatcher: feed)
await model.load()
assert(model.message == "Couldn't connect to server")
assert(feed.messageNames == [LoadFeed.messageName])
// snippet.end
precondition(model.message != nil)

// snippet.caching
func makeCachingDispatcher(client: any HTTPClient, store: any CacheStore) throws -> CachingDispatcher {
    try HTTPDispatcher(baseURL: try BaseURL("https://feed.example.com"), client: client)
        .caching(in: .memory(limit: .entries(100)).backed(by: store)) {
            Cache(LoadFeed.self, .maxAge(.zero).staleIfError(.days(7)), scope: .shared).stored(version: 1)
        }
}
// snippet.end

let values = InMemoryCacheStore()
client.expect(.get, "/v1/feed", json: page)
client.expect(.get, "/v1/feed", throwing: URLError(.notConnectedToInternet))
let firstLaunch = try makeCachingDispatcher(client: client, store: values)
_ = try await firstLaunch.dispatch(LoadFeed())
try await firstLaunch.cache.flush()

let secondLaunch = try makeCachingDispatcher(client: client, store: values)
// snippet.caching-result
let result = try await secondLaunch.read(LoadFeed())
print("With DuetCaching:", result.value.count, "image, stale:", result.isStale, "reason:", result.error != nil)
// snippet.end
precondition(result.isStale && result.error != nil)
precondition(client.missing == [])
