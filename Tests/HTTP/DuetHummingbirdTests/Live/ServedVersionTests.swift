import Duet
import DuetCaching
import DuetHTTP
import DuetHTTPCaching
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization
import TestSupport
import Testing

/// Tests of the versions that a server's cache has, and of clients that compare them.
@Suite(.timeLimit(.minutes(5))) struct ServedVersionTests {
    /// Its responses may be stored.
    private struct LoadTopic: HTTPQuery, Hashable {
        typealias Value = String
        static let route: QueryRoute<Self> = .get("topics/{id}")
            .responseHeaders([.cacheControl: "max-age=3600"])

        let id: Int
    }

    /// Without a rule in the cache of the server.
    private struct LoadCount: HTTPQuery, Hashable {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("count")
    }

    private struct RenameAll: HTTPCommand {
        static let route: CommandRoute<Self> = .post("names")

        let name: String
    }

    /// Without a rule in the cache of the server.
    private struct Refresh: HTTPCommand {
        static let route: CommandRoute<Self> = .post("refreshes")

        let name: String
    }

    private let name = ValueBox("Swift")
    private let spy = SpyDispatcher()
    private let client: any HTTPClient

    init() throws {
        spy.stub(LoadTopic.self) { [name] _ in name.value }
        spy.stub(LoadCount.self) { _ in 1 }
        spy.stub(Refresh.self)
        spy.stub(RenameAll.self) { [name] in name.value = $0.name }
        let server = try spy.caching(in: .memory(limit: .entries(100))) {
            Cache(LoadTopic.self, .untilInvalidated)
            Invalidate(LoadTopic.self, after: RenameAll.self)
        }
        let router = Router()
        let api = MessageAPI.open {
            LoadTopic.self
            LoadCount.self
            RenameAll.self
            Refresh.self
        }
        try router.mount(api, server)
        client = RouterHTTPClient(router)
    }

    private func send(_ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields = [:]) async throws
        -> (status: Int, version: CacheVersion?, tag: String?)
    {
        var request = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
        request.headerFields = fields
        let body = method == .post ? HTTPBody(Data(#"{"name":"Duet"}"#.utf8)) : nil
        if body != nil { request.headerFields[.contentType] = "application/json" }
        let (head, _) = try await client.send(request, body: body)
        let version = head.headerFields[.known("Duet-Version")].flatMap { CacheVersion($0) }
        return (head.status.code, version, head.headerFields[.eTag])
    }

    private func remote(through client: any HTTPClient) throws -> CachingDispatcher {
        try HTTPDispatcher(baseURL: BaseURL("http://localhost:8090"), client: client)
            .caching(in: .memory(limit: .entries(100))) {
                Cache(LoadTopic.self, .untilInvalidated)
                Invalidate(LoadTopic.self, after: RenameAll.self)
            }
    }

    @Test func `each response to a query has the version at which the server's cache has found it valid`() async throws
    {
        let first = try await send(.get, "/topics/1")
        let before = try #require(first.version)
        let command = try #require(try await send(.post, "/names").version)
        #expect(before.isOlder(than: command))
        let second = try await send(.get, "/topics/1")
        #expect(try #require(second.version).includes(command))
        // An equal value has a later version, also in a 304.
        let again = try #require(try await send(.post, "/names").version)
        let known = try await send(.get, "/topics/1", [.ifNoneMatch: try #require(second.tag)])
        #expect(known.status == 304)
        #expect(try #require(known.version).includes(again))
        // A command and a query without a rule.
        let refreshed = try #require(try await send(.post, "/refreshes").version)
        #expect(again.isOlder(than: refreshed))
        #expect(try #require(try await send(.get, "/count").version).includes(refreshed))
    }

    @Test func `a stored response from before a command of the client is loaded again past the caches`() async throws {
        let client = RecordingClient(base: client)
        let remote = try remote(through: client.caching())
        #expect(try await remote.dispatch(LoadTopic(id: 1)) == "Swift")
        try await remote.dispatch(RenameAll(name: "Duet"))
        // The HTTP cache has a fresh response, because it knows nothing about the command.
        let result = try await remote.read(LoadTopic(id: 1))
        #expect(result.value == "Duet")
        #expect(!result.isStale)
        #expect(client.requests.map(\.method) == [.get, .post, .get])
        #expect(client.requests.last?.headerFields[.cacheControl] == "no-cache")
    }

    @Test func `a response that a proxy has stored is shown as stale if the proxy ignores the client`() async throws {
        let client = RecordingClient(base: StoringProxy(base: client))
        let remote = try remote(through: client)
        #expect(try await remote.dispatch(LoadTopic(id: 1)) == "Swift")
        try await remote.dispatch(RenameAll(name: "Duet"))
        let result = try await remote.read(LoadTopic(id: 1))
        #expect(result.value == "Swift")
        #expect(result.isStale)
        // Once more, and not again.
        #expect(client.requests.map(\.method) == [.get, .post, .get, .get])
        #expect(remote.cache.peek(LoadTopic(id: 1)) == nil)
    }

    @Test func `a fresh read asks all caches on its way for a validated response`() async throws {
        let client = RecordingClient(base: client)
        let remote = HTTPDispatcher(baseURL: try BaseURL("http://localhost:8090"), client: client.caching())
        #expect(try await remote.dispatch(LoadTopic(id: 1)) == "Swift")
        name.value = "Duet"
        #expect(try await remote.dispatch(LoadTopic(id: 1)) == "Swift")
        _ = try await remote.read(LoadTopic(id: 1), .fresh)
        #expect(client.requests.count == 2)
    }
}

private final class ValueBox<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) {
        state = Mutex(value)
    }

    var value: Value {
        get { state.withLock(\.self) }
        set { state.withLock { $0 = newValue } }
    }
}

/// Notes the requests.
private final class RecordingClient: HTTPClient {
    private let base: any HTTPClient
    private let state = Mutex<[HTTPRequest]>([])

    init(base: any HTTPClient) {
        self.base = base
    }

    var requests: [HTTPRequest] { state.withLock(\.self) }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        state.withLock { $0.append(request) }
        return try await base.send(request, body: body)
    }
}

/// Returns the first response to each path forever.
private final class StoringProxy: HTTPClient {
    private let base: any HTTPClient
    private let stored = Mutex<[String: (HTTPResponse, Data)]>([:])

    init(base: any HTTPClient) {
        self.base = base
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let path = request.path ?? ""
        if request.method == .get, let (head, data) = stored.withLock({ $0[path] }) { return (head, HTTPBody(data)) }
        let (head, content) = try await base.send(request, body: body)
        let data = try await content.collected(for: request)
        stored.withLock { $0[path] = (head, data) }
        return (head, HTTPBody(data))
    }
}
