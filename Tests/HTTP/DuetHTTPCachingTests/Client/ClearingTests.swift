import Duet
import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ClearingTests {
    static let cacheable = ["Cache-Control: max-age=60"]

    @Test(arguments: [true, false])
    func `an arriving response is not stored after clearing`(isOfOne: Bool) async throws {
        let held = HeldBody()
        let store = InMemoryHTTPCacheStore()
        let scene = Scene(in: store) { sent in
            sent.number == 2 ? .init(200, Self.cacheable, held.body) : .init(200, Self.cacheable, "\(sent.number)")
        }
        _ = try await scene.send(ask("/b"))
        let early = Task.startingHere { try await scene.send() }
        try await held.begun.pass()
        if isOfOne { try await scene.client.removeAll(answering: ask()) } else { try await scene.client.removeAll() }
        held.send("secret")
        held.end()
        #expect(try await early.value.body == "secret")
        #expect(store.responses(for: HTTPCacheKey(uri: "https://origin.example/a")).isEmpty)
        #expect(try await scene.send(ask("/b")).isHit == isOfOne)
        // A later request does not wait for it, and the next one is a hit again.
        #expect(try await scene.send().body != "secret")
        #expect(try await scene.send().isHit)
    }

    @Test func `a response that was requested before clearing and sent after it is not stored`() async throws {
        let (insert, find) = (Gate(), Gate())
        insert.open()
        let store = GatedStore(insert: insert, find: find)
        let scene = Scene(in: store) { .init(200, Self.cacheable, "\($0.number)") }
        async let early = scene.send()
        await find.arrivals(1)
        try await scene.client.removeAll()
        find.open()
        #expect(try await early.status?.detail == NotStored.outdated.rawValue)
        #expect(store.log.isEmpty)
        #expect(try await scene.send().body == "2")
        #expect(try await scene.send().isHit)
    }

    @Test func `a removal waits for a response that is being stored`() async throws {
        let gate = Gate()
        let store = GatedStore(insert: gate)
        let scene = Scene(in: store) { .init(200, Self.cacheable, "\($0.number)") }
        async let early = scene.send()
        await gate.arrivals(1)
        let clearing = Task { try await scene.client.removeAll() }
        gate.open()
        _ = try await (early, clearing.value)
        #expect(try await scene.send().isHit == false)
    }

    @Test func `a failed removal of everything throws, and nothing is served`() async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { .init(200, Self.cacheable, "\($0.number)") }
        _ = try await scene.send()
        store.fail(.removeAll)
        await #expect(throws: FaultyStore.DiskFull.self) { try await scene.client.removeAll() }
        #expect(try await scene.send().body == "2")
        #expect(try await scene.send().body == "3")
        store.fail()
        scene.time.pass(60)
        #expect(try await scene.send().body == "4")
        #expect(try await scene.send().isHit)
        #expect(scene.reports.lines == ["write failed", "write works"])
    }
}
