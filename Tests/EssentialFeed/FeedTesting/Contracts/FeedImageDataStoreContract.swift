import DuetContracts
public import FeedCache
import FeedFeature
import Foundation

/// The contract of every store of images' bytes, clause by clause.
public enum FeedImageDataStoreContract: CaseIterable, Sendable {
    /// A new store has no bytes.
    case `an empty store has no bytes`
    /// Each URL has its own bytes.
    case `bytes are found by their URL alone`
    /// Inserting replaces the previous bytes.
    case `the last bytes win`
    /// Bytes of any value and number are unchanged.
    case `bytes come back as they were`
    /// Bytes are stored only for URLs of the feed.
    case `bytes for a URL that is not in the feed are refused silently`
    /// Bytes are not stored without a feed.
    case `bytes are refused where there is no feed`
    /// Saving keeps the bytes that are still needed.
    case `a new feed keeps the bytes of the URLs that stay and drops the others`
    /// Appending removes nothing.
    case `appending keeps all bytes, and makes room for those of the new images`
    /// A save deletes first.
    case `deleting and inserting in one transaction keeps the bytes of the URLs that stay`
    /// Dropped bytes remain dropped when their URL returns.
    case `dropped bytes do not come back with their URL`
    /// Deleting deletes the bytes too.
    case `deleting the feed drops all bytes`
    /// An undone transaction drops nothing.
    case `a transaction that throws keeps the bytes`
    /// Two images may show the same picture.
    case `bytes stay while one of two images with their URL stays`
    /// Small versions are kept like originals.
    case `bytes of small versions stay with their image, and those of wide ones are refused`
    /// Instances on one location see each other's work.
    case `instances on one place see each other's bytes`

    /// A store of the feed and of its bytes.
    public typealias Store = FeedStore & FeedImageDataStore

    /// Checks this clause.
    ///
    /// - Parameter open: Opens a store. Each call within one `verify` must open the same one, which is empty at first.
    /// - Throws: ``ContractViolation``, or the store's error where none is allowed.
    public func verify(_ open: () async throws -> any Store) async throws {
        let store = try await open()
        let bytes = Data("bytes".utf8)
        let feed = FeedImage.fixtures(0..<4)

        switch self {
        case .`an empty store has no bytes`:
            try await expect(store, toHold: nil, for: .fixture(0))

        case .`bytes are found by their URL alone`:
            try await store.insert(feed, timestamp: .fixture)
            try await store.insert(bytes, for: .fixture(1))
            try await expect(store, toHold: bytes, for: .fixture(1))
            try await expect(store, toHold: bytes, for: .fixture(1))
            try await expect(store, toHold: nil, for: .fixture(2))

        case .`the last bytes win`:
            try await store.insert(feed, timestamp: .fixture)
            try await store.insert(bytes, for: .fixture(1))
            try await store.insert(Data("others".utf8), for: .fixture(1))
            try await expect(store, toHold: Data("others".utf8), for: .fixture(1))

        case .`bytes come back as they were`:
            try await store.insert(feed, timestamp: .fixture)
            for bytes in [Data(), Data([0]), Data(0...255), Data(repeating: 0xA5, count: 3_000_001)] {
                try await store.insert(bytes, for: .fixture(1))
                try await expect(store, toHold: bytes, for: .fixture(1))
            }

        case .`bytes for a URL that is not in the feed are refused silently`:
            try await store.insert(feed, timestamp: .fixture)
            try await store.insert(bytes, for: .fixture(4))
            try await expect(store, toHold: nil, for: .fixture(4))
            try await store.insert(FeedImage.fixtures(0..<5), timestamp: .fixture)
            try await expect(store, toHold: nil, for: .fixture(4))

        case .`bytes are refused where there is no feed`:
            try await store.insert(bytes, for: .fixture(0))
            try await store.insert(feed, timestamp: .fixture)
            try await expect(store, toHold: nil, for: .fixture(0))

        case .`a new feed keeps the bytes of the URLs that stay and drops the others`:
            try await store.insert(feed, timestamp: .fixture)
            for n in 0..<4 { try await store.insert(Data("\(n)".utf8), for: .fixture(n)) }
            try await store.insert(FeedImage.fixtures(2..<6), timestamp: .fixture)
            for n in 0..<6 {
                try await expect(store, toHold: 2..<4 ~= n ? Data("\(n)".utf8) : nil, for: .fixture(n))
            }

        case .`appending keeps all bytes, and makes room for those of the new images`:
            try await store.insert(feed, timestamp: .fixture)
            for n in 0..<3 { try await store.insert(Data("\(n)".utf8), for: .fixture(n)) }
            try await store.append(FeedImage.fixtures(3..<6))
            for n in 0..<6 {
                try await expect(store, toHold: n < 3 ? Data("\(n)".utf8) : nil, for: .fixture(n))
            }
            try await store.insert(bytes, for: .fixture(5))
            try await expect(store, toHold: bytes, for: .fixture(5))

        case .`deleting and inserting in one transaction keeps the bytes of the URLs that stay`:
            try await store.insert(feed, timestamp: .fixture)
            for n in 0..<4 { try await store.insert(Data("\(n)".utf8), for: .fixture(n)) }
            try await store.transaction { store in
                try store.deleteCachedFeed()
                try store.insert(FeedImage.fixtures(7..<9), timestamp: .fixture)
                try store.insert(FeedImage.fixtures(3..<5), timestamp: .fixture)
            }
            for n in 0..<9 {
                try await expect(store, toHold: n == 3 ? Data("3".utf8) : nil, for: .fixture(n))
            }

        case .`dropped bytes do not come back with their URL`:
            try await store.insert(feed, timestamp: .fixture)
            try await store.insert(bytes, for: .fixture(0))
            try await store.insert(FeedImage.fixtures(1..<4), timestamp: .fixture)
            try await store.insert(feed, timestamp: .fixture)
            try await expect(store, toHold: nil, for: .fixture(0))

        case .`deleting the feed drops all bytes`:
            try await store.insert(feed, timestamp: .fixture)
            try await store.insert(bytes, for: .fixture(0))
            try await store.deleteCachedFeed()
            try await expect(store, toHold: nil, for: .fixture(0))
            try await store.insert(feed, timestamp: .fixture)
            try await expect(store, toHold: nil, for: .fixture(0))

        case .`a transaction that throws keeps the bytes`:
            try await store.insert(feed, timestamp: .fixture)
            try await store.insert(bytes, for: .fixture(0))
            try await expectFailure("the transaction") {
                try await store.transaction { store in
                    try store.deleteCachedFeed()
                    try store.insert([], timestamp: .fixture)
                    throw AnyError()
                }
            }
            try await expect(store, toHold: bytes, for: .fixture(0))

        case .`bytes stay while one of two images with their URL stays`:
            let twins = [0, 1].map { FeedImage(id: .fixture($0), url: .fixture(0)) }
            try await store.insert(twins, timestamp: .fixture)
            try await store.insert(bytes, for: .fixture(0))
            try await store.insert([twins[1]], timestamp: .fixture)
            try await expect(store, toHold: bytes, for: .fixture(0))

        case .`bytes of small versions stay with their image, and those of wide ones are refused`:
            let (small, middle, wide) = (URL.fixture(5), URL.fixture(6), URL.fixture(7))
            let versions = [(480, small), (960, middle), (961, wide)].map { ImageVersion(width: $0, url: $1) }
            let image = FeedImage(id: .fixture(0), versions: versions, url: .fixture(0))
            try await store.insert([image] + feed, timestamp: .fixture)
            for url in versions.map(\.url) { try await store.insert(bytes, for: url) }
            try await expect(store, toHold: bytes, for: small)
            try await expect(store, toHold: bytes, for: middle)
            try await expect(store, toHold: nil, for: wide)
            try await store.insert([image], timestamp: .fixture)
            try await store.append([FeedImage.fixtures(8..<9)[0]])
            try await expect(store, toHold: bytes, for: small)
            try await store.insert(feed, timestamp: .fixture)
            try await expect(store, toHold: nil, for: small)
            try await expect(store, toHold: nil, for: middle)

        case .`instances on one place see each other's bytes`:
            let second = try await open()
            try await store.insert(feed, timestamp: .fixture)
            try await second.insert(bytes, for: .fixture(0))
            try await expect(store, toHold: bytes, for: .fixture(0))
            try await store.deleteCachedFeed()
            try await expect(second, toHold: nil, for: .fixture(0))
        }
    }
}

func expect(_ store: any FeedImageDataStore, toHold data: Data?, for url: URL) async throws {
    let found = try await store.retrieve(dataForURL: url)
    guard found == data else {
        throw ContractViolation("bytes of \(url): expected \(data?.count as Any), found \(found?.count as Any)")
    }
}
