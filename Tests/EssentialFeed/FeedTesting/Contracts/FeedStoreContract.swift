import DuetContracts
public import FeedCache
import FeedFeature
import Foundation

/// The contract of every feed store, clause by clause.
///
/// The tests of a store verify each case of `FeedStoreContract.allCases`.
public enum FeedStoreContract: CaseIterable, Sendable {
    /// Retrieving twice from an empty store finds nothing twice.
    case `an empty store delivers nothing, twice`
    /// Retrieving does not change the feed.
    case `a feed is delivered whole and in order, twice`
    /// A timestamp comes back with every bit.
    case `timestamps keep every bit`
    /// An empty feed differs from no feed.
    case `an empty feed is a feed`
    /// Texts are unchanged to the byte.
    case `texts come back as they were`
    /// Inserting replaces the previous feed.
    case `the last insertion wins`
    /// Deleting an empty store is not an error.
    case `deleting from an empty store changes nothing`
    /// Deleting empties the store.
    case `deleting leaves nothing`
    /// A deleted feed can be replaced.
    case `a feed can be inserted after a deletion`
    /// Appending adds and changes nothing else.
    case `appended images follow the others, and the timestamp stays`
    /// Appending does not duplicate ids.
    case `appending skips images whose id is there already`
    /// Appending to an empty store does nothing.
    case `appending to an empty store changes nothing`
    /// Appending to a feed without images adds the first one.
    case `images can be appended to an empty feed`
    /// The timestamp can be read without the images.
    case `the timestamp is that of the feed, and nil without one`
    /// The number of images can be read without the images.
    case `the count is that of the feed's images, and nil without a feed`
    /// Commands that do not wait for each other run one after another.
    case `side effects run in the order in which they were issued`
    /// Steps within a transaction see each other.
    case `a transaction sees its own steps`
    /// All steps take effect.
    case `a transaction happens as a whole`
    /// None of the steps takes effect, and the body's error is unchanged.
    case `a transaction that throws changes nothing and passes the error on`
    /// The first feed of a store is undone as well.
    case `a transaction that throws leaves an empty store empty`
    /// A transaction without commands changes nothing.
    case `a transaction that only retrieves changes nothing`
    /// Instances on one location see each other's work.
    case `instances on one place see each other's work`
    /// Transactions of several instances do not mix.
    case `transactions of several instances exclude each other`

    /// Checks this clause.
    ///
    /// - Parameter open: Opens a store. Each call within one `verify` must open the same one, which is empty at first.
    /// - Throws: ``ContractViolation``, or the store's error where none is allowed.
    public func verify(_ open: () async throws -> any FeedStore) async throws {
        let store = try await open()
        let feed = CachedFeed(images: FeedImage.fixtures(0..<7), timestamp: .fixture)
        let other = CachedFeed(images: FeedImage.fixtures(5..<9).reversed(), timestamp: .fixture + 1)

        switch self {
        case .`an empty store delivers nothing, twice`:
            try await expect(store, toHold: nil)
            try await expect(store, toHold: nil)

        case .`a feed is delivered whole and in order, twice`:
            try await store.insert(other)
            try await expect(store, toHold: other)
            try await expect(store, toHold: other)

        case .`timestamps keep every bit`:
            let moments: [Double] = [0, 0.1, 1 / 3, 721_692_800.123_456_78, -63_114_076_800.000_01, 2.3e-308, 1e15]
            for seconds in moments {
                try await store.insert([], timestamp: Date(timeIntervalSinceReferenceDate: seconds))
                let found = try await store.retrieve()?.timestamp.timeIntervalSinceReferenceDate
                try require(found?.bitPattern, toBe: seconds.bitPattern, "the bits of \(seconds)")
            }

        case .`an empty feed is a feed`:
            try await store.insert(feed)
            try await store.insert([], timestamp: .fixture)
            try await expect(store, toHold: CachedFeed(images: [], timestamp: .fixture))

        case .`texts come back as they were`:
            let texts = [
                "", " ", "\u{0}", "a\u{0}b", "\"'\\/;--", "e\u{301}", "👨‍👩‍👧", String(repeating: "x", count: 70_000),
            ]
            let images = texts.enumerated().map { n, text in
                FeedImage(id: .fixture(n), description: text, location: text, url: .fixture(n))
            }
            try await store.insert(images, timestamp: .fixture)
            for (found, text) in zip(try await store.retrieve()?.images ?? [], texts) {
                try require(found.description.map { Array($0.utf8) }, toBe: Array(text.utf8), "the bytes of a text")
            }
            try await expect(store, toHold: CachedFeed(images: images, timestamp: .fixture))

        case .`the last insertion wins`:
            try await store.insert(feed)
            try await store.insert(other)
            try await expect(store, toHold: other)

        case .`deleting from an empty store changes nothing`:
            try await store.deleteCachedFeed()
            try await expect(store, toHold: nil)

        case .`deleting leaves nothing`:
            try await store.insert(feed)
            try await store.deleteCachedFeed()
            try await expect(store, toHold: nil)

        case .`a feed can be inserted after a deletion`:
            try await store.insert(feed)
            try await store.deleteCachedFeed()
            try await store.insert(other)
            try await expect(store, toHold: other)

        case .`appended images follow the others, and the timestamp stays`:
            try await store.insert(feed)
            try await store.append(FeedImage.fixtures(7..<10))
            try await store.append([])
            try await store.append([.fixture(20)])
            let images = feed.images + FeedImage.fixtures(7..<10) + [.fixture(20)]
            try await expect(store, toHold: CachedFeed(images: images, timestamp: feed.timestamp))
            try await expect(try await open(), toHold: CachedFeed(images: images, timestamp: feed.timestamp))

        case .`appending skips images whose id is there already`:
            try await store.insert(feed)
            let changed = FeedImage(id: .fixture(3), description: "changed", url: .fixture(30))
            try await store.append([changed, .fixture(8), .fixture(0), .fixture(7), .fixture(8)])
            let images = feed.images + [.fixture(8), .fixture(7)]
            try await expect(store, toHold: CachedFeed(images: images, timestamp: feed.timestamp))

        case .`appending to an empty store changes nothing`:
            try await store.append(feed.images)
            try await expect(store, toHold: nil)

        case .`images can be appended to an empty feed`:
            try await store.insert([], timestamp: feed.timestamp)
            try await store.append(feed.images)
            try await expect(store, toHold: feed)

        case .`the timestamp is that of the feed, and nil without one`:
            try require(try await store.retrieveTimestamp(), toBe: nil, "the timestamp of no feed")
            try await store.insert(feed)
            try await store.append([.fixture(8)])
            try require(try await store.retrieveTimestamp(), toBe: feed.timestamp, "the timestamp")
            try await store.insert([], timestamp: other.timestamp)
            try require(try await store.retrieveTimestamp(), toBe: other.timestamp, "the timestamp of an empty feed")

        case .`the count is that of the feed's images, and nil without a feed`:
            try require(try await store.retrieveCount(), toBe: nil, "the count of no feed")
            try await store.insert(feed)
            try await store.append([.fixture(8), .fixture(8)])
            try require(try await store.retrieveCount(), toBe: feed.images.count + 1, "the count after an appending")
            try await store.insert([], timestamp: other.timestamp)
            try require(try await store.retrieveCount(), toBe: 0, "the count of an empty feed")
            try await store.deleteCachedFeed()
            try require(try await store.retrieveCount(), toBe: nil, "the count after the deletion")

        case .`side effects run in the order in which they were issued`:
            try await expectOrder(of: store, feed, other)

        case .`a transaction sees its own steps`:
            try await store.insert(feed)
            try await store.transaction { store in
                try require(try store.retrieve(), toBe: feed, "before the steps")
                try require(try store.retrieveTimestamp(), toBe: feed.timestamp, "the timestamp before the steps")
                try require(try store.contains(.fixture(0)), toBe: true, "an image before the steps")
                try store.deleteCachedFeed()
                try require(try store.retrieve(), toBe: nil, "after the deletion")
                try require(try store.retrieveTimestamp(), toBe: nil, "the timestamp after the deletion")
                try require(try store.contains(.fixture(0)), toBe: false, "an image after the deletion")
                try store.insert(other.images, timestamp: other.timestamp)
                try require(try store.retrieve(), toBe: other, "after the insertion")
                try store.append([.fixture(0)])
                let appended = CachedFeed(images: other.images + [.fixture(0)], timestamp: other.timestamp)
                try require(try store.retrieve(), toBe: appended, "after the appending")
                try require(try store.contains(.fixture(0)), toBe: true, "the appended image")
            }

        case .`a transaction happens as a whole`:
            try await store.insert(feed)
            try await store.transaction { store in
                try store.deleteCachedFeed()
                try store.insert(feed.images, timestamp: feed.timestamp)
                try store.insert(other.images, timestamp: other.timestamp)
            }
            try await expect(store, toHold: other)

        case .`a transaction that throws changes nothing and passes the error on`:
            try await store.insert(feed)
            try await expectRollback(of: store) { try $0.deleteCachedFeed() }
            try await expect(store, toHold: feed)
            try await expectRollback(of: store) { try $0.insert(other.images, timestamp: other.timestamp) }
            try await expect(store, toHold: feed)
            try await expectRollback(of: store) { try $0.append(other.images) }
            try await expect(store, toHold: feed)
            try await expectRollback(of: store) {
                try $0.deleteCachedFeed()
                try $0.insert(other.images, timestamp: other.timestamp)
            }
            try await expect(try await open(), toHold: feed)

        case .`a transaction that throws leaves an empty store empty`:
            try await expectRollback(of: store) { try $0.insert(feed.images, timestamp: feed.timestamp) }
            try await expect(store, toHold: nil)

        case .`a transaction that only retrieves changes nothing`:
            try await store.insert(feed)
            try await store.transaction { _ = try $0.retrieve() }
            try await expect(store, toHold: feed)

        case .`instances on one place see each other's work`:
            let second = try await open()
            try await expect(second, toHold: nil)
            try await store.insert(feed)
            try await expect(second, toHold: feed)
            try await second.insert(other)
            try await expect(store, toHold: other)
            try await store.deleteCachedFeed()
            try await expect(second, toHold: nil)

        case .`transactions of several instances exclude each other`:
            try await expectExclusion(among: [store, try await open(), try await open()])
        }
    }
}

extension FeedStore {
    func insert(_ feed: CachedFeed) async throws {
        try await insert(feed.images, timestamp: feed.timestamp)
    }
}

func expect(_ store: any FeedStore, toHold feed: CachedFeed?) async throws {
    try require(try await store.retrieve(), toBe: feed, "the cached feed")
}

private func expectRollback(
    of store: any FeedStore,
    _ steps: @escaping @Sendable (any FeedStoreTransaction) throws -> Void
) async throws {
    let error = AnyError("thrown in the transaction")
    let found = try await expectFailure("the transaction") {
        try await store.transaction { store in
            try steps(store)
            throw error
        }
    }
    try require(found, toBe: String(describing: error), "the error")
}

/// Tasks of the main actor start in the order of their creation, and none waits for the previous one.
@MainActor
private func expectOrder(of store: any FeedStore, _ feed: CachedFeed, _ other: CachedFeed) async throws {
    for _ in 0..<20 {
        let tasks = [
            Task { @MainActor in try await store.insert(feed) },
            Task { @MainActor in try await store.deleteCachedFeed() },
            Task { @MainActor in try await store.insert(feed) },
            Task { @MainActor in try await store.insert(other) },
        ]
        let retrieval = Task { @MainActor in try await store.retrieve() }
        let deletion = Task { @MainActor in try await store.deleteCachedFeed() }
        for task in tasks { try await task.value }
        try require(try await retrieval.value, toBe: other, "the feed retrieved after four commands")
        try await deletion.value
        try await expect(store, toHold: nil)
    }
}

/// Increments the number of images, so that a lost update is noticed at the end.
private func expectExclusion(among stores: [any FeedStore]) async throws {
    let rounds = 10
    try await withThrowingTaskGroup(of: Void.self) { group in
        for store in stores {
            group.addTask {
                for _ in 0..<rounds {
                    try await store.transaction { store in
                        let count = try store.retrieve()?.images.count ?? 0
                        try store.insert(FeedImage.fixtures(0..<count + 1), timestamp: .fixture)
                    }
                }
            }
        }
        try await group.waitForAll()
    }
    let all = FeedImage.fixtures(0..<rounds * stores.count)
    for store in stores {
        try await expect(store, toHold: CachedFeed(images: all, timestamp: .fixture))
    }
}
