import Duet
import DuetCaching
import DuetDependencies
import DuetHTTP
import DuetTesting
import FeedCache
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import Synchronization
import TestSupport

/// The client as the program composes it, with a server, a date and a store that a test controls.
struct CachedClient {
    let server = ServerStub()
    let date = TestDate()
    let store = HeldStore()
    let dispatcher: any Dispatcher
    let cache: QueryCache

    init() async throws {
        guard let remote = URL(string: "http://feed.invalid/") else { throw Fault() }
        let builder = ContainerBuilder()
        builder.install(Environment(now: date.now, logger: .silent))
        builder.install(try ClientModule(ClientOptions(remote: remote, cache: nil), onWarning: { _ in }))
        let container = try builder.build().overriding([
            Override((any HTTPClient).self) { [server] in server },
            Override((any FeedStore & FeedImageDataStore).self) { [store] in store },
        ])
        dispatcher = try await container.dispatcher
        cache = try await container.resolve()
    }
}

extension QueryCache {
    /// Waits until a number of readers in total have joined a load of another one.
    func joiners<Q: Query>(_ count: Int, of query: Q.Type) async {
        while statistics(of: query).coalesced < count { await Task.yield() }
    }
}

/// A store in memory whose next transaction a test can hold, before or after it takes effect.
final class HeldStore: FeedStore, FeedImageDataStore {
    private let store = InMemoryFeedStore()
    private let holds = Mutex<(before: Gate?, after: Gate?, error: Fault?)>((nil, nil, nil))

    /// Returns the gate that the next transaction passes first.
    func holdBefore() -> Gate {
        let gate = Gate()
        holds.withLock { $0.before = gate }
        return gate
    }

    /// Returns the gate that the next transaction passes last.
    func holdAfter() -> Gate {
        let gate = Gate()
        holds.withLock { $0.after = gate }
        return gate
    }

    /// Fails the next transaction.
    func fail(with error: Fault) { holds.withLock { $0.error = error } }

    func transaction(_ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        let (before, after, error) = holds.withLock { holds in
            defer { holds = (nil, nil, nil) }
            return holds
        }
        try await before?.pass()
        try await store.transaction { transaction in
            try body(transaction)
            if let error { throw error }
        }
        try await after?.pass()
    }

    func retrieve() async throws -> CachedFeed? { try await store.retrieve() }
    func retrieveTimestamp() async throws -> Date? { try await store.retrieveTimestamp() }
    func retrieveCount() async throws -> Int? { try await store.retrieveCount() }
    func insert(_ data: Data, for url: URL) async throws { try await store.insert(data, for: url) }
    func retrieve(dataForURL url: URL) async throws -> Data? { try await store.retrieve(dataForURL: url) }
}
