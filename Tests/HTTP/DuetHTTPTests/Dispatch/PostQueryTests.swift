import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Queries that are sent as POST.
struct PostQueryTests {
    struct Search: HTTPQuery, Hashable {
        typealias Value = [Int]
        static let route: QueryRoute<Self> = .post("shelves/{shelf}/search")
        let shelf: Int
        var words: [String] = []
        var nested: [String: [Int]] = [:]
    }

    struct Finder: QueryHandler {
        func handle(_ query: Search) async throws -> [Int] {
            [query.shelf, query.words.count] + (query.nested["a"] ?? [])
        }
    }

    private let api: HTTPAPI
    private let baseURL: BaseURL

    init() throws {
        api = try HTTPAPI { Search.self }
        baseURL = try BaseURL(#require(URL(string: "https://shop.example")))
    }

    @Test func `the properties are a JSON object, apart from those in the path`() async throws {
        let client = SpyClient(.ok, "[1]", mediaType: "application/json")
        let dispatcher = HTTPDispatcher(baseURL: baseURL, client: client)
        #expect(try await dispatcher.dispatch(Search(shelf: 3, words: ["a"])) == [1])
        let sent = try #require(client.sent.first)
        #expect(sent.request.method == .post)
        #expect(sent.request.path == "/shelves/3/search")
        #expect(sent.request.headerFields[.contentType] == "application/json")
        #expect(sent.request.headerFields[.accept] == "application/json, application/problem+json")
        let body = try JSONDecoder().decode(JSONValue.self, from: sent.body ?? Data())
        #expect(body == .object(["words": .array([.string("a")]), "nested": .object([:])]))
    }

    @Test func `a query that is sent as POST returns its value`() async throws {
        let client = RouterClient(api: api, dispatcher: try StandardDispatcher { Finder() })
        let dispatcher = try HTTPDispatcher(.open { Search.self }, baseURL: baseURL, client: client)
        #expect(try await dispatcher.dispatch(Search(shelf: 3, words: ["é", ""], nested: ["a": [7]])) == [3, 2, 7])
    }

    @Test func `its endpoint reads JSON`() throws {
        let served = try #require(api.endpoints.first)
        #expect(served.consumes == ["application/json"])
        #expect(served.produces == ["application/json"])
        guard case .methodNotAllowed(let allowed) = api.route(.get, "shelves/3/search") else {
            Issue.record("A GET is not refused")
            return
        }
        #expect(allowed == [.post])
    }

    @Test func `it is sent again after a failure, since a query changes nothing`() async throws {
        let server = StubClient { sent in sent.number == 1 ? answer(503) : answer(200, body: "[]") }
        let policy = HTTPRetryPolicy(backoff: .exponential(initial: .zero, maximum: .zero), budget: .unlimited)
        let dispatcher = HTTPDispatcher(baseURL: baseURL, client: server.retrying(policy))
        #expect(try await dispatcher.dispatch(Search(shelf: 3)) == [])
        #expect(server.sent.map(\.request.method) == [.post, .post])
        #expect(server.sent.first?.body == server.sent.last?.body)
    }

    @Test func `a command is not, nor is another request that is sent meanwhile`() async throws {
        let policy = HTTPRetryPolicy(backoff: .exponential(initial: .zero, maximum: .zero), budget: .unlimited)
        let commands = StubClient(statuses: 503)
        let dispatcher = HTTPDispatcher(baseURL: baseURL, client: commands.retrying(policy))
        await #expect(throws: HTTPFailure.self) { try await dispatcher.dispatch(OrderBook(id: 1)) }
        #expect(commands.sent.count == 1)

        let tokens = StubClient(statuses: 503)
        let server = StubClient { _ in
            _ = try await tokens.retrying(policy).data(for: request(.post, "https://shop.example/token"))
            return answer(200, body: "[]")
        }
        _ = try await HTTPDispatcher(baseURL: baseURL, client: server.retrying(policy)).dispatch(Search(shelf: 3))
        #expect(tokens.sent.count == 1)
    }

    struct Defaulted: HTTPQuery {
        typealias Value = Int
        static let route: QueryRoute<Self> = .post("a").parameterDefaults(["limit": "10"])
        var limit = 1
    }

    @Test func `its declaration is checked as that of a body`() {
        let error = #expect(throws: InvalidMessageAPI.self) { try HTTPAPI { Defaulted.self } }
        #expect(error?.description.contains("its properties are in a body") == true)
    }
}
