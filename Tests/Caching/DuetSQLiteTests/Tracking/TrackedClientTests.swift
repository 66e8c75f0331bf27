import Duet
import DuetCaching
import DuetHTTP
import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import Foundation
import GRDB
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// Tests of clients without rules, which learn from responses what a command has changed.
@Suite(.timeLimit(.minutes(5)))
struct TrackedClientTests {
    private let service: TrackedService
    private let title = LoadTitle(id: 1)
    private let seats = LoadSeats(id: 1)
    private let rename = Rename(id: 1, title: "Trio")

    init() throws {
        service = try TrackedService()
    }

    private func fill(_ client: CachingDispatcher) async throws {
        _ = try await client.dispatch(title)
        _ = try await client.dispatch(seats)
        #expect(client.cache.peek(title) != nil && client.cache.peek(seats) != nil)
    }

    @Test func `a command makes stale what it has changed, and nothing else`() async throws {
        let client = try service.client()
        try await fill(client)
        _ = try await client.dispatch(FindTalks(title: "Duet"))
        try await client.dispatch(rename)
        #expect(client.cache.peek(title) == nil)
        #expect(client.cache.peek(FindTalks(title: "Duet")) == nil)
        #expect(client.cache.peek(seats) == 10)
        #expect(try await client.dispatch(title) == "Trio")
        #expect(client.cache.peek(title) == "Trio")
        try await client.dispatch(Greet())
        #expect(client.cache.peek(title) == "Trio")
    }

    @Test func `a value is fresh for a minute, because nobody sees the writes of others`() async throws {
        let client = try service.client()
        try await fill(client)
        service.date.advance(by: 59)
        #expect(client.cache.peek(title) != nil)
        service.date.advance(by: 2)
        #expect(client.cache.peek(title) == nil)
    }

    @Test func `a command that ends during the first load of a value is not forgotten`() async throws {
        let gate = Gate()
        service.handlers.stub(LoadTitle.self) { [service] _ in
            let title = try await service.world.database.read { try String.fetchOne($0, sql: "SELECT title FROM talk") }
            try await gate.pass()
            return title ?? ""
        }
        let client = try service.client()
        let load = Task { try await client.read(title) }
        await gate.arrivals(1)
        try await client.dispatch(rename)
        gate.open()
        #expect(try await load.value.isStale)
        #expect(client.cache.peek(title) == nil)
        #expect(try await client.dispatch(title) == "Trio")
    }

    @Test func `an answer belongs to the groups of its response`() async throws {
        let client = try service.client()
        try await fill(client)
        #expect(try await client.answer(to: Retitle(id: 1, title: "Trio")) == "Trio")
        let loads = service.handlers.messages.count
        #expect(client.cache.peek(title) == "Trio")
        #expect(try await client.dispatch(title) == "Trio")
        #expect(service.handlers.messages.count == loads)
        try await client.dispatch(Rename(id: 1, title: "Quartet"))
        #expect(try await client.dispatch(title) == "Quartet")
    }

    @Test func `an error that is kept is thrown until a command changes what its handler has read`() async throws {
        let client = try service.client(.untilInvalidated.cachingErrors(for: .seconds(60)))
        let missing = LoadTitle(id: 9)
        for _ in 0..<2 { await #expect(throws: NoTalk.self) { try await client.dispatch(missing) } }
        #expect(service.handlers.messages.count == 1)
        service.handlers.stub(Greet.self) { [service] _ in
            let sql = "INSERT INTO talk (id, title) VALUES (9, 'Nine')"
            try await service.world.database.write { try $0.execute(sql: sql) }
        }
        try await client.dispatch(Greet())
        #expect(try await client.dispatch(missing) == "Nine")
    }

    @Test func `a failed command makes stale what it has changed`() async throws {
        service.handlers.stub(Rename.self) { [service] _ in
            try await service.world.database.write { try $0.execute(sql: "UPDATE room SET seats = 3") }
            throw NoTalk()
        }
        let client = try service.client()
        try await fill(client)
        await #expect(throws: NoTalk.self) { try await client.dispatch(rename) }
        #expect(client.cache.peek(seats) == nil)
        #expect(client.cache.peek(title) == "Duet")
    }

    // MARK: Faults

    enum Loss: CaseIterable {
        case queries, commands, both, response, anotherKey
    }

    @Test(arguments: Loss.allCases) func `what was lost is stale`(_ loss: Loss) async throws {
        let isLossy = Mutex(loss == .queries || loss == .both)
        let client = try service.client(
            through: AlteringClient(base: service.network) { request, response in
                guard isLossy.withLock(\.self) else { return response }
                var response = response
                let isCommand = request.method == .put || request.path == "/greetings"
                switch loss {
                case .queries: response.headerFields[.known("Cache-Groups")] = nil
                case .commands: response.headerFields[.known("Cache-Group-Invalidation")] = nil
                case .both:
                    response.headerFields[.known("Cache-Groups")] = nil
                    response.headerFields[.known("Cache-Group-Invalidation")] = nil
                case .response:
                    if isCommand { throw HTTPClientError.connectionFailed(url: "", underlying: CancellationError()) }
                case .anotherKey:
                    if isCommand { response.headerFields[.known("Cache-Group-Invalidation")] = "\"a.b\"" }
                }
                return response
            },
            .maxAge(.minutes(5))
        )
        if loss == .queries || loss == .both {
            // The server has named groups before.
            isLossy.withLock { $0 = false }
            _ = try await client.dispatch(LoadTitle(id: 2))
            isLossy.withLock { $0 = true }
        }
        _ = try await client.dispatch(title)
        #expect(client.cache.peek(title) == "Duet")
        isLossy.withLock { $0 = true }
        if loss == .queries { try await client.dispatch(Greet()) } else { try? await client.dispatch(rename) }
        #expect(client.cache.peek(title) == nil)
    }

    @Test func `a response that was cut says nothing`() async throws {
        struct Cutting: HTTPClient {
            let base: any HTTPClient
            func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
                let (response, body) = try await base.send(request, body: body)
                guard request.method == .put else { return (response, body) }
                let pieces = AsyncThrowingStream<Data, any Error> { pieces in
                    pieces.finish(
                        throwing: HTTPClientError.connectionFailed(url: "", underlying: CancellationError())
                    )
                }
                return (response, HTTPBody(pieces))
            }
        }
        let client = try service.client(through: Cutting(base: service.network))
        try await fill(client)
        try? await client.dispatch(rename)
        #expect(client.cache.peek(title) == nil)
        #expect(client.cache.peek(seats) == nil)
    }

    @Test func `an old and a new server take turns`() async throws {
        let other = try TrackedService.network(service.handlers, groupKey: "other")
        let isOther = Mutex(false)
        struct Balancer: HTTPClient {
            let servers: @Sendable () -> any HTTPClient
            func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
                try await servers().send(request, body: body)
            }
        }
        let network = service.network
        let client = try service.client(through: Balancer { isOther.withLock(\.self) ? other : network })
        for turn in 0..<4 {
            isOther.withLock { $0 = turn % 2 == 1 }
            _ = try await client.dispatch(title)
            #expect(client.cache.peek(title) != nil)
            isOther.withLock { $0 = turn % 2 == 0 }
            try await client.dispatch(Rename(id: 1, title: "\(turn)"))
            #expect(client.cache.peek(title) == nil)
            #expect(try await client.dispatch(title) == "\(turn)")
        }
    }

    @Test func `an attempt that was repeated may have changed anything`() async throws {
        let failures = Mutex(0)
        struct Flaky: HTTPClient {
            let base: any HTTPClient
            let fails: @Sendable (HTTPRequest) -> Bool
            func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
                let response = try await base.send(request, body: body)
                if fails(request) { return (HTTPResponse(status: .serviceUnavailable), HTTPBody(Data())) }
                return response
            }
        }
        let flaky = Flaky(base: service.network) { request in
            request.method == .put
                && failures.withLock {
                    $0 += 1; return $0 == 1
                }
        }
        let client = try service.client(
            through: flaky.retrying(HTTPRetryPolicy(backoff: .constant(.zero), budget: .unlimited))
        )
        service.handlers.stub(Rename.self) { [service] _ in
            guard failures.withLock(\.self) == 0 else { return }
            try await service.world.database.write { try $0.execute(sql: "UPDATE room SET seats = 3") }
        }
        try await fill(client)
        try await client.dispatch(rename)
        #expect(failures.withLock(\.self) == 2)
        #expect(client.cache.peek(seats) == nil)
    }

    @Test func `a value that nobody tracks obeys its policy, and is stale after each command`() async throws {
        service.handlers.stub(LoadTitle.self) { _ in "Duet" }
        var client = try service.client()
        _ = try await client.dispatch(title)
        #expect(client.cache.peek(title) == nil)
        client = try service.client(.maxAge(.minutes(5)))
        _ = try await client.dispatch(seats)
        _ = try await client.dispatch(title)
        #expect(client.cache.peek(title) != nil)
        try await client.dispatch(Greet())
        #expect(client.cache.peek(title) == nil)
        #expect(client.cache.peek(seats) != nil)
    }

    @Test func `a server that names no groups leaves everything to rules and ages`() async throws {
        let client = try service.client(
            through: AlteringClient(base: service.network) { _, response in
                var response = response
                response.headerFields[.known("Cache-Groups")] = nil
                response.headerFields[.known("Cache-Group-Invalidation")] = nil
                return response
            },
            .maxAge(.minutes(5))
        )
        _ = try await client.dispatch(title)
        try await client.dispatch(rename)
        #expect(client.cache.peek(title) == "Duet")
    }

    // MARK: Beside other features

    @Test func `a rule says which values a command changes`() async throws {
        let client = try service.client {
            Invalidate(LoadTitle.self, after: Rename.self) { $0.id == $1.id }
        }
        try await fill(client)
        _ = try await client.dispatch(LoadTitle(id: 2))
        try await client.dispatch(rename)
        #expect(client.cache.peek(title) == nil)
        #expect(client.cache.peek(LoadTitle(id: 2)) == "Solo")
        // It does not speak of other commands.
        service.handlers.stub(Greet.self) { [service] _ in
            try await service.world.database.write { try $0.execute(sql: "UPDATE talk SET title = 'x'") }
        }
        try await client.dispatch(Greet())
        #expect(client.cache.peek(LoadTitle(id: 2)) == nil)
    }

    @Test func `a client's own HTTP cache is asked past a change, also before the first load of a value`() async throws
    {
        let store = service.network.caching()
        let client = try service.client(through: store)
        _ = try await client.dispatch(title)
        try await client.dispatch(rename)
        #expect(try await client.dispatch(title) == "Trio")
        // Another cache of values shares the HTTP cache, which has both values.
        let other = try service.client(through: store)
        #expect(try await other.dispatch(LoadTitle(id: 2)) == "Solo")
        let third = try service.client(through: store)
        try await third.dispatch(Rename(id: 2, title: "Trio"))
        #expect(try await third.dispatch(LoadTitle(id: 2)) == "Trio")
    }

    @Test func `a gateway passes on what the server behind it says`() async throws {
        let remote = try service.remote()
        let cached = try remote.caching(in: .memory(limit: .entries(9))) { Cache(LoadTitle.self) }
        for gateway in [remote, cached] as [any Dispatcher] {
            let outside = try TrackedService { _ in gateway }
            let client = try outside.client()
            try await fill(client)
            try await client.dispatch(Rename(id: 1, title: "Trio"))
            #expect(client.cache.peek(title) == nil)
            #expect(client.cache.peek(seats) != nil)
            #expect(try await client.dispatch(title) == "Trio")
        }
    }

    @Test func `a queued command makes stale what it has changed when it is sent`() async throws {
        let queue = CommandQueue(in: InMemoryCommandStore())
        let gate = Gate()
        service.handlers.stub(SetSeats.self) { [service] command in
            try await gate.pass()
            try await service.world.database.write { db in
                try db.execute(sql: "UPDATE room SET seats = ?", arguments: [command.seats])
            }
        }
        let client = try service.remote().queueing(in: queue) { Enqueue(SetSeats.self, version: 1) }
            .caching(in: .memory(limit: .entries(9)), now: service.date.now) {
                Cache(LoadSeats.self)
                Cache(LoadTitle.self)
            }
        try await fill(client)
        try await client.dispatch(SetSeats(id: 1, seats: 3))
        #expect(client.cache.peek(seats) == 10)
        gate.open()
        await queue.waitUntilSettled()
        #expect(client.cache.peek(seats) == nil)
        #expect(client.cache.peek(title) != nil)
    }

    @Test func `an optimistic change is replaced by the value after the command`() async throws {
        let gate = Gate()
        service.handlers.stub(Rename.self) { [service] command in
            try await gate.pass()
            try await service.world.database.write { db in
                try db.execute(sql: "UPDATE talk SET title = ? WHERE id = ?", arguments: [command.title, command.id])
            }
        }
        let client = try service.client {
            OptimisticUpdate(LoadTitle.self, by: Rename.self) { value, _, command in value = command.title + "?" }
        }
        var states = client.observe(title).makeAsyncIterator()
        while try #require(await states.next()).value != "Duet" {}
        let command = Task { try await client.dispatch(rename) }
        while try #require(await states.next()).value != "Trio?" {}
        gate.open()
        try await command.value
        var last = try #require(await states.next())
        while last.isOptimistic || last.isLoading || last.isStale { last = try #require(await states.next()) }
        #expect(last.value == "Trio")
    }
}
