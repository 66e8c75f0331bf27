public import FeedCache
public import FeedFeature
public import Foundation
import Synchronization

/// A feed store that records the messages it receives, inside and outside of transactions, and returns preset results.
public final class FeedStoreSpy: FeedStore {
    /// A message that the store received.
    public enum Message: Hashable, Sendable {
        /// Delete the cached feed.
        case deleteCachedFeed
        /// Insert a feed with a timestamp.
        case insert([FeedImage], Date)
        /// Append images to the cached feed.
        case append([FeedImage])
        /// Retrieve the cached feed.
        case retrieve
        /// Retrieve the cached feed's timestamp.
        case retrieveTimestamp
        /// Retrieve the number of the cached feed's images.
        case retrieveCount
        /// Look for an image in the cached feed.
        case contains(FeedImage.ID)
    }

    /// The end of a transaction.
    public enum Outcome: Hashable, Sendable {
        /// All its steps took effect.
        case committed
        /// None of its steps took effect.
        case rolledBack
    }

    private struct State {
        var messages: [Message] = []
        var outcomes: [Outcome] = []
    }

    private let state = Mutex(State())
    private let retrieval: Result<CachedFeed?, any Error>
    private let deletionError: (any Error)?
    private let insertionError: (any Error)?

    /// Creates a spy with the result of its queries and the errors of its commands.
    public init(
        retrieval: Result<CachedFeed?, any Error> = .success(nil),
        deletionError: (any Error)? = nil,
        insertionError: (any Error)? = nil
    ) {
        self.retrieval = retrieval
        self.deletionError = deletionError
        self.insertionError = insertionError
    }

    /// The messages received, in order.
    public var messages: [Message] { state.withLock { $0.messages } }

    /// The ends of the transactions, in order; a single command is not counted.
    public var outcomes: [Outcome] { state.withLock { $0.outcomes } }

    /// Records the deletion, then fails or does nothing.
    ///
    /// - Throws: The deletion error.
    public func deleteCachedFeed() async throws {
        try Transaction(self).deleteCachedFeed()
    }

    /// Records the insertion, then fails or does nothing.
    ///
    /// - Throws: The insertion error.
    public func insert(_ images: [FeedImage], timestamp: Date) async throws {
        try Transaction(self).insert(images, timestamp: timestamp)
    }

    /// Records the images, then fails or does nothing.
    ///
    /// - Throws: The insertion error.
    public func append(_ images: [FeedImage]) async throws {
        try Transaction(self).append(images)
    }

    /// Runs the steps and records them, and whether they were undone.
    ///
    /// - Throws: The error that `body` throws.
    public func transaction(_ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        do {
            try body(Transaction(self))
            state.withLock { $0.outcomes.append(.committed) }
        } catch {
            state.withLock { $0.outcomes.append(.rolledBack) }
            throw error
        }
    }

    /// Records the retrieval, then returns the preset feed.
    ///
    /// - Throws: The error of the retrieval.
    public func retrieve() async throws -> CachedFeed? {
        try Transaction(self).retrieve()
    }

    /// Records the retrieval, then returns the timestamp of the preset feed.
    ///
    /// - Throws: The error of the retrieval.
    public func retrieveTimestamp() async throws -> Date? {
        try Transaction(self).retrieveTimestamp()
    }

    /// Records the retrieval, then returns the number of the preset feed's images.
    ///
    /// - Throws: The error of the retrieval.
    public func retrieveCount() async throws -> Int? {
        state.withLock { $0.messages.append(.retrieveCount) }
        return try retrieval.get()?.images.count
    }

    private struct Transaction: FeedStoreTransaction {
        let spy: FeedStoreSpy

        init(_ spy: FeedStoreSpy) {
            self.spy = spy
        }

        func deleteCachedFeed() throws {
            record(.deleteCachedFeed)
            if let error = spy.deletionError { throw error }
        }

        func insert(_ images: [FeedImage], timestamp: Date) throws {
            record(.insert(images, timestamp))
            if let error = spy.insertionError { throw error }
        }

        func append(_ images: [FeedImage]) throws {
            record(.append(images))
            if let error = spy.insertionError { throw error }
        }

        func retrieve() throws -> CachedFeed? {
            record(.retrieve)
            return try spy.retrieval.get()
        }

        func retrieveTimestamp() throws -> Date? {
            record(.retrieveTimestamp)
            return try spy.retrieval.get()?.timestamp
        }

        func contains(_ id: FeedImage.ID) throws -> Bool {
            record(.contains(id))
            return try spy.retrieval.get()?.images.contains { $0.id == id } ?? false
        }

        private func record(_ message: Message) {
            spy.state.withLock { $0.messages.append(message) }
        }
    }
}
