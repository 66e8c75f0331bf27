public import FeedCache
public import FeedFeature
public import Foundation
import Synchronization

/// Records what a feed store is asked for, in a transaction or not, and answers as it is told to.
public final class FeedStoreSpy: FeedStore {
    /// What the store was asked for.
    public enum Message: Hashable, Sendable {
        /// The cached feed was to be deleted.
        case deleteCachedFeed
        /// A feed was to be inserted with a timestamp.
        case insert([FeedImage], Date)
        /// The cached feed was asked for.
        case retrieve
    }

    /// How a transaction ended.
    public enum Outcome: Hashable, Sendable {
        /// All its steps happened.
        case committed
        /// None of its steps happened.
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

    /// Makes a spy that answers with a result and fails with the errors given.
    public init(
        retrieval: Result<CachedFeed?, any Error> = .success(nil),
        deletionError: (any Error)? = nil,
        insertionError: (any Error)? = nil
    ) {
        self.retrieval = retrieval
        self.deletionError = deletionError
        self.insertionError = insertionError
    }

    /// What the store was asked for, in order.
    public var messages: [Message] { state.withLock { $0.messages } }

    /// How the transactions ended, in order; a command on its own is not counted.
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

    /// Records the retrieval, then answers.
    ///
    /// - Throws: The error of the retrieval.
    public func retrieve() async throws -> CachedFeed? {
        try Transaction(self).retrieve()
    }

    /// Runs the steps and records them, and whether they were undone.
    ///
    /// - Throws: What `body` throws.
    public func transaction(_ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        do {
            try body(Transaction(self))
            state.withLock { $0.outcomes.append(.committed) }
        } catch {
            state.withLock { $0.outcomes.append(.rolledBack) }
            throw error
        }
    }

    private struct Transaction: FeedStoreTransaction {
        let spy: FeedStoreSpy

        init(_ spy: FeedStoreSpy) {
            self.spy = spy
        }

        func deleteCachedFeed() throws {
            spy.state.withLock { $0.messages.append(.deleteCachedFeed) }
            if let error = spy.deletionError { throw error }
        }

        func insert(_ images: [FeedImage], timestamp: Date) throws {
            spy.state.withLock { $0.messages.append(.insert(images, timestamp)) }
            if let error = spy.insertionError { throw error }
        }

        func retrieve() throws -> CachedFeed? {
            spy.state.withLock { $0.messages.append(.retrieve) }
            return try spy.retrieval.get()
        }
    }
}
