public import FeedFeature
public import Foundation
import Synchronization

/// Shares one load among concurrent requests for the same URL.
///
/// A canceled request ends at once and does not affect the others; the load is canceled with its last request.
public final class SharingFeedImageDataLoader: FeedImageDataLoader {
    private typealias Waiter = AsyncThrowingStream<Data, any Error>.Continuation

    private struct Load {
        /// The id of its first waiter.
        let id: Int
        let task: Task<Void, Never>
        var waiters: [Int: Waiter] = [:]
    }

    private struct State {
        var lastID = 0
        var loads: [URL: Load] = [:]
    }

    private let loader: any FeedImageDataLoader
    private let state = Mutex(State())

    init(_ loader: any FeedImageDataLoader) {
        self.loader = loader
    }

    /// Joins the load in flight for this URL, or begins one.
    ///
    /// - Throws: The inner loader's error, or `CancellationError`.
    public func loadImageData(from url: URL) async throws -> Data {
        try Task.checkCancellation()
        let (results, waiter) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
        let id = join(url, waiter)
        // The stream also terminates when this task is canceled.
        waiter.onTermination = { _ in self.leave(url, id) }
        for try await data in results { return data }
        throw CancellationError()
    }

    /// Returns the number of requests that wait for a URL.
    package func waiting(for url: URL) -> Int {
        state.withLock { $0.loads[url]?.waiters.count ?? 0 }
    }

    private func join(_ url: URL, _ waiter: Waiter) -> Int {
        state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            var load = state.loads[url] ?? Load(id: id, task: Task { await self.load(url, id) })
            load.waiters[id] = waiter
            state.loads[url] = load
            return id
        }
    }

    private func load(_ url: URL, _ id: Int) async {
        let result: Result<Data, any Error>
        do {
            result = .success(try await loader.loadImageData(from: url))
        } catch {
            result = .failure(error)
        }
        let finished = state.withLock { state in
            // An abandoned load may end after its successor has begun.
            state.loads[url]?.id == id ? state.loads.removeValue(forKey: url) : nil
        }
        for waiter in (finished?.waiters ?? [:]).values { waiter.yield(with: result) }
    }

    private func leave(_ url: URL, _ id: Int) {
        let abandoned = state.withLock { state -> Load? in
            guard state.loads[url]?.waiters.removeValue(forKey: id) != nil,
                state.loads[url]?.waiters.isEmpty == true
            else { return nil }
            return state.loads.removeValue(forKey: url)
        }
        abandoned?.task.cancel()
    }
}

extension FeedImageDataLoader {
    /// Shares one load among concurrent requests for the same URL.
    public func sharing() -> SharingFeedImageDataLoader {
        SharingFeedImageDataLoader(self)
    }
}
