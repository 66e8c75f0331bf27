import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// From a message to its handler and back, through everything except a network.
struct LoopTests {
    private let journal = Journal()
    private let dispatcher: HTTPDispatcher

    init() throws {
        let messages = MessageAPI("shop", throwing: ShopClosed.self, authorized: .open) {
            OrderBook.self
            RemoveBook.self
            FindBook.self
            FindCover.self
            FindOffer.self
            FindSample.self
            FindPrice.self
        }
        dispatcher = try HTTPDispatcher(
            messages,
            baseURL: BaseURL(#require(URL(string: "https://shop.example"))),
            client: RouterClient(api: HTTPAPI(messages), dispatcher: Shop.dispatcher(journal))
        )
    }

    @Test func `commands are handled and return nothing`() async throws {
        try await dispatcher.dispatch(OrderBook(id: 7, copies: 2))
        try await dispatcher.dispatch(RemoveBook(id: -7))
        #expect(journal.entries == ["order 7 2", "remove -7"])
    }

    @Test func `a value is read as it was written, also a text with every kind of character`() async throws {
        #expect(try await dispatcher.dispatch(FindBook(id: 1)) == .emma)
        let title = "a+b %2F&=é\u{1F600}\n\u{0}"
        #expect(try await dispatcher.dispatch(FindBook(id: 1, language: title)).title == title)
    }

    @Test func `bytes are read with their media type and entity tag`() async throws {
        let cover = try await dispatcher.dispatch(FindCover(id: 3))
        #expect(cover == HTTPBytes(Data([0, 255, 3]), mediaType: "image/png", entityTag: "tag"))
    }

    @Test func `nil is read as nil, and a value as a value`() async throws {
        #expect(try await dispatcher.dispatch(FindOffer()) == nil)
        #expect(try await dispatcher.dispatch(FindSample(id: 0)) == nil)
        #expect(try await dispatcher.dispatch(FindSample(id: 1))?.data == Data("It is".utf8))
    }

    @Test func `a value is read through a payload that differs from it`() async throws {
        #expect(try await dispatcher.dispatch(FindPrice(id: 250)).cents == 250)
    }

    @Test func `an error that a message declares is caught as the type that was thrown`() async throws {
        await #expect(throws: OutOfStock(bookID: .max, nextDelivery: Date(timeIntervalSince1970: 0.25))) {
            try await dispatcher.dispatch(OrderBook(id: 404))
        }
        await #expect(throws: OrderRefused.tooMany(limit: 3)) { try await dispatcher.dispatch(OrderBook(id: 405)) }
    }

    @Test func `an error that the API declares is caught as the type that was thrown`() async throws {
        await #expect(throws: ShopClosed()) { try await dispatcher.dispatch(OrderBook(id: 406)) }
        await #expect(throws: ShopClosed()) { _ = try await dispatcher.dispatch(FindBook(id: 406)) }
    }

    @Test func `an undeclared problem is a failure with all of its details`() async throws {
        let error = await #expect(throws: HTTPFailure.self) { try await dispatcher.dispatch(OrderBook(id: 500)) }
        #expect(error?.response.status == .conflict)
        #expect(error?.problem?.type == Undeclared.problemType)
        #expect(error?.problem?.extensions == ["shelf": .integer(3)])
        #expect("\(try #require(error))".contains("add .throwing(…) with the HTTPProblem of this problemType"))
    }

    @Test func `an error that is not a problem is a 500 without details`() async throws {
        let error = await #expect(throws: HTTPFailure.self) { try await dispatcher.dispatch(OrderBook(id: 502)) }
        let failure = try #require(error)
        #expect(failure.response.status == .internalServerError)
        #expect(failure.body.isEmpty)
        #expect(!"\(failure)".contains("hunter2"))
    }

    @Test func `a handler that takes too long is a failure without internal names`() async throws {
        let error = await #expect(throws: HTTPFailure.self) { try await dispatcher.dispatch(OrderBook(id: 504)) }
        let failure = try #require(error)
        #expect(failure.response.status == .gatewayTimeout)
        #expect(failure.problem?.status == 504)
        #expect(!String(decoding: failure.body, as: UTF8.self).contains("hunter2"))
    }

    @Test func `a canceled handler is not a response`() async throws {
        await #expect(throws: CancellationError.self) { try await dispatcher.dispatch(OrderBook(id: 501)) }
    }
}
