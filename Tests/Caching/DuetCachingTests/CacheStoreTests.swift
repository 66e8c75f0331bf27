import DuetCaching
import DuetContracts
import DuetTesting
import Foundation
import Testing

@Suite struct CacheStoreTests {
    private struct Fault: Error {}

    private let store = FaultyCacheStore()
    private var subject: CacheStoreSubject { CacheStoreSubject(store) }

    @Test(arguments: CacheStoreContract.allCases)
    func `the store in memory keeps the contract of cache stores`(clause: CacheStoreContract) async throws {
        try await clause.verify(isDurable: false) { InMemoryCacheStore() }
    }

    @Test(arguments: CacheStoreContract.allCases)
    func `without faults, a faulty store keeps the contract`(clause: CacheStoreContract) async throws {
        let base = InMemoryCacheStore()
        try await clause.verify { FaultyCacheStore(base) }
    }

    @Test(arguments: CacheStoreContract.allCases)
    func `each clause detects a store that keeps nothing or fails`(clause: CacheStoreContract) async throws {
        await #expect(throws: (any Error).self) {
            try await clause.verify {
                let store = FaultyCacheStore()
                store.inject(.failure(Fault()), from: 1)
                return store
            }
        }
    }

    @Test(arguments: WrongCacheStore.Fault.allCases)
    func `a clause detects a store that treats marks or stamps in a wrong way`(fault: WrongCacheStore.Fault)
        async throws
    {
        var isDetected = false
        for clause in CacheStoreContract.allCases {
            do {
                try await clause.verify(isDurable: false) { WrongCacheStore(fault: fault) }
            } catch is ContractViolation {
                isDetected = true
            }
        }
        #expect(isDetected)
    }

    @Test func `a fault affects only the call of its number`() async throws {
        store.inject(.failure(Fault()), into: .insert, at: 2)
        store.inject(.failure(Fault()), at: 5)
        var results: [Bool] = []
        for number in 1...4 { results.append((try? await subject.insert(number)) != nil) }
        results.append((try? await store.stamp(for: CacheStoreSubject.value(1).writer)) != nil)
        results.append((try? await subject.markStale(.tag(""))) != nil)

        #expect(results == [true, false, true, true, false, true])
        try await subject.expect(numbers: [1, 3, 4], of: 1...4)
        #expect(store.calls.prefix(6) == [.insert, .insert, .insert, .insert, .stamp, .markStale])
        #expect(store.callCount(of: .value) == 4)
    }

    @Test func `a repeated fault ends when the store heals`() async throws {
        store.inject(.failure(Fault()), from: 2)
        try await subject.insert(1)
        for number in 2...3 { await #expect(throws: Fault.self) { try await subject.insert(number) } }
        store.heal()
        try await subject.insert(4)
        try await subject.expect(numbers: [1, 4], of: 1...4)
    }

    @Test func `a delayed call waits until its gate is open`() async throws {
        let gate = Gate()
        store.inject(.delay(gate), into: .insert)
        async let inserted = subject.insert(1)
        await gate.arrivals(1)
        try await subject.expect(nil, for: CacheStoreSubject.key(1))
        gate.open()
        let value = try await inserted
        try await subject.expect(value, for: CacheStoreSubject.key(1))
    }

    @Test func `a hanging call ends when the store heals or its task is canceled`() async throws {
        store.inject(.hang, from: 1)
        let canceled = Task { try await subject.insert(1) }
        let healed = Task { try await subject.insert(2) }
        await store.calls(2)
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }
        store.heal()
        _ = try await healed.value
        try await subject.expect(numbers: [2], of: 1...2)
    }

    @Test func `bytes can be cut short or swapped, when they are stored or when they are read`() async throws {
        let value = try await subject.insert(1, count: 100)
        store.inject(.truncation(to: 99), into: .value)
        #expect(try await store.value(for: CacheStoreSubject.key(1))?.bytes == value.bytes.prefix(99))
        try await subject.expect(value, for: CacheStoreSubject.key(1))

        store.inject(.swap(Data("other".utf8)), into: .insert)
        try await subject.insert(1, count: 100)
        #expect(try await store.value(for: CacheStoreSubject.key(1))?.bytes == Data("other".utf8))
        #expect(try await store.value(for: CacheStoreSubject.key(1))?.loaded == value.loaded)
    }
}

/// A store with one fault.
struct WrongCacheStore: CacheStore {
    enum Fault: CaseIterable {
        case removesKeptValues, ignoresMarks, forgetsMarks, ignoresStamps, countsOwnMarks, keepsStamp, asksForSomeKeys
        case ignoresRemovals, changesFreshValues, changesOneVersion, forgetsTheMark
    }

    let fault: Fault
    private let base = InMemoryCacheStore()

    init(fault: Fault) {
        self.fault = fault
    }

    func value(for key: CacheKey) async throws -> StoredValue? {
        let value = await base.value(for: key)
        return fault == .forgetsMarks ? value?.with(isStale: false) : value
    }

    func insert(_ value: StoredValue, for key: CacheKey) async throws {
        switch fault {
        case .removesKeptValues: await base.insert(value.with(isKept: false), for: key)
        case .ignoresStamps: await base.insert(value.with(stamp: .some(nil)), for: key)
        case .ignoresRemovals:
            let stamp = await base.stamp(for: value.writer)
            let isOld = value.stamp.map { $0 != stamp } ?? false
            await base.insert(value.with(isStale: value.isStale || isOld, stamp: .some(nil)), for: key)
        default: await base.insert(value, for: key)
        }
    }

    func stamp(for writer: UUID) async throws -> Int64 {
        switch fault {
        case .countsOwnMarks: await base.stamp(for: UUID())
        case .keepsStamp: 0
        default: await base.stamp(for: writer)
        }
    }

    func markStale(_ values: StoredValues, by writer: UUID) async throws {
        switch (fault, values) {
        case (.ignoresMarks, _): await base.markStale(.keys([]), by: writer)
        case (.asksForSomeKeys, .query(let name, let condition)):
            await base.markStale(.query(name: name) { $0.scope == nil && condition($0) }, by: writer)
        default: await base.markStale(values, by: writer)
        }
    }

    func updateStale(
        query name: String,
        _ change: @escaping @Sendable (_ key: CacheKey, _ bytes: Data) -> Data?
    ) async throws {
        await base.updateStale(query: name) { fault == .changesOneVersion && $0.version != 1 ? nil : change($0, $1) }
        let key = CacheStoreSubject.key(fault == .changesFreshValues ? 3 : 1)
        guard fault == .changesFreshValues || fault == .forgetsTheMark, let value = await base.value(for: key) else {
            return
        }
        await base.insert(value.with(bytes: change(key, value.bytes), isStale: false), for: key)
    }

    func remove(_ keys: [CacheKey]) async throws { await base.remove(keys) }

    func removeExpired(at date: Date) async throws { await base.removeExpired(at: date) }

    func removeAll() async throws { await base.removeAll() }
}

extension StoredValue {
    fileprivate func with(
        bytes: Data? = nil,
        isKept: Bool? = nil,
        isStale: Bool? = nil,
        stamp: Int64?? = nil
    ) -> StoredValue {
        StoredValue(
            bytes: bytes ?? self.bytes,
            loaded: loaded,
            usableUntil: usableUntil,
            tags: tags,
            writer: writer,
            epoch: epoch,
            isKeptWhenStale: isKept ?? isKeptWhenStale,
            isStale: isStale ?? self.isStale,
            stamp: stamp ?? self.stamp
        )
    }
}
