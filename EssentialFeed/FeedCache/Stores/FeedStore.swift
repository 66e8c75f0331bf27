public import FeedFeature
public import Foundation

/// Stores one feed.
///
/// Side effects run in the order in which they were issued. Instances on one file see each other's work. A failed
/// command leaves the previous feed in place. All functions throw the store's own error.
public protocol FeedStore: Sendable {
    // Commands

    /// Deletes the feed and its images' bytes; does nothing without a feed.
    func deleteCachedFeed() async throws

    /// Replaces the feed; the bytes of URLs that remain are kept, all others are dropped.
    func insert(_ images: [FeedImage], timestamp: Date) async throws

    /// Adds images at the end of the feed, as ``FeedStoreTransaction/append(_:)`` does.
    func append(_ images: [FeedImage]) async throws

    /// Runs several steps as one, so that all take effect or none does.
    ///
    /// The body is synchronous, because a database transaction cannot wait for anything else. Bytes whose URL is in the
    /// feed before and after the transaction are kept, whatever the steps in between.
    ///
    /// - Throws: The error that `body` throws, unchanged, or the store's own error; nothing has changed then.
    func transaction(_ body: @escaping @Sendable (_ store: any FeedStoreTransaction) throws -> Void) async throws

    // Queries

    /// Returns the feed, or nil without one.
    func retrieve() async throws -> CachedFeed?

    /// Returns the feed's timestamp without its images, or nil without a feed.
    func retrieveTimestamp() async throws -> Date?

    /// Returns the number of the feed's images without the images, or nil without a feed.
    func retrieveCount() async throws -> Int?
}

/// The commands and queries of a store within one transaction, which throw the store's own error.
public protocol FeedStoreTransaction {
    // Commands

    /// Deletes the feed.
    func deleteCachedFeed() throws

    /// Replaces the feed.
    func insert(_ images: [FeedImage], timestamp: Date) throws

    /// Adds images at the end of the feed, which keeps its timestamp and its images' bytes.
    ///
    /// Images whose id is in the feed already are skipped. Does nothing without a feed.
    func append(_ images: [FeedImage]) throws

    // Queries

    /// Returns the feed as this transaction sees it, or nil without one.
    func retrieve() throws -> CachedFeed?

    /// Returns the feed's timestamp, or nil without a feed.
    func retrieveTimestamp() throws -> Date?

    /// Returns whether the feed has an image with this id.
    func contains(_ id: FeedImage.ID) throws -> Bool
}

/// A single command is a transaction of one step.
extension FeedStore {
    /// Deletes the feed and its images' bytes.
    public func deleteCachedFeed() async throws {
        try await transaction { try $0.deleteCachedFeed() }
    }

    /// Replaces the feed.
    public func insert(_ images: [FeedImage], timestamp: Date) async throws {
        try await transaction { try $0.insert(images, timestamp: timestamp) }
    }

    /// Adds images at the end of the feed.
    public func append(_ images: [FeedImage]) async throws {
        try await transaction { try $0.append(images) }
    }
}

/// Stores the bytes of the cached feed's images; both functions throw the store's own error.
public protocol FeedImageDataStore: Sendable {
    /// Stores the bytes if the URL is among the ``FeedFeature/FeedImage/storedURLs`` of an image in the cached feed;
    /// otherwise does nothing. The last call wins.
    func insert(_ data: Data, for url: URL) async throws

    /// Returns the bytes for this URL, or nil when there are none.
    func retrieve(dataForURL url: URL) async throws -> Data?
}

/// A feed in a store: the images in their order and the time they were saved.
public struct CachedFeed: Hashable, Sendable {
    /// The images.
    public let images: [FeedImage]

    /// When the feed was saved, exact to the bit.
    public let timestamp: Date

    /// Creates a cached feed.
    public init(images: [FeedImage], timestamp: Date) {
        self.images = images
        self.timestamp = timestamp
    }
}
