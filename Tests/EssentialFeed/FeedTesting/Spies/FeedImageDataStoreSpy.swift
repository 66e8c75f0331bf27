public import FeedCache
public import Foundation
import Synchronization

/// A store of images' bytes that records the messages it receives, and returns preset results.
public final class FeedImageDataStoreSpy: FeedImageDataStore {
    /// A message that the store received.
    public enum Message: Hashable, Sendable {
        /// Insert bytes for a URL.
        case insert(Data, URL)
        /// Retrieve the bytes for a URL.
        case retrieve(URL)
    }

    private let recorded = Mutex<[Message]>([])
    private let retrieval: Result<Data?, any Error>
    private let insertionError: (any Error)?

    /// Creates a spy with the result of retrievals and the error of insertions.
    public init(retrieval: Result<Data?, any Error> = .success(nil), insertionError: (any Error)? = nil) {
        self.retrieval = retrieval
        self.insertionError = insertionError
    }

    /// The messages received, in order.
    public var messages: [Message] { recorded.withLock { $0 } }

    /// Records the insertion, then fails or does nothing.
    ///
    /// - Throws: The insertion error.
    public func insert(_ data: Data, for url: URL) async throws {
        recorded.withLock { $0.append(.insert(data, url)) }
        if let insertionError { throw insertionError }
    }

    /// Records the retrieval, then returns the preset bytes.
    ///
    /// - Throws: The error of the retrieval.
    public func retrieve(dataForURL url: URL) async throws -> Data? {
        recorded.withLock { $0.append(.retrieve(url)) }
        return try retrieval.get()
    }
}
