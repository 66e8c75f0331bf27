import Duet
import DuetCaching
import DuetHTTP
import DuetHummingbird
import DuetSQLite
import DuetTesting
import GRDB
import Hummingbird
import TestSupport
import Testing

private struct WatchTitle: HTTPQuery, Hashable {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("talks/{id}/live").live()
    let id: Int
}

/// Tests of values whose changes a server reports, of clients without rules.
@Suite(.timeLimit(.minutes(5)))
struct TrackedLiveTests {
    private let service: TrackedService
    private let network: any HTTPClient
    private let query = WatchTitle(id: 1)

    init() throws {
        service = try TrackedService()
        let world = service.world
        world.handlers.stub(WatchTitle.self) { query in
            try await world.database.read { db in
                try String.fetchOne(db, sql: "SELECT title FROM talk WHERE id = ?", arguments: [query.id]) ?? ""
            }
        }
        let server = try world.handlers.caching(in: .memory(limit: .entries(9)), tracking: world.database) {
            Cache(WatchTitle.self)
        }
        let router = Router()
        let api = MessageAPI.open {
            WatchTitle.self
            Rename.self
            Greet.self
            LoadTitle.self
        }
        try router.mount(api, server)
        network = RouterHTTPClient(router)
    }

    private func client() throws -> CachingDispatcher {
        try HTTPDispatcher(baseURL: service.baseURL, client: network, clock: service.clock)
            .caching(in: .memory(limit: .entries(9)), now: service.date.now, clock: service.clock) {
                Cache(WatchTitle.self)
            }
    }

    /// The observer of a client, from the first value that was reported.
    private func follow(_ client: CachingDispatcher) async throws -> QueryStates<String>.AsyncIterator {
        var states = client.observe(query).makeAsyncIterator()
        while client.cache.peek(query) == nil { _ = try #require(await states.next()) }
        return states
    }

    @Test func `observers of two clients follow the commands of one`() async throws {
        let clients = try [client(), client()]
        var states: [QueryStates<String>.AsyncIterator] = []
        for client in clients { states.append(try await follow(client)) }
        try await clients[0].dispatch(Rename(id: 1, title: "Trio"))
        #expect(try await clients[0].dispatch(query) == "Trio")
        for index in states.indices { while try #require(await states[index].next()).value != "Trio" {} }
        for client in clients { #expect(try await client.read(query, .cacheFirst).value == "Trio") }
    }

    @Test func `a reported value is fresh while it is followed, and stale afterward`() async throws {
        let client = try client()
        var states: QueryStates<String>.AsyncIterator? = try await follow(client)
        service.date.advance(by: 7_200)
        #expect(client.cache.peek(query) == "Duet")
        try await client.dispatch(Rename(id: 1, title: "Trio"))
        while try #require(await states?.next()).value != "Trio" {}
        while client.cache.peek(query) == nil { await Task.yield() }
        service.date.advance(by: 7_200)
        #expect(client.cache.peek(query) == "Trio")
        states = nil
        while client.cache.peek(query) != nil { await Task.yield() }
    }

    @Test func `a reported value is stale after each command, because nobody knows its groups`() async throws {
        let client = try client()
        let states = try await follow(client)
        try await client.dispatch(Greet())
        #expect(client.cache.peek(query) == nil)
        #expect(try await client.dispatch(query) == "Duet")
        withExtendedLifetime(states) {}
    }
}
