import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

struct HTTPDispatcherLookUpTests {
    private let counter = LookUpCounter()
    private let client = SpyClient(.ok, #"{"id": 1, "title": "Emma", "published": "1815-12-23T00:00:00Z"}"#)
    private let baseURL: BaseURL

    init() throws {
        baseURL = try BaseURL(#require(URL(string: "https://shop.example")))
    }

    @Test func `a message's route is read at the first dispatch only, also by copies of the dispatcher`()
        async throws
    {
        let dispatcher = HTTPDispatcher(baseURL: baseURL, client: client)
        let copy = dispatcher
        try await LookUpCounter.$current.withValue(counter) {
            _ = try await dispatcher.dispatch(FindBook(id: 0))
            let lookUps = counter.lookUps
            #expect(lookUps > 0)
            for id in 1...10 {
                _ = try await dispatcher.dispatch(FindBook(id: id))
                _ = try await copy.dispatch(FindBook(id: id))
            }
            #expect(counter.lookUps == lookUps)
        }
        #expect(client.sent.count == 21)
    }

    @Test func `the error of an unsendable message type is kept too`() async throws {
        let dispatcher = HTTPDispatcher(baseURL: baseURL, client: client)
        await LookUpCounter.$current.withValue(counter) {
            for _ in 1...3 {
                await #expect(throws: HTTPMessageError.notAnHTTPMessage(message: "Shop.WhisperTitle")) {
                    try await dispatcher.dispatch(WhisperTitle())
                }
            }
        }
        #expect(counter.lookUps == 1)
        #expect(client.sent.isEmpty)
    }

    @Test func `many first dispatches at once are all sent`() async throws {
        let dispatcher = HTTPDispatcher(baseURL: baseURL, client: client)
        try await withThrowingTaskGroup(of: Book.self) { group in
            for id in 1...100 { group.addTask { try await dispatcher.dispatch(FindBook(id: id)) } }
            for try await book in group { #expect(book.title == "Emma") }
        }
        #expect(Set(client.sent.map(\.request.path)).count == 100)
    }

    @Test func `a query that is not an HTTP query is refused by its name`() async throws {
        await #expect(throws: HTTPMessageError.notAnHTTPMessage(message: "DuetHTTPTests.CountTitles")) {
            _ = try await HTTPDispatcher(baseURL: baseURL, client: client).dispatch(CountTitles())
        }
    }

    @Test func `a dispatcher of an API sends its messages by its settings, and refuses all others`() async throws {
        let settings = HTTPSettings(headers: [.userAgent: "shop/1"])
        let messages = MessageAPI("shop", authorized: .open) {
            FindBook.self
            OrderBook.self
        }
        let dispatcher = try HTTPDispatcher(messages, baseURL: baseURL, client: client, settings: settings)
        _ = try await dispatcher.dispatch(FindBook(id: 1))
        try await dispatcher.dispatch(OrderBook(id: 1))
        #expect(client.sent.map { $0.request.headerFields[.userAgent] } == ["shop/1", "shop/1"])
        for _ in 1...2 {
            let error = await #expect(throws: MessageAPIError.self) { try await dispatcher.dispatch(BurnBook(id: 1)) }
            #expect(
                error?.description
                    == "DuetHTTPTests.BurnBook is not in the API “shop”: add BurnBook.self to its list."
            )
            await #expect(throws: MessageAPIError.self) { _ = try await dispatcher.dispatch(FindOffer()) }
        }
        #expect(client.sent.count == 2)
    }

    @Test func `each dispatch reports an invalid declaration, and nothing is sent`() async throws {
        let dispatcher = HTTPDispatcher(baseURL: baseURL, client: client)
        for _ in 1...2 {
            let error = await #expect(throws: InvalidMessageAPI.self) {
                try await dispatcher.dispatch(OrderTwice())
            }
            #expect(
                error?.description
                    == "OutOfStock and Impostor both have the problemType \(OutOfStock.problemType). Give each its own."
            )
        }
        #expect(client.sent.isEmpty)
    }

    private struct OrderTwice: HTTPCommand {
        static let route: CommandRoute<Self> = .post("orders").throwing(OutOfStock.self, Impostor.self)
    }

    /// With the identifier of another problem.
    private struct Impostor: HTTPProblem {
        static let problemType = OutOfStock.problemType
        var status: HTTPResponse.Status { .conflict }
    }
}
