import Duet
import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SharingTests {
    static let cacheable = ["Cache-Control: max-age=60"]

    @Test(arguments: Way.allCases)
    func `who asks for the same at the same time shares one fetch`(way: Way) async throws {
        let gate = Gate()
        let scene = Scene { sent in
            try await gate.pass()
            return .init(200, Self.cacheable, "\(sent.number)")
        }
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 1...50 { group.addTask { try await way.ask(scene, ask()) } }
            await gate.arrivals(1)
            gate.open()
            for try await answer in group { #expect(answer.body == "1") }
        }
        #expect(scene.origin.count == 1)
    }

    @Test(arguments: Way.allCases)
    func `an answer that is for one alone leaves the others to ask for themselves`(way: Way) async throws {
        let gate = Gate()
        let scene = Scene { sent in
            if sent.number == 1 { try await gate.pass() }
            return .init(200, ["Cache-Control: no-store"], "\(sent.number)")
        }
        let bodies = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 1...20 { group.addTask { try await way.ask(scene, ask()) } }
            await gate.arrivals(1)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1.body) }
        }
        #expect(Set(bodies) == Set((1...20).map { "\($0)" }))
    }

    @Test(arguments: [
        ["Cache-Control: no-store"], ["Cache-Control: no-cache", "ETag: \"1\""], ["Expires: 0", "ETag: \"1\""],
    ])
    func `where answers are for one alone, nobody waits for another's a second time`(lines: [String]) async throws {
        let gate = Gate()
        let scene = Scene { sent in
            if sent.number == 2 { try await gate.pass() }
            return .init(200, sent.number < 4 ? lines : Self.cacheable, "\(sent.number)")
        }
        _ = try await scene.send()
        async let second = scene.send()
        await gate.arrivals(1)
        #expect(try await scene.send().body == "3")
        gate.open()
        #expect(try await second.body == "2")
        // What can be stored is shared again.
        #expect(try await scene.send().body == "4")
        #expect(try await scene.send().isHit)
    }

    @Test func `what became cacheable is waited for again`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            if sent.number == 3 { try await gate.pass() }
            return .init(200, sent.number == 1 ? ["Cache-Control: no-store"] : Self.cacheable, "\(sent.number)")
        }
        for _ in 1...2 { _ = try await scene.send() }
        scene.time.pass(60)
        async let first = scene.send()
        await gate.arrivals(1)
        let other = Task.startingHere { try await scene.send() }
        gate.open()
        #expect(try await (first.body, other.value.body) == ("3", "3"))
        #expect(scene.origin.count == 3)
    }

    @Test func `a fetch that fails leaves the others to ask for themselves`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            guard sent.number == 1 else { return .init(200, Self.cacheable, "\(sent.number)") }
            try await gate.pass()
            throw HTTPClientError.unplugged
        }
        let failures = await withTaskGroup(of: Bool.self) { group in
            for _ in 1...20 { group.addTask { (try? await scene.send()) == nil } }
            await gate.arrivals(1)
            gate.open()
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 1)
        // One of them asks for the others.
        #expect(scene.origin.count == 2)
    }

    @Test func `the limits of those who were first are not those of who waits`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            guard sent.number <= 2 else { return .init(200, Self.cacheable, "\(sent.number)") }
            try await gate.pass()
            throw HTTPClientError.deadlineExceeded(url: "https://origin.example", after: .seconds(1))
        }
        async let first = scene.send()
        await gate.arrivals(1)
        // They have joined when there is a task of each, because nothing makes them wait before.
        let others = (1...2).map { _ in Task.startingHere { try await scene.send() } }
        gate.open()
        let answers = [try? await first, try? await others[0].value, try? await others[1].value]
        #expect(answers.compactMap { $0?.body } == ["3"])
    }

    @Test func `who was first may go without the others losing anything`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            try await gate.pass()
            return .init(200, Self.cacheable, "one")
        }
        let first = Task { try await scene.send() }
        await gate.arrivals(1)
        let second = Task.startingHere { try await scene.send() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(try await second.value.body == "one")
        #expect(scene.origin.count == 1)
    }

    @Test func `with the last who waits the fetch is given up`() async throws {
        let gate = Gate()
        let given = Gate()
        let scene = Scene { sent in
            do {
                try await gate.pass()
            } catch {
                given.open()
                throw error
            }
            return .init(200, Self.cacheable, "one")
        }
        let alone = Task { try await scene.send() }
        await gate.arrivals(1)
        alone.cancel()
        try await given.pass()
        await #expect(throws: CancellationError.self) { try await alone.value }
    }

    @Test func `who comes while the body comes begins at its beginning`() async throws {
        let held = HeldBody(size: 6)
        let scene = Scene { _ in .init(200, Self.cacheable + ["Content-Length: 6"], held.body) }
        let (_, early) = try await scene.client.send(ask(), body: nil)
        held.send("abc")
        var reader = early.makeAsyncIterator()
        #expect(try await reader.next() == "abc".data)
        let (response, late) = try await scene.client.send(ask(), body: nil)
        #expect(response.cacheStatus == CacheStatus(forward: .uriMiss, ttl: 60, stored: true, collapsed: true))
        held.send("def")
        held.end()
        // The other one, who reads nothing meanwhile, does not hold it up.
        #expect(try await late.text() == "abcdef")
        #expect(try await reader.next() == "def".data)
        #expect(try await reader.next() == nil)
        #expect(scene.origin.count == 1)
    }

    @Test func `readers come and go, and with the last one the source is let go`() async throws {
        let held = HeldBody()
        let scene = Scene { _ in .init(200, Self.cacheable, held.body) }
        let (_, body) = try await scene.client.send(ask(), body: nil)
        held.send("a")
        #expect(try await scene.first() == "a")
        #expect(try await scene.first() == "a")
        held.send("b")
        do {
            var reader = body.makeAsyncIterator()
            #expect(try await reader.next() == "a".data)
            #expect(try await reader.next() == "b".data)
        }
        try await held.released.pass()
        #expect(scene.origin.count == 1)
    }

    @Test func `one's own limit is not that of the others`() async throws {
        let held = HeldBody()
        let scene = Scene { _ in .init(200, Self.cacheable, held.body) }
        var options = HTTPRequestOptions()
        options.maximumBodySize = 3
        let (_, limited) = try await options.use { try await scene.client.send(ask(), body: nil) }
        let (_, other) = try await scene.client.send(ask(), body: nil)
        held.send("abcdef")
        held.end()
        await #expect(throws: HTTPClientError.self) { try await limited.text() }
        #expect(try await other.text() == "abcdef")
    }

    @Test func `who is cancelled while reading does not end it for the others`() async throws {
        let held = HeldBody()
        let scene = Scene { _ in .init(200, Self.cacheable, held.body) }
        let (_, body) = try await scene.client.send(ask(), body: nil)
        let (_, other) = try await scene.client.send(ask(), body: nil)
        let reading = Task { try await other.text() }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        held.send("abc")
        held.end()
        #expect(try await body.text() == "abc")
    }

    @Test(arguments: [(9, true), (10, true), (11, false)])
    func `what is longer than the limit is joined by nobody`(length: Int, isShared: Bool) async throws {
        var configuration = CachingHTTPClient.Configuration()
        configuration.sharedBodyLimit = 10
        let held = HeldBody()
        let scene = Scene(configuration: configuration) { sent in
            sent.number == 1 ? .init(200, Self.cacheable, held.body) : .init(200, Self.cacheable, "other")
        }
        let (_, body) = try await scene.client.send(ask(), body: nil)
        held.send(String(repeating: "x", count: length))
        var reader = body.makeAsyncIterator()
        _ = try await reader.next()
        let (response, _) = try await scene.client.send(ask(), body: nil)
        #expect(response.cacheStatus?.collapsed == isShared)
        #expect(scene.origin.count == (isShared ? 1 : 2))
    }

    @Test(arguments: [11, 12, 13])
    func `a body about as long as the limit is read to its end`(limit: Int) async throws {
        var configuration = CachingHTTPClient.Configuration()
        configuration.sharedBodyLimit = limit
        let held = HeldBody()
        for piece in ["aaaa", "bbbb", "cccc", "dddd"] { held.send(piece) }
        held.end()
        let scene = Scene(configuration: configuration) { _ in .init(200, Self.cacheable, held.body) }
        #expect(try await scene.stream().body == "aaaabbbbccccdddd")
    }

    @Test func `who reads slowly does not hold up the others, and reads on from the store`() async throws {
        let held = HeldBody()
        let scene = Scene(configuration: .init(sharedBodyLimit: 12)) { _ in .init(200, Self.cacheable, held.body) }
        let (_, slow) = try await scene.client.send(ask(), body: nil)
        let (_, fast) = try await scene.client.send(ask(), body: nil)
        held.send("aaaa")
        var reader = slow.makeAsyncIterator()
        #expect(try await reader.next() == "aaaa".data)
        for piece in ["bbbb", "cccc", "dddd", "eeee", "ffff"] { held.send(piece) }
        held.end()
        #expect(try await fast.text() == "aaaabbbbccccddddeeeeffff")
        var rest = Data()
        while let piece = try await reader.next() { rest += piece }
        #expect(rest == "bbbbccccddddeeeeffff".data)
        #expect(scene.origin.count == 1)
    }

    @Test func `who is left behind waits until all is stored, and asks for nothing meanwhile`() async throws {
        let held = HeldBody()
        let scene = Scene(configuration: .init(sharedBodyLimit: 12)) { _ in .init(200, Self.cacheable, held.body) }
        let (_, slow) = try await scene.client.send(ask(), body: nil)
        let (_, left) = try await scene.client.send(ask(), body: nil)
        let (_, fast) = try await scene.client.send(ask(), body: nil)
        for piece in ["aaaa", "bbbb", "cccc", "dddd", "eeee"] { held.send(piece) }
        var reader = fast.makeAsyncIterator()
        for _ in 1...5 { _ = try await reader.next() }
        async let late = slow.text()
        let cancelled = Task { try await left.text() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        held.send("ffff")
        held.end()
        while try await reader.next() != nil {}
        #expect(try await late == "aaaabbbbccccddddeeeeffff")
    }

    @Test func `what is neither held nor stored as a whole is fetched by each`() async throws {
        let text = String(repeating: "abcdefghij", count: 20)
        let scene = Scene(in: InMemoryHTTPCacheStore(capacity: 400), configuration: .init(sharedBodyLimit: 12)) { _ in
            let held = HeldBody(size: 200)
            for _ in 1...20 { held.send("abcdefghij") }
            held.end()
            return .init(200, Self.cacheable, held.body)
        }
        let (_, slow) = try await scene.client.send(ask(), body: nil)
        #expect(try await scene.stream().body == text)
        #expect(try await slow.text() == text)
        #expect(scene.origin.count == 2)
    }

    @Test func `who is left behind by an answer that is not stored is told what to do`() async throws {
        let held = HeldBody()
        let scene = Scene(in: InMemoryHTTPCacheStore(capacity: 0), configuration: .init(sharedBodyLimit: 12)) { _ in
            .init(200, Self.cacheable, held.body)
        }
        let (_, slow) = try await scene.client.send(ask(), body: nil)
        let (_, fast) = try await scene.client.send(ask(), body: nil)
        held.send("aaaa")
        var reader = slow.makeAsyncIterator()
        #expect(try await reader.next() == "aaaa".data)
        for piece in ["bbbb", "cccc", "dddd", "eeee", "ffff"] { held.send(piece) }
        held.end()
        #expect(try await fast.text() == "aaaabbbbccccddddeeeeffff")
        let error = await #expect(throws: HTTPCacheError.self) { try await reader.next() }
        #expect(error == .leftBehind(url: "https://origin.example/a", limit: 12))
        #expect(error?.description.contains("Read it faster, or raise configuration.sharedBodyLimit.") == true)
    }

    @Test(arguments: [
        ["Cache-Control: no-cache"], ["Range: bytes=0-1"], ["If-None-Match: \"1\""],
        ["If-Modified-Since: Mon, 07 Aug 2023 07:00:00 GMT"],
    ])
    func `what one asks for itself is not shared`(lines: [String]) async throws {
        let held = HeldBody()
        let scene = Scene { sent in
            sent.number == 1 ? .init(200, Self.cacheable, held.body) : .init(200, Self.cacheable, "own")
        }
        let (_, body) = try await scene.client.send(ask(), body: nil)
        #expect(try await scene.stream(ask("/a", lines)).body == "own")
        held.end()
        #expect(try await body.text() == "")
    }

    @Test func `what varies is shared by those for whom it was selected`() async throws {
        let (first, second) = (HeldBody(), HeldBody())
        let scene = Scene { sent in
            let lines = Self.cacheable + ["Vary: Accept-Language"]
            return sent.number == 2
                ? .init(200, lines, "english") : .init(200, lines, (sent.number == 1 ? first : second).body)
        }
        let german = ask("/a", ["Accept-Language: de"])
        let (_, body) = try await scene.client.send(german, body: nil)
        #expect(try await scene.stream(ask("/a", ["Accept-Language: en"])).body == "english")
        // What is stored by now is the English one, so that its field tells them apart from the beginning.
        let (response, other) = try await scene.client.send(german, body: nil)
        #expect(response.cacheStatus?.forward == .varyMiss)
        #expect(response.cacheStatus?.collapsed == false)
        #expect(scene.origin.count == 3)
        let (again, third) = try await scene.client.send(german, body: nil)
        #expect(again.cacheStatus?.collapsed == true)
        #expect(scene.origin.count == 3)
        for held in [first, second] {
            held.send("deutsch")
            held.end()
        }
        #expect(try await body.text() == "deutsch")
        #expect(try await (other.text(), third.text()) == ("deutsch", "deutsch"))
    }

    @Test func `what another has stored since one looked is not fetched again`() async throws {
        let (looked, stored) = (Gate(), Gate())
        stored.open()
        let scene = Scene(in: GatedStore(commit: stored, find: looked)) { .init(200, Self.cacheable, "\($0.number)") }
        async let slow = scene.send()
        await looked.arrivals(1)
        #expect(try await scene.send().body == "1")
        looked.open()
        let answer = try await slow
        #expect(answer.body == "1")
        #expect(answer.isHit)
        #expect(scene.origin.count == 1)
    }

    @Test func `a validation is shared too`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            guard sent.number > 1 else { return .init(200, ["Cache-Control: max-age=1", "ETag: \"1\""], "one") }
            try await gate.pass()
            return .init(304, ["Cache-Control: max-age=60"])
        }
        _ = try await scene.send()
        scene.time.pass(1)
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 1...20 { group.addTask { try await scene.send() } }
            await gate.arrivals(1)
            gate.open()
            for try await answer in group { #expect(answer.body == "one") }
        }
        #expect(scene.origin.count == 2)
    }
}
