import Duet
import DuetContext
import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import ServiceContextModule
import Synchronization
import Testing

/// Of several requests for the same response, one is sent, and the others read the response from the store.
@Suite(.timeLimit(.minutes(5)))
struct SharingTests {
    static let cacheable = ["Cache-Control: max-age=60"]

    @Test func `requests for the same response share one fetch`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            try await gate.pass()
            return .init(200, Self.cacheable, "\(sent.number)")
        }
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 1...50 { group.addTask { try await scene.send() } }
            await gate.arrivals(1)
            gate.open()
            for try await answer in group { #expect(answer.body == "1") }
        }
        #expect(scene.origin.count == 1)
    }

    @Test func `requests that wait read the stored response, and one fetch serves them all`() async throws {
        let held = HeldBody(size: 6)
        let scene = Scene { _ in .init(200, Self.cacheable + ["Content-Length: 6"], held.body) }
        let first = Task.startingHere { try await scene.send() }
        try await held.begun.pass()
        let others = (1...5).map { _ in Task.startingHere { try await scene.send() } }
        held.send("abc")
        held.send("def")
        held.end()
        #expect(try await first.value.status == CacheStatus(forward: .uriMiss, ttl: 60, stored: true))
        for other in others {
            let answer = try await other.value
            #expect(answer.body == "abcdef")
            #expect(answer.status == CacheStatus(forward: .uriMiss, ttl: 60, stored: true, collapsed: true))
        }
        #expect(scene.origin.count == 1)
    }

    @Test func `one request may collect the body and others stream it`() async throws {
        let gate = Gate()
        let scene = Scene { _ in
            try await gate.pass()
            return .init(200, Self.cacheable, "one")
        }
        let streaming = Task.startingHere { try await scene.send() }
        let collecting = Task.startingHere { try await scene.client.data(for: ask()).1 }
        gate.open()
        #expect(try await (streaming.value.body, collecting.value) == ("one", "one".data))
        #expect(scene.origin.count == 1)
    }

    // MARK: Responses that are not stored

    @Test func `if the head forbids storing, each request fetches for itself`() async throws {
        let (gate, held) = (Gate(), HeldBody())
        let scene = Scene { sent in
            guard sent.number == 1 else { return .init(200, ["Cache-Control: no-store"], "\(sent.number)") }
            try await gate.pass()
            return .init(200, ["Cache-Control: no-store"], held.body)
        }
        let first = Task.startingHere { try await scene.send() }
        await gate.arrivals(1)
        let others = (1...20).map { _ in Task.startingHere { try await scene.send() } }
        gate.open()
        // The first body has not ended yet.
        for other in others { #expect(try await other.value.status?.collapsed == false) }
        held.send("1")
        held.end()
        #expect(try await first.value.body == "1")
        #expect(scene.origin.count == 21)
    }

    @Test func `if the body turns out to be too large, each request fetches for itself`() async throws {
        let held = HeldBody()
        let scene = Scene(configuration: .init(maximumBodySize: 10)) { sent in
            sent.number == 1 ? .init(200, Self.cacheable, held.body) : .init(200, Self.cacheable, "other")
        }
        let first = Task.startingHere { try await scene.client.send(ask()) }
        try await held.begun.pass()
        let other = Task.startingHere { try await scene.send() }
        held.send("01234")
        held.send("567890")
        // The first body has not ended yet.
        #expect(try await other.value.body == "other")
        held.end()
        let (response, body) = try await first.value
        #expect(response.cacheStatus?.notStored == .tooLarge)
        #expect(try await body.text() == "01234567890")
    }

    @Test(arguments: [
        ["Cache-Control: no-store"], ["Cache-Control: no-cache", "ETag: \"1\""], ["Expires: 0", "ETag: \"1\""],
    ])
    func `after a response for one request alone, no request waits`(lines: [String]) async throws {
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
        // A response that can be stored is shared again.
        #expect(try await scene.send().body == "4")
        #expect(try await scene.send().isHit)
    }

    @Test func `after a failure of the origin, requests wait for the next response`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            if sent.number == 1 { return .init(503, [], "1") }
            try await gate.pass()
            return .init(200, Self.cacheable, "\(sent.number)")
        }
        #expect(try await scene.send().body == "1")
        let both = (1...2).map { _ in Task.startingHere { try await scene.send() } }
        await gate.arrivals(1)
        gate.open()
        for task in both { #expect(try await task.value.body == "2") }
    }

    @Test(arguments: [(119, false), (120, true), (121, true)])
    func `that is remembered for two minutes`(seconds: Double, isShared: Bool) async throws {
        let gate = Gate()
        let scene = Scene { sent in
            if sent.number > 1 { try await gate.pass() }
            return .init(200, sent.number == 1 ? ["Cache-Control: no-store"] : Self.cacheable, "\(sent.number)")
        }
        _ = try await scene.send()
        scene.time.pass(seconds)
        let both = (1...2).map { _ in Task.startingHere { try await scene.send() } }
        await gate.arrivals(isShared ? 1 : 2)
        gate.open()
        for task in both { _ = try await task.value }
        #expect(scene.origin.count == (isShared ? 2 : 3))
    }

    @Test(arguments: [(255, false), (256, true)])
    func `that is remembered for 256 keys, and then the oldest is forgotten`(others: Int, isForgotten: Bool)
        async throws
    {
        let gate = Gate()
        let scene = Scene { sent in
            if sent.field(.accept) != nil { try await gate.pass() }
            return .init(200, ["Cache-Control: no-store"], "\(sent.number)")
        }
        _ = try await scene.send(ask("/first"))
        for number in 1...others { _ = try await scene.send(ask("/\(number)")) }
        let both = (1...2).map { _ in Task.startingHere { try await scene.send(ask("/first", ["Accept: a"])) } }
        await gate.arrivals(isForgotten ? 1 : 2)
        #expect(scene.origin.count == 1 + others + (isForgotten ? 1 : 2))
        gate.open()
        for task in both { _ = try await task.value }
    }

    @Test func `a key is waited for again after a response that is stored`() async throws {
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

    // MARK: Time

    @Test func `a request waits for five seconds, and is then sent itself`() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let scene = Scene(configuration: .init(clock: clock)) { sent in
            if sent.number == 1 { try await gate.pass() }
            return .init(200, Self.cacheable, "\(sent.number)")
        }
        let first = Task.startingHere { try await scene.send() }
        await gate.arrivals(1)
        let second = Task.startingHere { try await scene.send() }
        #expect(await clock.nextSleeper() == .seconds(5))
        clock.advance(by: .seconds(5))
        let answer = try await second.value
        #expect(answer.body == "2")
        #expect(answer.status?.collapsed == false)
        gate.open()
        #expect(try await first.value.body == "1")
    }

    @Test func `after the limit, no request waits for the slow fetch`() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let scene = Scene(configuration: .init(waitLimit: .seconds(1), clock: clock)) { sent in
            if sent.number == 1 { try await gate.pass() }
            return .init(200, ["Cache-Control: max-age=60", "Vary: Accept"], "\(sent.number)")
        }
        let first = Task.startingHere { try await scene.send() }
        await gate.arrivals(1)
        let second = Task.startingHere { try await scene.send() }
        await clock.nextSleeper()
        clock.advance(by: .seconds(1))
        #expect(try await second.value.body == "2")
        #expect(try await scene.send(ask("/a", ["Accept: b"])).body == "3")
        gate.open()
        _ = try await first.value
    }

    // MARK: Failures

    @Test func `after a fetch that fails, one of the waiting requests is sent for all`() async throws {
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
        #expect(scene.origin.count == 2)
    }

    @Test func `after an incomplete body, waiting requests fetch for themselves`() async throws {
        let held = HeldBody()
        let scene = Scene { sent in
            sent.number == 1 ? .init(200, Self.cacheable, held.body) : .init(200, Self.cacheable, "\(sent.number)")
        }
        let first = Task.startingHere { try await scene.send() }
        try await held.begun.pass()
        let other = Task.startingHere { try await scene.send() }
        held.send("a")
        held.fail()
        await #expect(throws: Unplugged.self) { try await first.value }
        #expect(try await other.value.body == "2")
    }

    @Test func `the limits of one request do not apply to waiting ones`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            guard sent.number <= 2 else { return .init(200, Self.cacheable, "\(sent.number)") }
            try await gate.pass()
            throw HTTPClientError.deadlineExceeded(url: "https://origin.example", after: .seconds(1))
        }
        async let first = scene.send()
        await gate.arrivals(1)
        // They wait for it as soon as their tasks exist, because nothing suspends them before.
        let others = (1...2).map { _ in Task.startingHere { try await scene.send() } }
        gate.open()
        let answers = [try? await first, try? await others[0].value, try? await others[1].value]
        #expect(answers.compactMap { $0?.body } == ["3"])
    }

    @Test func `the body limit of one request does not apply to waiting ones`() async throws {
        let held = HeldBody()
        let scene = Scene { _ in .init(200, Self.cacheable, held.body) }
        var options = HTTPRequestOptions()
        options.maximumBodySize = 3
        let limited = Task.startingHere { [options] in try await options.use { try await scene.send() } }
        try await held.begun.pass()
        options.maximumBodySize = 10
        let other = Task.startingHere { [options] in try await options.use { try await scene.send() } }
        held.send("abcdef")
        held.end()
        await #expect(throws: HTTPClientError.self) { try await limited.value }
        #expect(try await other.value.body == "abcdef")
        #expect(scene.origin.count == 1)
    }

    // MARK: Requests that leave

    @Test func `after a request that is canceled, one of those that waited for it is sent for all`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            try await gate.pass()
            return .init(200, Self.cacheable, "\(sent.number)")
        }
        let first = Task { try await scene.send() }
        await gate.arrivals(1)
        let others = (1...5).map { _ in Task.startingHere { try await scene.send() } }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await gate.arrivals(2)
        gate.open()
        for other in others { #expect(try await other.value.body == "2") }
        #expect(scene.origin.count == 2)
    }

    @Test func `a waiting request that is canceled does not end the fetch`() async throws {
        let held = HeldBody()
        let scene = Scene { _ in .init(200, Self.cacheable, held.body) }
        let first = Task.startingHere { try await scene.send() }
        try await held.begun.pass()
        let other = Task.startingHere { try await scene.send() }
        other.cancel()
        await #expect(throws: CancellationError.self) { try await other.value }
        held.send("abc")
        held.end()
        #expect(try await first.value.body == "abc")
    }

    @Test func `with its request the body is released`() async throws {
        let held = HeldBody()
        let scene = Scene { _ in .init(200, Self.cacheable, held.body) }
        let alone = Task.startingHere { try await scene.send() }
        try await held.begun.pass()
        held.send("a")
        alone.cancel()
        await #expect(throws: CancellationError.self) { try await alone.value }
        try await held.released.pass()
    }

    @Test func `with the last request the fetch is canceled`() async throws {
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

    // MARK: Which requests wait

    @Test(arguments: [
        ["Cache-Control: no-cache"], ["Range: bytes=0-1"], ["If-None-Match: \"1\""],
        ["If-Modified-Since: Mon, 07 Aug 2023 07:00:00 GMT"],
    ])
    func `a request with its own conditions or directives does not wait`(lines: [String]) async throws {
        let held = HeldBody()
        let scene = Scene { sent in
            sent.number == 1 ? .init(200, Self.cacheable, held.body) : .init(200, Self.cacheable, "own")
        }
        let first = Task.startingHere { try await scene.send() }
        try await held.begun.pass()
        #expect(try await scene.send(ask("/a", lines)).body == "own")
        held.end()
        #expect(try await first.value.body == "")
    }

    @Test func `a request for another variant does not wait`() async throws {
        let (first, second) = (HeldBody(), HeldBody())
        let scene = Scene { sent in
            let lines = Self.cacheable + ["Vary: Accept-Language"]
            return sent.number == 2
                ? .init(200, lines, "english") : .init(200, lines, (sent.number == 1 ? first : second).body)
        }
        let german = ask("/a", ["Accept-Language: de"])
        let slow = Task.startingHere { try await scene.send(german) }
        try await first.begun.pass()
        // The head of the first response shows that it is for other requests.
        #expect(try await scene.send(ask("/a", ["Accept-Language: en"])).body == "english")
        // The stored English response shows which field distinguishes requests.
        let other = Task.startingHere { try await scene.send(german) }
        try await second.begun.pass()
        let third = Task.startingHere { try await scene.send(german) }
        for held in [second, first] {
            held.send("deutsch")
            held.end()
        }
        let response = try await other.value
        #expect((response.status?.forward, response.status?.collapsed) == (.varyMiss, false))
        #expect(try await (slow.value.body, response.body) == ("deutsch", "deutsch"))
        let answer = try await third.value
        #expect((answer.body, answer.status?.collapsed) == ("deutsch", true))
        #expect(scene.origin.count == 3)
    }

    @Test func `a request for which the response is stale by now does not wait`() async throws {
        let held = HeldBody()
        let scene = Scene { sent in
            .init(200, ["Cache-Control: max-age=10"], sent.number == 1 ? held.body : HTTPBody("new".data))
        }
        let first = Task.startingHere { try await scene.send() }
        try await held.begun.pass()
        scene.time.pass(15)
        #expect(try await scene.send().body == "new")
        held.send("old")
        held.end()
        #expect(try await first.value.body == "old")
    }

    @Test func `a response that another request has stored since the lookup is not fetched again`() async throws {
        let (looked, stored) = (Gate(), Gate())
        stored.open()
        let scene = Scene(in: GatedStore(insert: stored, find: looked)) { .init(200, Self.cacheable, "\($0.number)") }
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
