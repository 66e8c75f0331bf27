import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

struct HTTPDispatcherProblemTests {
    private func dispatcher(_ client: SpyClient, _ settings: HTTPSettings = HTTPSettings()) throws -> HTTPDispatcher {
        HTTPDispatcher(
            baseURL: try BaseURL(#require(URL(string: "https://shop.example"))),
            client: client,
            settings: settings
        )
    }

    @Test func `a declared problem is thrown as the type that it was declared with`() async throws {
        let body = #"{"type": "\#(OutOfStock.problemType)", "status": 409, "bookID": 9007199254740993, "new": 1}"#
        let client = SpyClient(.conflict, body, mediaType: "application/problem+json")
        await #expect(throws: OutOfStock(bookID: 9_007_199_254_740_993, nextDelivery: nil)) {
            try await dispatcher(client).dispatch(OrderBook(id: 1))
        }
    }

    @Test func `a problem that another message declares is a failure`() async throws {
        let body = #"{"type": "\#(OutOfStock.problemType)", "bookID": 1}"#
        let client = SpyClient(.conflict, body, mediaType: "application/problem+json")
        let error = await #expect(throws: HTTPFailure.self) {
            _ = try await dispatcher(client).dispatch(FindBook(id: 1))
        }
        #expect(error?.problem?.type == OutOfStock.problemType)
    }

    @Test func `a problem that the API declares is thrown for any of its messages`() async throws {
        let body = #"{"type": "\#(ShopClosed.problemType)"}"#
        let client = SpyClient(.serviceUnavailable, body, mediaType: "application/problem+json")
        let settings = HTTPSettings(problems: [ShopClosed.self])
        await #expect(throws: ShopClosed()) { _ = try await dispatcher(client, settings).dispatch(FindOffer()) }
        await #expect(throws: ShopClosed()) { try await dispatcher(client, settings).dispatch(OrderBook(id: 1)) }
    }

    @Test func `a declared problem without its members is a failure that keeps what there is`() async throws {
        let body = #"{"type": "\#(OutOfStock.problemType)", "detail": "D"}"#
        let client = SpyClient(.conflict, body, mediaType: "application/problem+json")
        let error = await #expect(throws: HTTPFailure.self) { try await dispatcher(client).dispatch(OrderBook(id: 1)) }
        #expect(error?.problem == ProblemDetails(type: OutOfStock.problemType, detail: "D"))
    }
}
