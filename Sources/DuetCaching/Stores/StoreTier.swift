import Duet
import Foundation
import Synchronization

/// The store behind the memory of one cache, kept from failing and delaying queries.
final class StoreTier: Sendable {
    let store: any CacheStore
    /// Identifies this cache among those that use the store.
    let writer: UUID
    private let timeout: Duration
    private let onError: @Sendable (CacheStoreFailure) -> Void
    private let clock: any Clock<Duration>
    private let pending = Monitor(Pending())
    /// Tags whose values a failed store still has.
    ///
    /// They keep such values from being fresh.
    private let failedTags = Mutex<[Tag]>([])

    private struct Pending: Sendable {
        var writes = 0
        var removals = 0
    }

    /// The number of writes that may wait for a slow store; further values are not stored.
    private static let writeLimit = 64

    init(_ settings: StoreSettings, writer: UUID, clock: any Clock<Duration>) {
        store = settings.store
        timeout = settings.timeout
        onError = settings.onError
        self.writer = writer
        self.clock = clock
    }

    func value(for key: CacheKey) async -> StoredValue? {
        await attempt(.reading, key.query) { [store] in try await store.value(for: key) } ?? nil
    }

    /// Stores a value in the background.
    ///
    /// - Returns: False if too many values wait, so that `body` is not called.
    func write(_ query: String, _ body: @escaping @Sendable @concurrent () async throws -> Void) -> Bool {
        let isAccepted = pending.update { pending in
            guard pending.writes < Self.writeLimit else { return false }
            pending.writes += 1
            return true
        }
        guard isAccepted else {
            report(.storing, query, nil)
            return false
        }
        Task {
            _ = await attempt(.storing, query, body)
            pending.update { $0.writes -= 1 }
        }
        return true
    }

    /// Removes values in the background.
    ///
    /// - Parameter onEnd: Called with whether the store succeeded.
    func remove(
        _ query: String?,
        _ body: @escaping @Sendable @concurrent (any CacheStore) async throws -> Void,
        onEnd: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        pending.update { $0.removals += 1 }
        Task {
            onEnd(await attempt(.removing, query) { [store] in try await body(store) } != nil)
            pending.update { $0.removals -= 1 }
        }
    }

    /// Removes the values with a tag, which is kept until they are gone.
    func remove(tagged name: String, _ tag: Tag) {
        remove(nil) {
            try await $0.removeAll(tagged: name)
        } onEnd: { [self] isRemoved in
            if !isRemoved { failedTags.withLock { $0.append(tag) } }
        }
    }

    /// Waits until values that were invalidated are gone, or the store has failed.
    func waitForRemovals() async {
        try? await pending.wait { $0.removals == 0 ? () : nil }
    }

    /// Waits until the store has done everything, or has failed.
    func waitUntilIdle() async throws {
        try await pending.wait { $0.removals == 0 && $0.writes == 0 ? () : nil }
    }

    func report(_ operation: CacheStoreFailure.Operation, _ query: String?, _ error: (any Error)?) {
        onError(CacheStoreFailure(operation: operation, query: query, underlying: error))
    }

    /// Returns nil if the store fails, takes too long, or the task is canceled.
    ///
    /// An operation that ignores its cancellation is abandoned.
    private func attempt<Value: Sendable>(
        _ operation: CacheStoreFailure.Operation,
        _ query: String?,
        _ body: @escaping @Sendable @concurrent () async throws -> Value
    ) async -> Value? {
        let load = Load<Value>(epoch: 0, tags: [], began: 0, isInBackground: false)
        load.start {
            do { load.finish(.success(try await body())) } catch { load.finish(.failure(error)) }
        }
        defer { load.unsubscribe() }
        switch await load.result(within: timeout, clock) {
        case .success(let value): return value
        case .failure(let error): report(operation, query, error)
        case nil: if !Task.isCancelled { report(operation, query, nil) }
        }
        return nil
    }
}
