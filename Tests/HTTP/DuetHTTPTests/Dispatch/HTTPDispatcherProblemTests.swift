import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

struct HTTPDispatcherProblemTests {
    @Test func `a declared problem is thrown as its declared type`() async throws {
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

    @Test func `a problem that the list declares is thrown for any of its messages`() async throws {
        let body = #"{"type": "\#(ShopClosed.problemType)"}"#
        let client = SpyClient(.serviceUnavailable, body, mediaType: "application/problem+json")
        let messages = MessageAPI("shop", throwing: ShopClosed.self, authorized: .open) {
            MessageAPI("offers", throwing: OutOfStock.self) { FindOffer.authorized(.open) }
            OrderBook.self
        }
        let base = try BaseURL("https://shop.example")
        let listed = try HTTPDispatcher(messages, baseURL: base, client: client)
        await #expect(throws: ShopClosed()) { _ = try await listed.dispatch(FindOffer()) }
        await #expect(throws: ShopClosed()) { try await listed.dispatch(OrderBook(id: 1)) }
    }

    @Test func `a declared problem without its members is a failure that keeps the rest`() async throws {
        let body = #"{"type": "\#(OutOfStock.problemType)", "detail": "D"}"#
        let client = SpyClient(.conflict, body, mediaType: "application/problem+json")
        let error = await #expect(throws: HTTPFailure.self) { try await dispatcher(client).dispatch(OrderBook(id: 1)) }
        #expect(error?.problem == ProblemDetails(type: OutOfStock.problemType, detail: "D"))
        #expect(
            error?.description == """
                DuetHTTPTests.OrderBook: the server responded with 409 Conflict to POST \
                https://shop.example/books/1/orders: D. Its problem \(OutOfStock.problemType) cannot be read as OutOfStock, which declares it: bookID is missing.
                """
        )
    }

    @Test func `an undeclared problem is named, with the missing declaration`() async throws {
        let body = #"{"type": "urn:shop:moved\n", "title": "Moved"}"#
        let client = SpyClient(.conflict, body, mediaType: "application/problem+json")
        let error = await #expect(throws: HTTPFailure.self) { try await dispatcher(client).dispatch(OrderBook(id: 1)) }
        #expect(
            error?.description == """
                DuetHTTPTests.OrderBook: the server responded with 409 Conflict to POST \
                https://shop.example/books/1/orders: Moved. Its problem urn:shop:moved  is declared by neither DuetHTTPTests.OrderBook nor its list. To catch it as a typed error, add \
                .throwing(…) with the HTTPProblem of this problemType to its route.
                """
        )
    }

    @Test(arguments: ["/out-of-stock", "../../out-of-stock", "//shop.example/out-of-stock"])
    func `a relative type is resolved against the URL of the response`(type: String) async throws {
        let body = #"{"type": "\#(type)", "bookID": 7}"#
        let client = SpyClient(.conflict, body, mediaType: "application/problem+json")
        await #expect(throws: OutOfStock(bookID: 7, nextDelivery: nil)) {
            try await dispatcher(client).dispatch(OrderBook(id: 1))
        }
    }

    /// The error of a shop that does not use RFC 9457.
    private struct ShopError: Codable, Equatable {
        let errorCode: Int
        let raisedAt: Date
    }

    @Test func `an error in the API's own format is read by the coding of the message`() async throws {
        let client = SpyClient(.conflict, #"{"error_code": 7, "raised_at": 1.5}"#, mediaType: "application/json")
        let settings = HTTPSettings(coding: HTTPCoding(keys: .snakeCase, dates: .secondsSince1970))
        let error = await #expect(throws: HTTPFailure.self) {
            try await dispatcher(client, settings).dispatch(OrderBook(id: 1))
        }
        let failure = try #require(error)
        let raised = ShopError(errorCode: 7, raisedAt: Date(timeIntervalSince1970: 1.5))
        #expect(try failure.decode(ShopError.self) == raised)
        #expect(throws: HTTPMessageError.invalid(field: "id", reason: "is missing")) { try failure.decode(Book.self) }
    }
}
