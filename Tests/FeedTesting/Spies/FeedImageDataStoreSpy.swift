public import FeedCache
public import Foundation
import Synchronization

/// Records what a store of images' bytes is asked for, and answers as it is told to.
public final class FeedImageDataStoreSpy: FeedImageDataStore {
    /// What the store was asked for.
    public enum Message: Hashable, Sendable {
        /// Bytes were to be kept for a URL.
        case insert(Data, URL)
        /// The bytes for a URL were asked for.
        case retrieve(URL)
    }

    private let recorded = Mutex<[Message]>([])
    private let retrieval: Result<Data?, any Error>
    private let insertionError: (any Error)?

    /// Makes a spy that answers with a result and fails with the error given.
    public init(retrieval: Result<Data?, any Error> = .success(nil), insertionError: (any Error)? = nil) {
        self.retrieval = retrieval
        self.insertionError = insertionError
    }

    /// What the store was asked for, in order.
    public var messages: [Message] { recorded.withLock { $0 } }

    /// Records the insertion, then fails or does nothing.
    ///
    /// - Throws: The insertion error.
    public func insert(_ data: Data, for url: URL) async throws {
        recorded.withLock { $0.append(.insert(data, url)) }
        if let insertionError { throw insertionError }
    }

    /// Records the retrieval, then answers.
    ///
    /// - Throws: The error of the retrieval.
    public func retrieve(dataForURL url: URL) async throws -> Data? {
        recorded.withLock { $0.append(.retrieve(url)) }
        return try retrieval.get()
    }
}
