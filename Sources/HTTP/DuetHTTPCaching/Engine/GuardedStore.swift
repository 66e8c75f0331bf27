import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization

/// A store whose failures are reported and fail no request: the cache continues as if nothing were stored.
///
/// An operation that takes too long is abandoned, and the store is not used until it ends. So a store that hangs delays
/// a request once.
final class GuardedStore: Sendable {
    private let store: any HTTPCacheStore
    private let secrets: Set<HTTPField.Name>
    private let timeout: Duration
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date
    private let report: @Sendable (HTTPCacheReport) -> Void
    private let health = Mutex(StoreHealth())
    /// The same as the health's, to be read without a lock: each hit asks.
    private let isHealthy = Atomic(true)
    private let overdue = AbandonedOperations()
    let groups: GroupInvalidations

    init(
        _ store: any HTTPCacheStore,
        _ configuration: CachingHTTPClient.Configuration,
        report: @escaping @Sendable (HTTPCacheReport) -> Void
    ) {
        self.store = store
        secrets = store.isDurable && !configuration.storesSecretsDurably ? configuration.allSecrets : []
        timeout = configuration.storeTimeout
        clock = configuration.clock
        now = configuration.now
        groups = GroupInvalidations(at: now())
        self.report = report
    }

    // MARK: Reading and writing

    func responses(for key: HTTPCacheKey) async -> [StoredResponse] {
        guard await isEnabled() else { return [] }
        do {
            let responses = try await perform { try await $0.responses(for: key) }
            succeed(.read)
            // A damaged one would end within the next response on its connection.
            let whole = responses.allSatisfy(\.isWhole) ? responses : responses.filter(\.isWhole)
            return whole.contains { $0.fields.groups != nil } ? whole.map { groups.checked($0, of: key.uri) } : whole
        } catch {
            fail(.read, error)
            return []
        }
    }

    /// Whether the response is stored.
    ///
    /// An abandoned operation may still store the response after a newer one has been served, so it disables the store.
    func insert(
        _ response: StoredResponse,
        for key: HTTPCacheKey,
        replacing ids: [StoredResponse.ID]
    ) async -> Bool {
        guard await isEnabled() else { return false }
        do {
            let isStored = try await perform { try await $0.insert(response, for: key, replacing: ids) }
            if isStored { succeed(.write) }
            return isStored
        } catch {
            if (error as? OverdueStore)?.hasBegun == true { update { $0.failedRemovals += 1 } }
            fail(.write, error)
            return false
        }
    }

    /// The response as the store may have it; nil if it may not have it.
    func storable(_ response: StoredResponse) -> StoredResponse? {
        secrets.isEmpty ? response : response.without(secrets)
    }

    // MARK: Removing

    func remove(_ ids: [StoredResponse.ID], of key: HTTPCacheKey) async {
        guard !ids.isEmpty else { return }
        // In its own task, because invalid responses must be removed even if the caller has left.
        await Task { await remove(.responses(ids, of: key)) }.value
    }

    func remove(_ removal: HTTPCacheRemoval) async {
        try? await removing { try await $0.remove(removal) }
    }

    /// Removes everything, which enables a disabled store.
    ///
    /// - Throws: The store's error. The store is disabled then.
    func removeAll() async throws {
        let failures = health.withLock(\.failedRemovals)
        try await removing { try await $0.removeAll() }
        // Another removal may have failed meanwhile.
        update { if $0.failedRemovals == failures { $0.failedRemovals = 0 } }
    }

    /// Disables the store if it fails.
    private func removing(_ operation: @escaping Operation<Void>) async throws {
        do {
            try await perform(operation)
            succeed(.write)
        } catch {
            update { $0.failedRemovals += 1 }
            fail(.write, error)
            throw error
        }
    }

    /// Whether every removal has succeeded.
    ///
    /// After one that failed, everything is removed first.
    private func isEnabled() async -> Bool {
        guard !isHealthy.load(ordering: .acquiring), !health.withLock(\.isEnabled) else { return true }
        guard health.withLock({ $0.beginRemoval() }) else { return false }
        try? await removeAll()
        update { $0.isRemoving = false }
        return health.withLock(\.isEnabled)
    }

    // MARK: Time

    private typealias Operation<Value> = @Sendable @concurrent (any HTTPCacheStore) async throws -> Value

    /// - Throws: The error of the operation; ``OverdueStore`` if it takes too long, or another one does.
    private func perform<Value: Sendable>(_ operation: @escaping Operation<Value>) async throws -> Value {
        guard store.isDurable else { return try await operation(store) }
        guard overdue.count == 0 else { throw OverdueStore(timeout: timeout, hasBegun: false) }
        let value = try await abandoning(after: timeout, clock: clock, countedBy: overdue) { [store] in
            try await operation(store)
        }
        guard let value else { throw OverdueStore(timeout: timeout) }
        return value
    }

    // MARK: Health

    private func succeed(_ action: HTTPCacheReport.StoreAction) {
        guard !isHealthy.load(ordering: .acquiring) else { return }
        let now = now()
        if update({ $0.succeed(action, at: now) }) { report(.storeWorks(action)) }
    }

    private func fail(_ action: HTTPCacheReport.StoreAction, _ error: any Error) {
        // A canceled task says nothing about the store.
        guard !(error is CancellationError) else { return }
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

/// Whether a store works, and whether it may still hold responses that should have been removed.
private struct StoreHealth {
    /// Seconds without a failure before recovery is reported: a nearly full disk accepts a little now and then.
    private static let quietTime = 60.0

    private var lastFailures: [HTTPCacheReport.StoreAction: Date] = [:]
    /// The number of removals that have failed, and of abandoned insertions, since everything was removed.
    var failedRemovals = 0
    /// Whether everything is being removed to enable the store.
    var isRemoving = false

    var isHealthy: Bool { lastFailures.isEmpty && isEnabled }
    var isEnabled: Bool { failedRemovals == 0 }

    /// Whether the failure is to be reported, as the first one.
    mutating func fail(_ action: HTTPCacheReport.StoreAction, at now: Date) -> Bool {
        lastFailures.updateValue(now, forKey: action) == nil
    }

    /// Whether recovery is to be reported.
    mutating func succeed(_ action: HTTPCacheReport.StoreAction, at now: Date) -> Bool {
        // A clock may have been set back.
        guard let last = lastFailures[action], abs(now.timeIntervalSince(last)) >= Self.quietTime else { return false }
        lastFailures[action] = nil
        return true
    }

    mutating func beginRemoval() -> Bool {
        guard !isRemoving else { return false }
        isRemoving = true
        return true
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

/// A store has not completed an operation in time.
private struct OverdueStore: Error, CustomStringConvertible {
    let timeout: Duration
    /// Whether it is this operation, which goes on, or an earlier one.
    var hasBegun = true

    var description: String { "It takes longer than \(timeout.text) for an operation." }
}
