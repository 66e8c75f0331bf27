import Duet
import DuetHTTP
import DuetHummingbird
import DuetTesting
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

/// Queries that are sent as POST.
@Suite
struct PostQueryTests {
    struct Sum: HTTPQuery {
        typealias Value = Int
        static let route: QueryRoute<Self> = .post("sum").responseHeaders([.cacheControl: "no-store"])
        let numbers: [Int]
    }

    struct SumHandler: QueryHandler {
        func handle(_ query: Sum) async throws -> Int { query.numbers.reduce(0, +) }
    }

    private let client: RouterHTTPClient<RouterResponder<BasicRequestContext>>

    init() throws {
        let router = Router()
        try router.mount(.open { Sum.self }, StandardDispatcher { SumHandler() })
        client = RouterHTTPClient(router)
    }

    @Test
    func `each request gets the value, without an entity tag`() async throws {
        for fields: HTTPFields in [[:], [.ifNoneMatch: "*"]] {
            let answer = try await client.ask(.post, "/sum", fields, body: #"{"numbers":[1,2]}"#)
            #expect(answer.status == 200)
            #expect(answer.text == "3")
            #expect(answer[.eTag] == nil)
            #expect(answer[.cacheControl] == "no-store")
        }
    }

    @Test
    func `only POST with JSON is accepted`() async throws {
        let get = try await client.ask(.get, "/sum")
        #expect(get.status == 405)
        #expect(get[.allow] == "POST, OPTIONS")
        #expect(try await client.ask(.post, "/sum", [.contentType: "text/plain"], body: "{}").status == 415)
        #expect(try await client.ask(.post, "/sum", [.accept: "text/html"], body: "{}").status == 406)
        #expect(try await client.ask(.post, "/sum", body: "{}").problem?.detail == "numbers is missing.")
    }
}
