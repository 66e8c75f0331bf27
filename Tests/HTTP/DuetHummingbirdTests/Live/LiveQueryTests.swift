import Duet
import DuetCaching
import DuetContext
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TestSupport
import Testing

@Suite struct LiveQueryTests {
    @Test func `a stream begins with the value, and continues with each change`() async throws {
        let world = try LiveWorld()
        let (head, body) = try await world.open()
        #expect(head.status == .ok)
        #expect(head.headerFields[.contentType] == "text/event-stream")
        #expect(head.headerFields[.cacheControl] == "no-store, no-transform")
        var lines = EventLines(body)
        #expect(try await lines.next() == "retry: 1000")
        let first = try #require(try await lines.next())
        #expect(first.hasPrefix("id: "))
        #expect(try await lines.next() == #"data: ["Swift"]"#)
        try await world.dispatcher.dispatch(AddTopic(room: "b", topic: "Not here"))
        try await world.dispatcher.dispatch(AddTopic(room: "a", topic: "Duet"))
        #expect(try await lines.next() != first)
        #expect(try await lines.next() == #"data: ["Swift","Duet"]"#)
    }

    @Test func `a client that has the value gets only later ones`() async throws {
        let world = try LiveWorld()
        var lines = EventLines(try await world.open().1)
        _ = try await lines.next()
        let id = try #require(try await lines.next()?.dropFirst(4))
        var again = EventLines(try await world.open(fields: id).1)
        #expect(try await again.next() == "retry: 1000")
        try await world.dispatcher.dispatch(AddTopic(room: "a", topic: "Duet"))
        _ = try await again.next()
        #expect(try await again.next() == #"data: ["Swift","Duet"]"#)
    }

    @Test func `without asking for events the response is JSON`() async throws {
        let world = try LiveWorld()
        let (head, body) = try await world.open("/rooms/a/topics", [.accept: "application/json"])
        #expect(head.headerFields[.contentType] == "application/json")
        #expect(head.headerFields[.vary] == "Accept")
        #expect(try await body.collect(upTo: 100, orThrow: CancellationError()) == Data(#"["Swift"]"#.utf8))
    }

    @Test func `a value that is nil is sent as null`() async throws {
        let world = try LiveWorld()
        var lines = EventLines(try await world.open("/secrets", [.authorization: "Bearer secret"]).1)
        _ = try await lines.next()
        _ = try await lines.next()
        #expect(try await lines.next() == "data: null")
    }

    @Test func `each event has a version, also the first`() async throws {
        let world = try LiveWorld()
        var lines = EventLines(try await world.open("/rooms/a/topics").1)
        _ = try await lines.nextOfAll()
        let first = try #require(try await lines.nextOfAll())
        #expect(first.hasPrefix("version: "))
        #expect(try await lines.next()?.hasPrefix("id: ") == true)
        #expect(try await lines.next() == #"data: ["Swift"]"#)
        try await world.dispatcher.dispatch(AddTopic(room: "a", topic: "Duet"))
        var second = first
        while second == first { second = try #require(try await lines.nextOfAll()) }
        #expect(second.hasPrefix("version: "))
    }

    @Test func `a client that may no longer send the query gets no further value`() async throws {
        let world = try LiveWorld()
        let isAllowed = Mutex(true)
        let topics = MessageAPI("topics") {
            LoadTopics.authorized(.when { _, _ in isAllowed.withLock(\.self) })
            AddTopic.authorized(.open)
        }
        let router = Router()
        let tokens = StaticTokenAuthenticator([TokenHash(of: "secret"): Principal(id: "ada")])
        try router.mount(topics, world.dispatcher, authenticator: tokens)
        let client = RouterHTTPClient(router)
        let fields: HTTPFields = [.authorization: "Bearer secret"]
        var lines = EventLines(try await world.open("/rooms/a/topics", fields, through: client).1)
        for _ in 1...2 { _ = try await lines.next() }
        #expect(try await lines.next() == #"data: ["Swift"]"#)
        try await world.dispatcher.dispatch(AddTopic(room: "a", topic: "Duet"))
        _ = try await lines.next()
        #expect(try await lines.next() == #"data: ["Swift","Duet"]"#)
        isAllowed.withLock { $0 = false }
        try await world.dispatcher.dispatch(AddTopic(room: "a", topic: "Secret"))
        #expect(try await lines.next() == nil)
        #expect(try await world.open("/rooms/a/topics", fields, through: client).0.status == .forbidden)
    }

    @Test func `a stream needs the same authorization as the query`() async throws {
        let world = try LiveWorld()
        let (head, _) = try await world.open("/secrets")
        #expect(head.status == .unauthorized)
        #expect(head.headerFields[.contentType] == "application/problem+json")
    }

    @Test func `a client may observe so many values at the same time`() async throws {
        let world = try LiveWorld(LiveOptions(streams: 3, streamsPerClient: 2))
        var bodies = [try await world.open().1, try await world.open("/rooms/b/topics").1]
        #expect(try await world.open().0.status == .tooManyRequests)
        let ada: HTTPFields = [.authorization: "Bearer secret"]
        let (head, body) = try await world.open("/secrets", ada)
        #expect(head.status == .ok)
        #expect(try await world.open("/secrets", ada).0.status == .serviceUnavailable)
        bodies.removeAll()
        _ = body
        #expect(try await world.open().0.status == .ok)
    }

    @Test func `heartbeats keep the stream open until its time is up`() async throws {
        let world = try LiveWorld(LiveOptions(heartbeat: .seconds(10), maximumDuration: .seconds(25)))
        var lines = EventLines(try await world.open().1)
        for _ in 1...3 { _ = try await lines.next() }
        for seconds in [10, 10] {
            _ = await world.clock.nextSleeper()
            world.clock.advance(by: .seconds(seconds))
            #expect(try await lines.next() == ":")
        }
        _ = await world.clock.nextSleeper()
        world.clock.advance(by: .seconds(5))
        while let line = try await lines.next() { #expect(line == ":") }
    }

    @Test func `a live query needs a dispatcher that reports changes`() throws {
        let handlers = SpyDispatcher()
        let api = MessageAPI.open { LoadTopics.self }
        let error = #expect(throws: InvalidMessageAPI.self) { try Router().mount(api, handlers) }
        #expect(
            error?.description.contains("LoadTopics is live, but the dispatcher does not report its changes") == true
        )
        let uncached = try handlers.caching(in: .memory(limit: .entries(1))) {
            Cache(LoadSecrets.self, .untilInvalidated)
        }
        #expect(throws: InvalidMessageAPI.self) { try Router().mount(api, uncached) }
        #expect(throws: InvalidMessageAPI.self) {
            try Router().mount(api, uncached, options: MountOptions(live: LiveOptions(heartbeat: .zero)))
        }
    }

    @Test func `a slow client skips to the newest value`() async throws {
        let world = try LiveWorld()
        let gate = Gate()
        let slow = RouterHTTPClient(responder: SlowResponder(base: world.router.buildResponder(), gate: gate))
        var lines = EventLines(try await world.open(through: slow).1)
        await gate.arrivals(1)
        for number in 1...100 { try await world.dispatcher.dispatch(AddTopic(room: "a", topic: "\(number)")) }
        gate.open()
        var count = 0
        while let line = try await lines.next(), !line.hasSuffix(#","100"]"#) {
            count += line.hasPrefix("data") ? 1 : 0
        }
        #expect(count < 100)
    }
}

/// Sends nothing of a response until a gate is open.
private struct SlowResponder<Base: HTTPResponder>: HTTPResponder {
    let base: Base
    let gate: Gate

    @concurrent
    func respond(to request: Request, context: Base.Context) async throws -> Response {
        var response = try await base.respond(to: request, context: context)
        response.body = ResponseBody { [gate, body = response.body] writer in
            try await gate.pass()
            try await body.write(writer)
        }
        return response
    }
}

extension LiveWorld {
    fileprivate func open(fields id: Substring) async throws -> (HTTPResponse, HTTPBody) {
        try await open("/rooms/a/topics", [try #require(HTTPField.Name("Last-Event-ID")): String(id)])
    }
}
