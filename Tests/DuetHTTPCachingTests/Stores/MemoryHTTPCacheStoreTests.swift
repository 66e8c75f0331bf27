import DuetHTTPCaching
import DuetTesting
import Testing

struct MemoryHTTPCacheStoreTests {
    @Test(arguments: HTTPCacheStoreContract.allCases)
    func `it keeps the contract of HTTP cache stores`(clause: HTTPCacheStoreContract) async throws {
        try await clause.verify { MemoryHTTPCacheStore(capacity: $0) }
    }
}
