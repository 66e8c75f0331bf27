import Duet
import Foundation
import Synchronization

/// Guards the store behind the memory of one cache, so that it neither fails nor delays queries.
///
/// Reads and writes end with the timeout. Marks and removals that were begun go on until the store has carried them
/// out; the timeout only ends the waits for them.
final class StoreTier: Sendable {
    let store: any CacheStore
    /// Identifies this cache among those that use the store.
    let writer: UUID
    let timeout: Duration
    let clock: any Clock<Duration>
    let pending = Monitor(Pending())
    /// Invalidated tags whose values the store could not mark.
    ///
    /// Such values are not fresh.
    private let failedTags = Mutex<[String: Tag]>([:])
    /// The invalidation before which all values of the store are stale, because too many marks failed.
    private let floor = Invalidated()
    private let epochs: Epochs
    private let onError: @Sendable (CacheStoreFailure) -> Void
    private let hanging = AbandonedOperations()

    struct Pending {
        private(set) var last = 0
        var writes: Set<Int> = []
        /// Marks and removals.
        var marks: Set<Int> = []
        /// Changes of stale values.
        var updates: Set<Int> = []
        /// The removals of everything among the marks.
        var removals: Set<Int> = []
        /// The timers of the marks and changes that commands wait for; nil for one that is about to begin.
        var awaited: [Int: Task<Void, Never>?] = [:]
        /// The marks and changes that have exceeded the timeout.
        var overdue: Set<Int> = []
        /// The conditions that wait for a pass over the keys of a query, by its name, while one is made.
        var passes: [String: [QueryMark]] = [:]
        /// The store's notes of this cache.
        var doubts: Set<Int64> = []
        /// The marks that the store could not make, and those that it was not asked for while it hung.
        var (failed, refused) = (FailedMarks(), FailedMarks())

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

    var isHanging: Bool {
        hanging.count + pending.read(\.overdue.count) >= Self.hangingLimit
    }

    func value(for key: CacheKey) async -> StoredValue? {
        guard !isHanging else { return nil }
        let found = await attempt(.reading, key.query) { [store] in try await store.value(for: key) }
        guard var value = found ?? nil else { return nil }
        // This cache knows which values its own marks concern.
        if pending.read({ !$0.doubts.isSuperset(of: value.doubts) }) { value.isStale = true }
        return value
    }

    /// The stamp of the store, or nil if it cannot be read.
    ///
    /// - Parameter isRead: Whether a caller waits. Otherwise the removal of everything comes first, after which the
    ///   store refuses values with an earlier stamp.
    func stamp(isRead: Bool) async -> Int64? {
        if !isRead { try? await pending.wait { $0.removals.isDisjoint(with: $0.awaited.keys) ? () : nil } }
        guard !isHanging else { return nil }
        return await attempt(.reading, nil) { [store, writer] in try await store.stamp(for: writer) }
    }

    // MARK: Writing

    /// Announces a write, so that ``waitUntilIdle()`` waits for it.
    ///
    /// - Returns: The number of the write; nil if too many values wait, or the store hangs.
    func beginWrite() -> Int? {
        let isHanging = isHanging
        return pending.update { pending -> Int? in
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

    /// Removes values that can no longer be served.
    ///
    /// - Throws: The error of the store; ``CacheStoreFailure`` if it takes too long.
    func removeExpired(at date: Date) async throws {
        let end: Void? = try await abandoning(after: timeout, clock: clock, countedBy: hanging) { [store] in
            try await store.removeExpired(at: date)
        }
        guard end == nil else { return }
        try Task.checkCancellation()
        throw CacheStoreFailure(operation: .expiring, query: nil, underlying: nil, isNoted: false)
    }

    /// Treats the values of a tag as stale in this process.
    func keep(_ tag: Tag, _ name: String) {
        failedTags.withLock { tags in
            if tags.count >= Self.failedTagLimit {
                floor.invalidate(epochs)
                tags = [:]
            }
            tags[name] = tag
        }
    }

    // MARK: Waiting

    /// Waits until the store has marked, changed or removed all values so far that it had to, has failed, or the
    /// timeout is over.
    ///
    /// A mark that the store has noted counts as made.
    func waitForChanges() async {
        let next = pending.read(\.last) + 1
        try? await pending.wait { $0.awaited.keys.contains { $0 < next } ? nil : () }
    }

    /// Waits until the store has carried out all operations so far, and tries again to make the marks that failed.
    func waitUntilIdle() async throws {
        for isLast in [false, true] {
            // Again, because a write may have begun to mark its value.
            for _ in 0..<2 {
                let next = pending.read(\.last) + 1
                try await pending.wait { pending in
                    pending.areChanging(before: next) || pending.writes.contains { $0 < next } ? nil : ()
                }
            }
            guard !isLast, retryFailed() else { return }
        }
    }

    func report(_ operation: CacheStoreFailure.Operation, _ query: String?, _ error: (any Error)?) {
        onError(CacheStoreFailure(operation: operation, query: query, underlying: error, isNoted: false))
    }

    /// Returns nil if the store fails or takes too long.
    private func attempt<Value: Sendable>(
        _ operation: CacheStoreFailure.Operation,
        _ query: String?,
        _ body: @escaping @Sendable @concurrent () async throws -> Value
    ) async -> Value? {
        do {
            if let value = try await abandoning(after: timeout, clock: clock, countedBy: hanging, body) { return value }
            if !Task.isCancelled { report(operation, query, nil) }
        } catch is CancellationError where Task.isCancelled {
            // It says nothing about the store.
        } catch {
            report(operation, query, error)
        }
        return nil
    }
}
