import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization

/// A store whose failures are reported and fail no request: the cache goes on as if nothing were stored.
final class GuardedStore: Sendable {
    private let store: any HTTPCacheStore
    private let secrets: Set<HTTPField.Name>
    private let now: @Sendable () -> Date
    private let report: @Sendable (HTTPCacheReport) -> Void
    private let health = Mutex(StoreHealth())
    /// The same as the health's, to be read without a lock: each hit asks several times.
    private let isHealthy = Atomic(true)

    init(
        _ store: any HTTPCacheStore,
        secrets: Set<HTTPField.Name>,
        now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (HTTPCacheReport) -> Void
    ) {
        self.store = store
        self.secrets = store.isDurable ? secrets : []
        self.now = now
        self.report = report
    }

    // MARK: Reading

    func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
        guard await isEnabled() else { return [] }
        do {
            let entries = try await store.entries(for: key)
            succeed(.read)
            return entries
        } catch {
            fail(.read, error)
            return []
        }
    }

    /// The stored bytes of an entry; nil if it is gone or cannot be read.
    ///
    /// An entry that breaks while it is read is removed, because it would break for the next reader too.
    func body(
        of id: HTTPCacheEntry.ID,
        in range: Range<Int64>? = nil,
        count: Int64,
        to request: HTTPRequest
    ) async -> HTTPBody? {
        do {
            guard let body = try await store.body(of: id, in: range) else { return nil }
            if let size = body.size, size != count {
                fail(.read, WrongBodyLength(count: size, announced: count))
                await remove([id])
                return nil
            }
            guard body.whole == nil else { return body }
            return body.counted(count, of: request).readFromStore(for: request) { error in
                self.fail(.read, error)
                await self.remove([id])
            }
        } catch {
            fail(.read, error)
            return nil
        }
    }

    // MARK: Writing

    /// A writer for a response; nil if the store does not take it.
    func writer(for key: HTTPCacheKey, length: Int64?) async -> (any HTTPCacheWriter)? {
        guard await isEnabled() else { return nil }
        return await writing { try await self.store.writer(for: key, length: length) }
    }

    /// Whether the bytes were taken.
    func append(_ piece: Data, to writer: any HTTPCacheWriter) async -> Bool {
        await writing { try await writer.append(piece) } ?? false
    }

    /// The new entry; nil if the store failed or has no room.
    func commit(
        _ response: StoredResponse,
        to writer: any HTTPCacheWriter,
        replacing ids: [HTTPCacheEntry.ID]
    ) async -> HTTPCacheEntry? {
        do {
            let entry = try await writer.commit(response, replacing: ids)
            if entry != nil { succeed(.write) }
            return entry
        } catch {
            fail(.write, error)
            return nil
        }
    }

    /// Whether the new head was taken.
    func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) async -> Bool {
        guard await writing({ try await self.store.update(id, to: response) }) != nil else { return false }
        succeed(.write)
        return true
    }

    func markUsed(_ id: HTTPCacheEntry.ID) async {
        await writing { try await self.store.markUsed(id) }
    }

    func flush() async {
        await writing { try await self.store.flush() }
    }

    /// The response as the store may have it; nil if it may not have it.
    func storable(_ response: StoredResponse) -> StoredResponse? {
        secrets.isEmpty ? response : response.without(secrets)
    }

    // MARK: Removing

    /// Removes entries, also in a cancelled task.
    func remove(_ ids: [HTTPCacheEntry.ID]) async {
        guard !ids.isEmpty else { return }
        _ = await Task { try? await removing { try await $0.remove(ids) } }.value
    }

    /// Removes the responses to a URI.
    func removeAll(uri: String) async {
        try? await removing { try await $0.removeAll(uri: uri) }
    }

    /// Removes the responses to all URIs with a prefix.
    func removeAll(prefix: String) async {
        try? await removing { try await $0.removeAll(prefix: prefix) }
    }

    /// Removes everything, and thereby enables a disabled store.
    ///
    /// - Throws: The store's error. The store is disabled then.
    func removeAll() async throws {
        let failures = health.withLock(\.removalFailures)
        try await removing { try await $0.removeAll() }
        update { $0.removedAll(since: failures) }
    }

    /// Disables the store if it fails.
    private func removing(_ operation: (any HTTPCacheStore) async throws -> Void) async throws {
        do {
            try await operation(store)
            succeed(.write)
        } catch {
            update { $0.failRemoval() }
            fail(.write, error)
            throw error
        }
    }

    /// Whether nothing is stored that should have been removed; if something may be, everything is removed first.
    private func isEnabled() async -> Bool {
        guard !isHealthy.load(ordering: .acquiring) else { return true }
        guard !health.withLock(\.isEnabled) else { return true }
        guard let failures = health.withLock({ $0.beginRemoval() }) else { return false }
        do {
            try await store.removeAll()
            update { $0.endRemoval(failures, succeeded: true) }
            succeed(.write)
        } catch {
            update { $0.endRemoval(failures, succeeded: false) }
            fail(.write, error)
        }
        return health.withLock(\.isEnabled)
    }

    // MARK: Health

    @discardableResult
    private func writing<Value>(_ operation: () async throws -> Value) async -> Value? {
        do {
            return try await operation()
        } catch {
            fail(.write, error)
            return nil
        }
    }

    private func succeed(_ action: HTTPCacheReport.StoreAction) {
        guard !isHealthy.load(ordering: .acquiring) else { return }
        let now = now()
        if update({ $0.succeed(action, at: now) }) { report(.storeWorks(action)) }
    }

    private func fail(_ action: HTTPCacheReport.StoreAction, _ error: any Error) {
        // Neither a cancelled task nor a removal by others says anything about the store.
        guard !(error is CancellationError), (error as? any HTTPCacheRemovalError)?.isRemoval != true else { return }
        let now = now()
        if update({ $0.fail(action, at: now) }) { report(.storeFailed(action, underlying: error)) }
    }

    private func update<Value: Sendable>(_ change: (inout StoreHealth) -> Value) -> Value {
        health.withLock { health in
            defer { isHealthy.store(health.isHealthy, ordering: .releasing) }
            return change(&health)
        }
    }
}

extension StoredResponse {
    /// The response without fields that hold secrets; nil if it was selected by one.
    fileprivate func without(_ secrets: Set<HTTPField.Name>) -> StoredResponse? {
        let isSelectedBySecret = selection.values.contains { selector in
            selector.value != nil && HTTPField.Name(selector.name).map(secrets.contains) ?? true
        }
        guard !isSelectedBySecret else { return nil }
        guard response.headerFields.contains(where: { secrets.contains($0.name) }) else { return self }
        var head = response
        for name in secrets { head.headerFields[name] = nil }
        return replacing(response: head)
    }
}
