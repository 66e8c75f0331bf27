import Duet
import DuetCaching
import DuetHTTP
import DuetHTTPCaching
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@Suite struct LiveClientTests {
    @Test(arguments: [false, true])
    func `an observer sees the changes that other clients make, also through an HTTP cache`(isCached: Bool)
        async throws
    {
        let world = try LiveWorld()
        let client = CountingClient(base: world.client)
        let remote = try world.remote(through: isCached ? client.caching() : client)
        var values = remote.observe(LoadTopics(room: "a")).values.makeAsyncIterator()
        #expect(try await values.next() == ["Swift"])
        try await world.dispatcher.dispatch(AddTopic(room: "a", topic: "Duet"))
        #expect(try await values.next() == ["Swift", "Duet"])
        // The value is in the cache, and the stream is the only request.
        #expect(try await remote.dispatch(LoadTopics(room: "a")) == ["Swift", "Duet"])
        #expect(client.requests.count == 1)
        #expect(client.requests.first?.headerFields[.accept] == "text/event-stream")
    }

    @Test func `after its own command, an observer waits for the event instead of loading the value`() async throws {
        let world = try LiveWorld()
        let (client, clock) = (CountingClient(base: world.client), ManualClock())
        let remote = try HTTPDispatcher(baseURL: BaseURL("http://localhost:8090"), client: client)
            .caching(in: .memory(limit: .entries(100)), clock: clock) {
                Cache(LoadTopics.self, .maxAge(.minutes(5)))
                Invalidate(LoadTopics.self, after: AddTopic.self)
            }
        var states = remote.observe(LoadTopics(room: "a")).makeAsyncIterator()
        while let state = await states.next(), state.value == nil {}
        for number in 1...10 {
            try await remote.dispatch(AddTopic(room: "a", topic: "\(number)"))
            while let state = await states.next(), state.isStale || state.isLoading || state.value?.count != number + 1
            {}
            #expect(try await remote.dispatch(LoadTopics(room: "a")).last == "\(number)")
        }
        // The stream, and the commands.
        #expect(client.requests.map(\.method) == [.get] + Array(repeating: .post, count: 10))
    }

    @Test func `events that arrive compressed are an error`() async throws {
        let world = try LiveWorld()
        let remote = try HTTPDispatcher(
            baseURL: BaseURL("http://localhost:8090"),
            client: CompressingClient(base: world.client)
        )
        var updates = QueryUpdates(remote.observe(LoadTopics(room: "a")))
        guard case .failure(let error)? = await updates.next() else {
            Issue.record("no error")
            return
        }
        #expect("\(error)".contains("body has the content coding “gzip”; events must not be compressed"))
    }

    @Test func `a later observer gets the value at once, whatever its age`() async throws {
        let world = try LiveWorld()
        let client = CountingClient(base: world.client)
        let remote = try world.remote(through: client, maxAge: .zero)
        var first = remote.observe(LoadTopics(room: "a")).values.makeAsyncIterator()
        #expect(try await first.next() == ["Swift"])
        var second = remote.observe(LoadTopics(room: "a")).values.makeAsyncIterator()
        #expect(try await second.next() == ["Swift"])
        var third = QueryUpdates(remote.observe(LoadTopics(room: "a")))
        guard case .value(["Swift"])? = await third.next() else {
            Issue.record("no value")
            return
        }
        #expect(client.requests.count == 1)
        try await world.dispatcher.dispatch(AddTopic(room: "a", topic: "Duet"))
        #expect(try await first.next() == ["Swift", "Duet"])
        #expect(try await second.next() == ["Swift", "Duet"])
    }

    @Test func `several observers of one value share a stream, which ends with the last of them`() async throws {
        let world = try LiveWorld()
        let client = CountingClient(base: world.client)
        let remote = try world.remote(through: client)
        // All stay until the last one has the value: when the one leaves that follows, another one follows.
        let end = Gate()
        let observers = (1...3).map { _ in
            Task {
                for try await topics in remote.observe(LoadTopics(room: "a")).values where topics.count == 2 {
                    try await end.pass()
                    return true
                }
                return false
            }
        }
        while remote.cache.observerCount < 3 || client.requests.isEmpty { await Task.yield() }
        try await world.dispatcher.dispatch(AddTopic(room: "a", topic: "Duet"))
        await end.arrivals(3)
        #expect(client.requests.count == 1)
        end.open()
        for observer in observers { #expect(try await observer.value) }
        while client.openCount > 0 { await Task.yield() }
    }

    @Test func `a client connects again where it was, and reports the failure in between`() async throws {
        let world = try LiveWorld(LiveOptions(reconnectDelay: .milliseconds(1)))
        let client = CountingClient(base: world.client)
        let remote = try world.remote(through: client)
        var states = remote.observe(LoadTopics(room: "a")).makeAsyncIterator()
        while let state = await states.next(), state.value == nil {}
        client.isUnplugged = true
        client.breakAll()
        while let state = await states.next(), state.error == nil { #expect(state.value == ["Swift"]) }
        client.isUnplugged = false
        while let state = await states.next(), state.error != nil { #expect(state.value == ["Swift"]) }
        let last = try #require(client.requests.last)
        #expect(last.headerFields[try #require(HTTPField.Name("Last-Event-ID"))] != nil)
        try await world.dispatcher.dispatch(AddTopic(room: "a", topic: "Duet"))
        while let state = await states.next(), state.value?.count != 2 {}
    }

    @Test(arguments: [
        (Duration.zero, Duration.milliseconds(250)...Duration.milliseconds(250)),
        (.seconds(360_000), .milliseconds(250)...(.seconds(30))),
    ])
    func `a client waits before it connects again after the end of a stream`(
        delay: Duration,
        expected: ClosedRange<Duration>
    ) async throws {
        let world = try LiveWorld(LiveOptions(maximumDuration: .seconds(5), reconnectDelay: delay))
        let (client, pauses) = (CountingClient(base: world.client), ManualClock())
        let remote = try world.remote(through: client, clock: pauses)
        let observer = Task {
            for try await topics in remote.observe(LoadTopics(room: "a")).values where topics.count == 2 { return true }
            return false
        }
        _ = await world.clock.nextSleeper()
        world.clock.advance(by: .seconds(5))
        let pause = await pauses.nextSleeper()
        #expect(expected.contains(pause))
        #expect(client.requests.count == 1)
        try await world.dispatcher.dispatch(AddTopic(room: "a", topic: "Duet"))
        pauses.advance(by: pause)
        #expect(try await observer.value)
        #expect(client.requests.count == 2)
    }

    @Test func `without a cache, the values of a query that the server refuses fail with the reason`() async throws {
        let client = MockHTTPClient()
        client.expect(.get, "/rooms/a/topics", status: .notAcceptable)
        let remote = try HTTPDispatcher(baseURL: BaseURL("http://localhost:8090"), client: client)
        let failure = await #expect(throws: HTTPFailure.self) {
            for try await _ in remote.observe(LoadTopics(room: "a")).values {}
        }
        #expect(failure?.status == .notAcceptable)
    }

    @Test func `a failure that will not pass ends the observation, and the value is loaded as before`() async throws {
        let world = try LiveWorld()
        let client = MockHTTPClient()
        client.expect(.get, "/rooms/a/topics", status: .notAcceptable)
        client.expect(.get, "/rooms/a/topics", json: #"["Swift"]"#)
        let remote = try world.remote(through: client)
        for try await topics in remote.observe(LoadTopics(room: "a")).values {
            #expect(topics == ["Swift"])
            break
        }
        #expect(client.missing == [])
    }
}

/// Counts requests and open bodies, and can lose its connections.
private final class CountingClient: HTTPClient {
    private struct State {
        var requests: [HTTPRequest] = []
        var isUnplugged = false
        var open: [Int: AsyncStream<Never>.Continuation] = [:]
    }

    private let base: any HTTPClient
    private let state = Mutex(State())

    init(base: any HTTPClient) {
        self.base = base
    }

    var requests: [HTTPRequest] { state.withLock(\.requests) }

    var openCount: Int { state.withLock(\.open.count) }

    var isUnplugged: Bool {
        get { state.withLock(\.isUnplugged) }
        set { state.withLock { $0.isUnplugged = newValue } }
    }

    /// Ends all bodies that are being read with an error.
    func breakAll() {
        for continuation in state.withLock({ Array($0.open.values) }) { continuation.finish() }
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        if isUnplugged { throw HTTPClientError.connectionFailed(url: "", underlying: Unplugged()) }
        let number = state.withLock { state in
            state.requests.append(request)
            return state.requests.count
        }
        let (response, body) = try await base.send(request, body: body)
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        state.withLock { $0.open[number] = continuation }
        return (response, HTTPBody(Pieces(body: body, end: end) { [weak self] in self?.close(number) }))
    }

    private func close(_ number: Int) { state.withLock { $0.open[number] = nil } }

    private struct Unplugged: Error {}

    private struct Pieces: AsyncSequence, Sendable {
        let body: HTTPBody
        let end: AsyncStream<Never>
        let close: @Sendable () -> Void

        func makeAsyncIterator() -> AsyncThrowingStream<Data, any Error>.AsyncIterator {
            let (pieces, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
            let reading = Task {
                do {
                    for try await piece in body { continuation.yield(piece) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            let breaking = Task {
                for await _ in end {}
                continuation.finish(throwing: Unplugged())
            }
            continuation.onTermination = { [close] _ in
                reading.cancel()
                breaking.cancel()
                close()
            }
            return pieces.makeAsyncIterator()
        }
    }
}

/// Labels each response as compressed.
private struct CompressingClient: HTTPClient {
    let base: any HTTPClient

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        var (response, body) = try await base.send(request, body: body)
        response.headerFields[.contentEncoding] = "gzip"
        return (response, body)
    }
}
