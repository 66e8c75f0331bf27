import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StoreFaultTests {
    static let cacheable = ["Cache-Control: max-age=60", "ETag: \"1\""]

    @Test(arguments: FaultyStore.Operation.allCases)
    func `a store that fails fails no request, and is reported once`(operation: FaultyStore.Operation) async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { sent in
            sent.field(.ifNoneMatch) == nil ? .init(200, Self.cacheable, "one") : .init(304)
        }
        _ = try await scene.send()
        store.fail(operation)
        for method in [HTTPRequest.Method.get, .get, .delete, .get] {
            scene.time.pass(method == .get ? 40 : 0)
            let answer = try await scene.collect(ask("/a", [], method))
            #expect(answer.code == 200)
            #expect(answer.body == "one")
        }
        let expected: [String] =
            switch operation {
            // None of these requests needs them.
            case .remove, .removePrefix, .removeAll: []
            case .read: ["read failed"]
            case .insert, .removeURI: ["write failed"]
            }
        #expect(scene.reports.lines == expected)
    }

    @Test(arguments: FaultyStore.Operation.allCases)
    func `a store that hangs fails no request, and delays only one, by its timeout`(
        operation: FaultyStore.Operation
    ) async throws {
        let (store, clock) = (FaultyStore(isDurable: true), HangClock())
        let scene = Scene(in: store, configuration: .init(storeTimeout: .seconds(3), clock: clock)) { sent in
            sent.field(.ifNoneMatch) == nil ? .init(200, Self.cacheable, "one") : .init(304)
        }
        _ = try await scene.send()
        store.hang(operation, on: clock)
        for method in [HTTPRequest.Method.get, .get, .delete, .get] {
            scene.time.pass(method == .get ? 40 : 0)
            let answer = try await scene.collect(ask("/a", [], method))
            #expect(answer.code == 200)
            #expect(answer.body == "one")
        }
        // None of these requests needs the others.
        let isUsed = ![.remove, .removePrefix, .removeAll].contains(operation)
        #expect(clock.sleeps == (isUsed ? [.seconds(3)] : []))
        #expect(scene.reports.lines.count <= 2)
        #expect(scene.reports.lines.isEmpty == !isUsed)
        store.release()
    }

    @Test(arguments: [FaultyStore.Operation.removeURI, .insert])
    func `a response that was changed while the store hung is not served afterwards`(
        operation: FaultyStore.Operation
    ) async throws {
        let (store, clock) = (FaultyStore(isDurable: true), HangClock())
        let scene = Scene(in: store, configuration: .init(clock: clock)) { .init(200, Self.cacheable, "\($0.number)") }
        store.hang(operation, on: clock)
        #expect(try await scene.send().body == "1")
        _ = try await scene.send(ask("/a", [], .delete))
        #expect(try await scene.send().body == "3")
        #expect(clock.sleeps == [.seconds(1)])
        store.release()
        // Until the operation has ended, the store is not used.
        while try await !scene.send(ask("/b")).isHit { await Task.yield() }
        let answer = try await scene.send()
        #expect(!answer.isHit)
        #expect(answer.body != "1")
    }

    @Test(arguments: [false, true])
    func `an older response is not served after a newer one that could not be stored`(
        isCollected: Bool
    ) async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { .init(200, Self.cacheable, "\($0.number)") }
        let send = { isCollected ? try await scene.collect($0) : try await scene.send($0) }
        _ = try await send(ask())
        store.fail(.insert)
        #expect(try await send(ask("/a", ["Cache-Control: no-cache"])).body == "2")
        store.fail()
        #expect(try await send(ask()).body == "3")
        #expect(try await send(ask()).isHit)
    }

    @Test func `an older response is not served after a newer one if neither storing nor removing succeeds`()
        async throws
    {
        let store = FaultyStore()
        let scene = Scene(in: store) { .init(200, Self.cacheable, "\($0.number)") }
        _ = try await scene.send()
        store.fail(.insert, .remove, .removeAll)
        #expect(try await scene.send(ask("/a", ["Cache-Control: no-cache"])).body == "2")
        #expect(try await scene.send().body == "3")
        store.fail()
        #expect(try await scene.send().body == "4")
        #expect(try await scene.send().isHit)
    }

    @Test func `a response that is stored late is not served after a newer one`() async throws {
        let (store, clock) = (FaultyStore(isDurable: true), HangClock())
        let scene = Scene(in: store, configuration: .init(clock: clock)) { .init(200, Self.cacheable, "\($0.number)") }
        store.hang(.insert, on: clock)
        #expect(try await scene.send().body == "1")
        #expect(try await scene.send().body == "2")
        store.release()
        // Until the operation has ended, the store is not used.
        while try await !scene.send(ask("/b")).isHit { await Task.yield() }
        let answer = try await scene.send()
        #expect(!answer.isHit)
        #expect(answer.body != "1")
    }

    @Test func `a failure is reported again only after the store has worked`() async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { .init(200, Self.cacheable, "\($0.number)") }
        for _ in 1...2 {
            store.failAll()
            _ = try await scene.send()
            _ = try await scene.send()
            store.fail()
            scene.time.pass(60)
            _ = try await scene.send()
            _ = try await scene.send(ask("/a", [], .delete))
        }
        #expect(Set(scene.reports.lines.prefix(2)) == ["read failed", "write failed"])
        #expect(Set(scene.reports.lines.dropFirst(2).prefix(2)) == ["read works", "write works"])
        #expect(Set(scene.reports.lines.dropFirst(4).prefix(2)) == ["read failed", "write failed"])
        #expect(scene.reports.lines.count == 8)
    }

    @Test func `an intermittent failure is reported once`() async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { .init(200, Self.cacheable, "\($0.number)") }
        for number in 1...9 {
            // On a full disk, too, a small response may still have room.
            if number.isMultiple(of: 2) { store.fail() } else { store.fail(.insert) }
            _ = try await scene.send(ask("/\(number)"))
            scene.time.pass(30)
        }
        #expect(scene.reports.lines == ["write failed"])
    }

    @Test func `a failure that is not retried does not hide the next one`() async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { sent in
            sent.field(.ifNoneMatch) == nil ? .init(200, Self.cacheable, "one") : .init(304)
        }
        _ = try await scene.send()
        scene.time.pass(61)
        store.fail(.insert)
        _ = try await scene.send()
        store.fail()
        scene.time.pass(60)
        _ = try await scene.send(ask("/b"))
        #expect(scene.reports.lines == ["write failed", "write works"])
        store.fail(.insert)
        _ = try await scene.send(ask("/c"))
        #expect(scene.reports.lines == ["write failed", "write works", "write failed"])
    }

    @Test func `a failure that has been resolved does not hide the next one`() async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { sent in
            sent.number == 2 ? .init(200, ["Cache-Control: no-store"], "two") : .init(200, Self.cacheable, "one")
        }
        _ = try await scene.send()
        store.fail(.remove)
        // The new response is not stored, so that the old one has to be removed.
        scene.time.pass(100)
        #expect(try await scene.send().body == "two")
        #expect(scene.reports.lines == ["write failed"])
        store.fail()
        scene.time.pass(60)
        _ = try await scene.send()
        #expect(scene.reports.lines == ["write failed", "write works"])
        store.fail(.insert)
        _ = try await scene.send(ask("/b"))
        #expect(scene.reports.lines == ["write failed", "write works", "write failed"])
    }

    @Test func `a store whose removal failed is not used until everything has been removed`() async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { .init(200, Self.cacheable, "\($0.number)") }
        _ = try await scene.send()
        _ = try await scene.send(ask("/b"))
        store.fail(.removeURI, .removeAll)
        _ = try await scene.send(ask("/a", [], .delete))
        #expect(try await scene.send().body == "4")
        #expect(try await scene.send(ask("/b")).body == "5")
        #expect(scene.reports.lines == ["write failed"])
        // As soon as the store works, everything is removed first.
        store.fail()
        #expect(try await scene.send().body == "6")
        #expect(try await scene.send().isHit)
        #expect(try await scene.send(ask("/b")).body == "7")
    }

    @Test func `an entry that could not be removed in a canceled task is not served`() async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { sent in
            sent.number == 2 ? .init(200, ["Cache-Control: no-store"], "two") : .init(200, Self.cacheable, "one")
        }
        _ = try await scene.send()
        store.fail(.remove, with: CancellationError())
        #expect(try await scene.send(ask("/a", ["Cache-Control: no-cache"])).body == "two")
        store.fail()
        #expect(try await !scene.send().isHit)
        #expect(scene.reports.lines.isEmpty)
    }

    @Test func `a removal that fails during the retry of another one also prevents serving`() async throws {
        let gate = Gate()
        let store = FaultyStore(removing: gate)
        let scene = Scene(in: store) { .init(200, Self.cacheable, "\($0.number)") }
        _ = try await scene.send()
        let key = HTTPCacheKey(uri: "https://origin.example/a")
        let stored = try #require(store.memory.responses(for: key).first)
        store.fail(.removeURI)
        _ = try await scene.send(ask("/a", [], .delete))
        store.fail()
        async let early = scene.send()
        await gate.arrivals(1)
        // Everything has been removed, and the cache does not know yet about the next failure to remove something.
        _ = store.memory.insert(stored, for: key, replacing: [])
        store.fail(.removeURI)
        _ = try await scene.send(ask("/a", [], .delete))
        store.fail()
        gate.open()
        // Its own response is not stored, because the URI was invalidated after the lookup.
        #expect(try await early.body == "4")
        #expect(try await scene.send().body == "5")
        #expect(try await scene.send().isHit)
    }

    @Test func `a durable store receives no secrets`() async throws {
        let store = FaultyStore(isDurable: true)
        let scene = Scene(in: store) { _ in
            .init(200, Self.cacheable + ["Set-Cookie: token=secret", "Content-Type: text/plain"], "one")
        }
        #expect(try await scene.send().response.headerFields[.setCookie] == "token=secret")
        let hit = try await scene.send()
        #expect(hit.isHit)
        #expect(hit.response.headerFields[.setCookie] == nil)
        #expect(hit.response.headerFields[.contentType] == "text/plain")
        scene.time.pass(60)
        _ = try await scene.send()
        #expect(try await scene.send().response.headerFields[.setCookie] == nil)
    }

    @Test(arguments: ["Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "Team-Key"])
    func `a durable store receives no response that was selected by a secret`(name: String) async throws {
        let request = ask("/a", ["\(name): secret"])
        for (isDurable, isAsked, isHit) in [(true, false, false), (true, true, true), (false, false, true)] {
            var configuration = CachingHTTPClient.Configuration()
            configuration.storesSecretsDurably = isAsked
            configuration.secrets = [try #require(HTTPField.Name("Team-Key"))]
            let store = FaultyStore(isDurable: isDurable)
            let scene = Scene(in: store, configuration: configuration) { _ in
                .init(200, Self.cacheable + ["Vary: \(name)", "Set-Cookie: a=b"], "one")
            }
            _ = try await scene.send(request)
            let second = try await scene.send(request)
            #expect(second.isHit == isHit)
            #expect(second.response.headerFields[.setCookie] == "a=b")
        }
    }
}
