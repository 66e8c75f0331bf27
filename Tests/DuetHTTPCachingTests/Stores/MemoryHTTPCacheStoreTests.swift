import DuetHTTPCaching
import DuetTesting
import Testing

struct MemoryHTTPCacheStoreTests {
    @Test(arguments: HTTPCacheStoreContract.allCases)
    func `it keeps the contract of HTTP cache stores`(clause: HTTPCacheStoreContract) async throws {
        try await clause.verify { MemoryHTTPCacheStore(capacity: $0) }
    }

    @Test(arguments: WrongHTTPCacheStore.Fault.allCases)
    func `the contract finds a store that does one thing wrong`(fault: WrongHTTPCacheStore.Fault) async throws {
        var found: [HTTPCacheStoreContract] = []
        for clause in HTTPCacheStoreContract.allCases {
            do {
                try await clause.verify { WrongHTTPCacheStore(fault: fault, store: MemoryHTTPCacheStore(capacity: $0)) }
            } catch is ContractViolation {
                found.append(clause)
            }
        }
        #expect(!found.isEmpty)
        #expect(found.count < 8, "what is wrong has its own clauses, and the others hold: \(found)")
    }
}
