import DuetContracts
import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

struct InMemoryHTTPCacheStoreTests {
    @Test(arguments: HTTPCacheStoreContract.allCases)
    func `it meets the contract of HTTP cache stores`(clause: HTTPCacheStoreContract) async throws {
        try await clause.verify { InMemoryHTTPCacheStore(capacity: $0) }
    }

    @Test(arguments: WrongHTTPCacheStore.Fault.allCases)
    func `the contract detects a store with one fault`(fault: WrongHTTPCacheStore.Fault) async throws {
        var found: [HTTPCacheStoreContract] = []
        for clause in HTTPCacheStoreContract.allCases {
            do {
                try await clause.verify {
                    WrongHTTPCacheStore(fault: fault, store: InMemoryHTTPCacheStore(capacity: $0))
                }
            } catch is ContractViolation {
                found.append(clause)
            }
        }
        #expect(!found.isEmpty)
        #expect(found.count < 10, "what is wrong has its own clauses, and the others hold: \(found)")
    }

    @Test(arguments: WrongHTTPCacheStore.Fault.allCases)
    func `a violation names the method to fix, and has a readable description`(fault: WrongHTTPCacheStore.Fault)
        async throws
    {
        for clause in HTTPCacheStoreContract.allCases {
            do {
                try await clause.verify {
                    WrongHTTPCacheStore(fault: fault, store: InMemoryHTTPCacheStore(capacity: $0))
                }
            } catch let violation as ContractViolation {
                #expect(!violation.description.contains("Optional("))
            }
        }
        let fault = WrongHTTPCacheStore.Fault.announcesWholeBodies
        let violation = await #expect(throws: ContractViolation.self) {
            try await HTTPCacheStoreContract.`any range of a body can be read`.verify {
                WrongHTTPCacheStore(fault: fault, store: InMemoryHTTPCacheStore(capacity: $0))
            }
        }
        #expect(violation?.description.contains("HTTPBody.size of body(of: ") == true)
    }

    @Test func `a store may count heads by their encoded size`() async throws {
        try await HTTPCacheStoreContract.`the size is that of what is there`.verify {
            EncodingHTTPCacheStore(store: InMemoryHTTPCacheStore(capacity: $0))
        }
    }

    @Test func `responses being written take at most half of the capacity`() async throws {
        let store = InMemoryHTTPCacheStore(capacity: 400_000)
        let subject = HTTPCacheStoreSubject(store)
        for number in 1...4 { try await subject.insert(number, Data(repeating: 0, count: 95_000)) }
        let piece = Data(repeating: 0, count: 90_000)
        let writers = (5...7).map { store.writer(for: HTTPCacheStoreSubject.key($0)) }
        var hasRoom: [Bool] = []
        for writer in writers { hasRoom.append(try await writer.append(piece)) }
        #expect(hasRoom == [true, true, false])
        let left = (1...4).filter { !store.entries(for: HTTPCacheStoreSubject.key($0)).isEmpty }
        #expect(left == [3, 4], "two went for what is being written, and none for the third")
        let head = HTTPCacheStoreSubject.head(7, length: piece.count)
        #expect(try await writers[2].commit(head, replacing: []) == nil)
        await writers[1].discard()
        let last = store.writer(for: HTTPCacheStoreSubject.key(8))
        try await last.append(piece)
        #expect(try await writers[0].commit(head, replacing: []) != nil)
        #expect(try await last.commit(head, replacing: []) != nil)
        #expect(store.size() > 360_000)
    }

    @Test func `a released writer returns its room`() async throws {
        let store = InMemoryHTTPCacheStore(capacity: 400_000)
        for _ in 1...3 { try await store.writer(for: HTTPCacheKey(uri: "a")).append(Data(repeating: 0, count: 90_000)) }
        let scene = Scene(in: store) { _ in
            .init(200, ["Cache-Control: max-age=60"], String(repeating: "x", count: 90_000))
        }
        _ = try await scene.send()
        #expect(try await scene.send().isHit)
    }

    @Test func `an announced length reaches the store before the body`() async throws {
        let store = InMemoryHTTPCacheStore(capacity: 400_000)
        let small = String(repeating: "x", count: 30_000)
        let held = HeldBody(size: 150_000)
        let scene = Scene(in: store) { sent in
            guard sent.request.path == "/large" else { return .init(200, ["Cache-Control: max-age=60"], small) }
            return .init(200, ["Cache-Control: max-age=60", "Content-Length: 150000"], held.body)
        }
        for number in 1...12 { _ = try await scene.send(ask("/\(number)")) }
        let size = store.size()

        let (_, body) = try await scene.client.send(ask("/large"))
        var pieces = body.makeAsyncIterator()
        for _ in 1...2 {
            held.send(Data(repeating: 0, count: 60_000))
            _ = try await pieces.next()
        }

        #expect(store.size() == size)
        for number in 1...12 { #expect(try await scene.send(ask("/\(number)")).isHit) }
    }

    @Test func `the head of a large body is stored for HEAD`() async throws {
        let scene = Scene(in: InMemoryHTTPCacheStore(capacity: 400_000)) { _ in
            .init(200, ["Cache-Control: max-age=60", "Content-Length: 1000000"])
        }
        _ = try await scene.send(ask("/a", [], .head))
        #expect(try await scene.send(ask("/a", [], .head)).isHit)
    }
}
