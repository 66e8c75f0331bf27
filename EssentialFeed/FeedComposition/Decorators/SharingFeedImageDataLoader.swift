public import FeedFeature
public import Foundation
import Synchronization

/// Lets those who ask for one URL at the same time share one load.
///
/// Cancelling one of them ends its wait at once and does not touch the others; with the last of them the load ends too.
public final class SharingFeedImageDataLoader: FeedImageDataLoader {
    private typealias Waiter = CheckedContinuation<Data, any Error>

    private struct Load {
        let id: Int
        let task: Task<Void, Never>
        var waiters: [Int: Waiter]
    }

    private struct State {
        var nextID = 0
        var loads: [URL: Load] = [:]

        mutating func makeID() -> Int {
            nextID += 1
            return nextID
        }
    }

    private let loader: any FeedImageDataLoader
    private let state = Mutex(State())

    init(_ loader: any FeedImageDataLoader) {
        self.loader = loader
    }

    /// Joins the load of this URL that is under way, or begins one.
    ///
    /// - Throws: The inner loader's error, or `CancellationError`.
    public func loadImageData(from url: URL) async throws -> Data {
        let id = state.withLock { $0.makeID() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                join(url, id: id, waiter: waiter)
            }
        } onCancel: {
            leave(url, id: id)
        }
    }

    /// How many wait for the load of a URL.
    package func waiting(for url: URL) -> Int {
        state.withLock { $0.loads[url]?.waiters.count ?? 0 }
    }

    private func join(_ url: URL, id: Int, waiter: Waiter) {
        let isCancelled = state.withLock { state in
            // Asked under the lock: a cancellation from here on finds the waiter in its place.
            if Task.isCancelled { return true }
            if state.loads[url] == nil {
                state.loads[url] = begin(url, id: state.makeID())
            }
            state.loads[url]?.waiters[id] = waiter
            return false
        }
        if isCancelled { waiter.resume(throwing: CancellationError()) }
    }

    private func begin(_ url: URL, id: Int) -> Load {
        let task = Task {
            let result: Result<Data, any Error>
            do {
                result = .success(try await loader.loadImageData(from: url))
            } catch {
                result = .failure(error)
            }
            finish(url, id: id, result: result)
        }
        return Load(id: id, task: task, waiters: [:])
    }

    private func finish(_ url: URL, id: Int, result: Result<Data, any Error>) {
        let waiters = state.withLock { state -> [Waiter] in
            guard let load = state.loads[url], load.id == id else { return [] }
            state.loads[url] = nil
            return Array(load.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    private func leave(_ url: URL, id: Int) {
        let (waiter, abandoned) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let waiter = state.loads[url]?.waiters.removeValue(forKey: id) else { return (nil, nil) }
            guard state.loads[url]?.waiters.isEmpty == true else { return (waiter, nil) }
            return (waiter, state.loads.removeValue(forKey: url)?.task)
        }
        abandoned?.cancel()
        waiter?.resume(throwing: CancellationError())
    }
}

extension FeedImageDataLoader {
    /// Lets concurrent loads of one URL share one.
    public func sharing() -> SharingFeedImageDataLoader {
        SharingFeedImageDataLoader(self)
    }
}
