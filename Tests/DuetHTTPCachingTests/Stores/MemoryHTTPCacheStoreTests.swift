import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
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

    @Test(arguments: WrongHTTPCacheStore.Fault.allCases)
    func `a violation names what is to be mended, and reads like text`(fault: WrongHTTPCacheStore.Fault) async throws {
        for clause in HTTPCacheStoreContract.allCases {
            do {
                try await clause.verify { WrongHTTPCacheStore(fault: fault, store: MemoryHTTPCacheStore(capacity: $0)) }
            } catch let violation as ContractViolation {
                #expect(!violation.description.contains("Optional("))
            }
        }
        let fault = WrongHTTPCacheStore.Fault.announcesWholeBodies
        let violation = await #expect(throws: ContractViolation.self) {
            try await HTTPCacheStoreContract.`any range of a body can be read`.verify {
                WrongHTTPCacheStore(fault: fault, store: MemoryHTTPCacheStore(capacity: $0))
            }
        }
        #expect(violation?.description.contains("HTTPBody.size of body(of: ") == true)
    }

    @Test func `a store may count heads as it encodes them`() async throws {
        try await HTTPCacheStoreContract.`the size is that of what is there`.verify {
            EncodingHTTPCacheStore(store: MemoryHTTPCacheStore(capacity: $0))
        }
    }

    @Test func `what is being written takes room, and no more than there is`() async throws {
        let store = MemoryHTTPCacheStore(capacity: 100_000)
        let scene = Scene(in: store) { _ in
            .init(200, ["Cache-Control: max-age=60"], String(repeating: "x", count: 30_000))
        }
        _ = try await scene.send()
        let key = HTTPCacheKey(uri: "https://origin.example/a")
        let stored = try #require(store.entries(for: key).first).response
        let piece = Data(repeating: 0, count: 40_000)
        let writers = (1...3).map { store.writer(for: HTTPCacheKey(uri: "\($0)")) }
        try await writers[0].append(piece)
        #expect(store.entries(for: key).count == 1)
        try await writers[1].append(piece)
        #expect(store.entries(for: key).isEmpty, "it went for what is being written")
        try await writers[2].append(piece)
        #expect(try await writers[2].commit(stored, replacing: []) == nil)
        await writers[1].discard()
        let last = store.writer(for: key)
        try await last.append(piece)
        #expect(try await writers[0].commit(stored, replacing: []) != nil)
        #expect(try await last.commit(stored, replacing: []) != nil)
        #expect(store.size() > 80_000)
    }

    @Test func `a writer that is let go of gives its room back`() async throws {
        let store = MemoryHTTPCacheStore(capacity: 100_000)
        for _ in 1...3 { try await store.writer(for: HTTPCacheKey(uri: "a")).append(Data(repeating: 0, count: 60_000)) }
        let scene = Scene(in: store) { _ in
            .init(200, ["Cache-Control: max-age=60"], String(repeating: "x", count: 60_000))
        }
        _ = try await scene.send()
        #expect(try await scene.send().isHit)
    }
}
