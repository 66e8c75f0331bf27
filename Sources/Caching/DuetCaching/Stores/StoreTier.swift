import Duet
import Foundation
import Synchronization

/// Guards the store behind the memory of one cache, so that it neither fails nor delays queries.
final class StoreTier: Sendable {
    let store: any CacheStore
    /// Identifies this cache among those that use the store.
    let writer: UUID
    private let timeout: Duration
    private let onError: @Sendable (CacheStoreFailure) -> Void
    private let clock: any Clock<Duration>
    private let pending = Monitor(Pending())
    /// Invalidated tags whose values the store could not mark.
    ///
    /// Such values are not fresh.
    private let failedTags = Mutex<[String: Tag]>([:])
    /// The invalidation before which all values of the store are stale, because too many marks failed.
    private let floor = Invalidated()
    private let epochs: Epochs
    /// The number of running operations without a waiter.
    private let hanging = Atomic(0)

    /// The numbers of the operations that run in the background.
    private struct Pending: Sendable {
        var last = 0
        var writes: Set<Int> = []
        /// Marks and removals.
        var marks: Set<Int> = []
        /// Changes of stale values.
        var updates: Set<Int> = []

        mutating func newNumber() -> Int {
            last += 1
            return last
        }

        /// Whether marks, removals or changes with smaller numbers are running.
        func areChanging(before number: Int) -> Bool {
            marks.contains { $0 < number } || updates.contains { $0 < number }
        }
    }

    /// The number of writes that may wait for a slow store; further values are not stored.
    private static let writeLimit = 64
    /// The number of hanging operations at which others fail at once.
    private static let hangingLimit = 16
    private static let failedTagLimit = 1_024

    init(_ settings: StoreSettings, writer: UUID, clock: any Clock<Duration>, epochs: Epochs) {
        store = settings.store
        timeout = settings.timeout
        onError = settings.onError
        self.writer = writer
        self.clock = clock
        self.epochs = epochs
    }

    /// Whether a value that was loaded in an epoch may be valid, without regard to its query and its tags.
    func isValid(_ epoch: Epoch) -> Bool { floor.isValid(epoch) }

    private var isHanging: Bool { hanging.load(ordering: .relaxed) >= Self.hangingLimit }

    func value(for key: CacheKey) async -> StoredValue? {
        guard !isHanging else { return nil }
        return await attempt(.reading, key.query) { [store] in try await store.value(for: key) } ?? nil
    }

    /// The stamp of the store, or nil if it cannot be read.
    func stamp() async -> Int64? {
        guard !isHanging else { return nil }
        return await attempt(.reading, nil) { [store, writer] in try await store.stamp(for: writer) }
    }

    /// Announces a write, so that ``waitUntilIdle()`` waits for it.
    ///
    /// - Returns: The number of the write; nil if too many values wait, or the store hangs.
    func beginWrite() -> Int? {
        pending.update { pending -> Int? in
            guard pending.writes.count < Self.writeLimit, !isHanging else { return nil }
            let number = pending.newNumber()
            pending.writes.insert(number)
            return number
        }
    }

    /// Ends a write that is not carried out.
    func endWrite(_ number: Int?) {
        guard let number else { return }
        pending.update { $0.writes.remove(number) }
    }

    /// Stores a value in the background, after the marks and removals that began before.
    ///
    /// - Parameter number: The number that ``beginWrite()`` returned.
    /// - Returns: False if there is no number, so that `body` is not called.
    func write(
        _ query: String,
        _ number: Int?,
        _ body: @escaping @Sendable @concurrent () async throws -> Void
    ) -> Bool {
        guard let number else {
            report(.storing, query, nil)
            return false
        }
        Task {
            // A mark or a change that came later than the value would concern it, too.
            try? await pending.wait { $0.areChanging(before: number) ? nil : () }
            _ = await attempt(.storing, query, body)
            endWrite(number)
        }
        return true
    }

    /// Marks values as stale in the background.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - query: The name of the query; nil if several are concerned.
    ///   - onEnd: Receives whether the store succeeded.
    func markStale(
        _ values: StoredValues,
        _ query: String? = nil,
        onEnd: @escaping @Sendable (_ isMarked: Bool) -> Void = { _ in }
    ) {
        change(query, { [writer] in try await $0.markStale(values, by: writer) }, onEnd: onEnd)
    }

    /// Marks the values with a tag as stale, and keeps the tag if that fails.
    func markStale(_ tag: Tag, name: String) {
        markStale(.tag(name)) { [self] isMarked in
            if !isMarked { keep(tag, name) }
        }
    }

    /// Removes the value of a key in the background.
    func remove(_ key: CacheKey) { change(key.query, { try await $0.remove([key]) }) }

    /// Removes all values in the background.
    func removeAll() { change(nil, { try await $0.removeAll() }) }

    private func change(
        _ query: String?,
        _ body: @escaping @Sendable @concurrent (any CacheStore) async throws -> Void,
        onEnd: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        guard !isHanging else {
            report(.marking, query, nil)
            return onEnd(false)
        }
        let number = pending.update { pending in
            let number = pending.newNumber()
            pending.marks.insert(number)
            return number
        }
        Task {
            onEnd(await attempt(.marking, query) { [store] in try await body(store) } != nil)
            pending.update { $0.marks.remove(number) }
        }
    }

    /// Changes the bytes of stale values in the background, after all earlier operations.
    func updateStale(_ query: String, _ change: @escaping @Sendable (CacheKey, Data) -> Data?) {
        guard !isHanging else { return report(.updating, query, nil) }
        let number = pending.update { pending in
            let number = pending.newNumber()
            pending.updates.insert(number)
            return number
        }
        Task {
            try? await pending.wait { pending in
                pending.updates.contains { $0 < number } || pending.writes.contains { $0 < number } ? nil : ()
            }
            // A write may have begun to mark its value.
            let last = pending.read(\.last)
            try? await pending.wait { $0.marks.contains { $0 <= last } ? nil : () }
            _ = await attempt(.updating, query) { [store] in try await store.updateStale(query: query, change) }
            pending.update { $0.updates.remove(number) }
        }
    }

    private func keep(_ tag: Tag, _ name: String) {
        failedTags.withLock { tags in
            if tags.count >= Self.failedTagLimit {
                floor.invalidate(epochs)
                tags = [:]
            }
            tags[name] = tag
        }
    }

    /// Waits until the store has marked, changed or removed all values so far that it had to, or has failed.
    func waitForChanges() async {
        let next = pending.read(\.last) + 1
        try? await pending.wait { $0.areChanging(before: next) ? nil : () }
    }

    /// Waits until the store has carried out all operations so far, or has failed.
    func waitUntilIdle() async throws {
        // Again, because a write may have begun to mark its value.
        for _ in 0..<2 {
            let next = pending.read(\.last) + 1
            try await pending.wait { pending in
                pending.areChanging(before: next) || pending.writes.contains { $0 < next } ? nil : ()
            }
        }
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
        let load = Load<Value>(epoch: 0, tags: [], began: 0)
        // Even a store that does not suspend must not delay the caller.
        load.start(inNewTask: true) { [self] in
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            if load.finish(result) { hanging.subtract(1, ordering: .relaxed) }
        }
        defer { if load.unsubscribe() { hanging.add(1, ordering: .relaxed) } }
        switch await load.result(within: timeout, clock) {
        case .success(let value): return value
        case .failure(let error): report(operation, query, error)
        case nil: if !Task.isCancelled { report(operation, query, nil) }
        }
        return nil
    }
}
