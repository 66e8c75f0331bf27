import DuetContracts
import DuetHTTPCaching
import Foundation
import Testing

struct InMemoryHTTPCacheStoreTests {
    private typealias Subject = HTTPCacheStoreSubject

    @Test(arguments: HTTPCacheStoreContract.allCases)
    func `it meets the contract of HTTP cache stores`(clause: HTTPCacheStoreContract) async throws {
        try await clause.verify { InMemoryHTTPCacheStore() }
    }

    @Test(arguments: WrongHTTPCacheStore.Fault.allCases)
    func `the contract detects a store with one fault`(fault: WrongHTTPCacheStore.Fault) async throws {
        var found: [HTTPCacheStoreContract] = []
        for clause in HTTPCacheStoreContract.allCases {
            do {
                try await clause.verify { WrongHTTPCacheStore(fault: fault) }
            } catch let violation as ContractViolation {
                #expect(!violation.description.contains("Optional("))
                found.append(clause)
            }
        }
        #expect(!found.isEmpty)
    }

    @Test(arguments: [-1, 0, 1] as [Int64])
    func `the responses that were used longest ago make room, at once`(excess: Int64) async throws {
        let unit = Subject.response(1, Subject.bytes(1, count: 10_000)).size + Subject.key(1).size
        let store = InMemoryHTTPCacheStore(capacity: 5 * unit + excess)
        let subject = Subject(store)
        for number in 1...5 { try await subject.insert(number, Subject.bytes(number, count: 10_000)) }
        // Looking is a use.
        #expect(Self.kept(in: store, of: 1...5) == (excess < 0 ? [2, 3, 4, 5] : [1, 2, 3, 4, 5]))
        _ = store.responses(for: Subject.key(2))
        try await subject.insert(6, Subject.bytes(6, count: 10_000))
        #expect(Self.kept(in: store, of: 1...6) == (excess < 0 ? [2, 4, 5, 6] : [2, 3, 4, 5, 6]))
        #expect(store.size <= 5 * unit + excess)
    }

    @Test func `a response is at most a quarter of the capacity, and what it replaces goes`() async throws {
        let response = Subject.response(1, Subject.bytes(1, count: 10_000))
        let unit = response.size + Subject.key(1).size
        for excess: Int64 in [-1, 0, 1] {
            let store = InMemoryHTTPCacheStore(capacity: 4 * (unit + excess))
            let old = try await Subject(store).insert(1)
            #expect(store.insert(response, for: Subject.key(1), replacing: [old.id]) == (excess >= 0))
            #expect(Self.kept(in: store, of: 1...1) == (excess >= 0 ? [1] : []))
        }
    }

    @Test func `the size is that of what is there`() async throws {
        let store = InMemoryHTTPCacheStore()
        let subject = Subject(store)
        let first = try await subject.insert(1, Data("one".utf8))
        let size = store.size
        let second = try await subject.insert(2, Subject.bytes(2, count: 1_000))
        #expect(store.size == size + second.size + Subject.key(2).size)
        try await subject.insert(2, Data(), replacing: [second])
        store.remove(.uri(Subject.key(2).uri))
        #expect(store.size == size)
        store.remove(.responses([first.id], of: Subject.key(1)))
        #expect(store.size == 0)
    }

    @Test(arguments: [Int64.min, -1, 0, 1])
    func `without capacity nothing is stored`(capacity: Int64) {
        let store = InMemoryHTTPCacheStore(capacity: capacity)
        #expect(!store.insert(Subject.response(1), for: Subject.key(1), replacing: []))
        #expect(store.size == 0)
    }

    private static func kept(in store: InMemoryHTTPCacheStore, of numbers: ClosedRange<Int>) -> [Int] {
        numbers.filter { !store.responses(for: Subject.key($0)).isEmpty }
    }
}
