import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Queries that are sent and never served.
struct ThirdPartyQueryTests {
    struct CountBooks: ThirdPartyQuery {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("books")
        struct Payload: Codable { let items: [Int] }
        static func value(from payload: Payload, answering query: Self) -> Int { payload.items.count }
    }

    struct ListBooks: ThirdPartyQuery {
        typealias Value = [Int]
        static let route: QueryRoute<Self> = .get("list")
    }

    @Test func `it needs no mapping from its value to a payload`() async throws {
        let url = try BaseURL(#require(URL(string: "https://shop.example")))
        let messages = MessageAPI.open {
            CountBooks.self
            ListBooks.self
        }
        let counted = try HTTPDispatcher(messages, baseURL: url, client: SpyClient(.ok, #"{"items": [1, 2]}"#))
        #expect(try await counted.dispatch(CountBooks()) == 2)
        let listed = try HTTPDispatcher(messages, baseURL: url, client: SpyClient(.ok, "[1]"))
        #expect(try await listed.dispatch(ListBooks()) == [1])
    }

    @Test func `it sends no marker for a filter without conditions, or an empty list`() async throws {
        struct Filter: Codable { var title: String? }
        struct Find: ThirdPartyQuery {
            typealias Value = [Int]
            static let route: QueryRoute<Self> = .get("books/")
            var filter: Filter?
            var tags: [String]?
        }
        let client = SpyClient(.ok, "[]")
        let remote = try HTTPDispatcher(
            MessageAPI.open { Find.self },
            baseURL: BaseURL("https://shop.example/v1"),
            client: client
        )
        _ = try await remote.dispatch(Find(filter: Filter(), tags: []))
        _ = try await remote.dispatch(Find(filter: Filter(title: "Duet"), tags: ["a", ""]))
        #expect(client.sent.map(\.request.path) == ["/v1/books/", "/v1/books/?title=Duet&tags=a&tags="])
    }

    @Test func `a server refuses to mount it`() throws {
        let api = try HTTPAPI {
            CountBooks.self
            FindOffer.self
        }
        #expect(api.endpoints.map { $0.message is any ThirdPartyQuery.Type } == [true, false])
        #expect(throws: HTTPMessageError.notServed(message: CountBooks.messageName)) {
            _ = try CountBooks.payload(from: 1, answering: CountBooks())
        }
    }
}
