import DuetCaching
import Foundation

/// A store whose operations are interrupted by other tasks, and fail sometimes.
struct InterruptedStore: CacheStore {
    let base = InMemoryCacheStore()
    let isFailing: @Sendable () -> Bool

    private func interrupted<Value: Sendable>(_ operation: () async throws -> Value) async throws -> Value {
        await RandomExecutor.pause()
        if isFailing() { throw Failed() }
        let value = try await operation()
        await RandomExecutor.pause()
        return value
    }

    func value(for key: CacheKey) async throws -> StoredValue? { try await interrupted { await base.value(for: key) } }

    func insert(_ value: StoredValue, for key: CacheKey) async throws {
        try await interrupted { await base.insert(value, for: key) }
    }

    func stamp(for writer: UUID) async throws -> Int64 { try await interrupted { await base.stamp(for: writer) } }

    func markStale(_ values: StoredValues, by writer: UUID) async throws {
        try await interrupted { await base.markStale(values, by: writer) }
    }

    func updateStale(
        query name: String,
        _ change: @escaping @Sendable (_ key: CacheKey, _ bytes: Data) -> Data?
    ) async throws {
        try await interrupted { await base.updateStale(query: name, change) }
    }

    func remove(_ keys: [CacheKey]) async throws { try await interrupted { await base.remove(keys) } }

    func removeExpired(at date: Date) async throws { try await interrupted { await base.removeExpired(at: date) } }

    func removeAll() async throws { try await interrupted { await base.removeAll() } }
}
