import Duet
import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes
import ServiceContextModule
import Testing

struct HTTPDispatcherRequestTests {
    private let client = SpyClient()

    private func dispatcher(
        _ url: String = "https://shop.example/api",
        settings: HTTPSettings = HTTPSettings()
    ) throws -> HTTPDispatcher {
        HTTPDispatcher(baseURL: try BaseURL(#require(URL(string: url))), client: client, settings: settings)
    }

    private func request() throws -> HTTPRequest {
        try #require(client.sent.first).request
    }

    @Test func `a command is sent as its type describes`() async throws {
        try await dispatcher().dispatch(OrderBook(id: 7, copies: 2))
        let request = try request()
        #expect(request.method == .post)
        #expect(request.scheme == "https")
        #expect(request.authority == "shop.example")
        #expect(request.path == "/api/books/7/orders")
        #expect(request.headerFields[.contentType] == "application/json")
        #expect(request.headerFields[.authorization] == nil)
        #expect(client.sent.map(\.body) == [Data(#"{"copies":2}"#.utf8)])
    }

    @Test func `a query is sent as its type describes`() async throws {
        _ = try? await dispatcher().dispatch(FindBook(id: 7, language: "a&b"))
        let request = try request()
        #expect(request.method == .get)
        #expect(request.path == "/api/books/7?language=a%26b")
        #expect(request.headerFields[.contentType] == nil)
        #expect(client.sent.map(\.body) == [nil])
    }

    @Test(
        arguments: [
            ("http://a.example", "/offer"), ("http://a.example/", "/offer"), ("http://a.example/b", "/b/offer"),
            ("http://a.example/b//", "/b/offer"), ("http://a.example/%2F", "/%2F/offer"),
        ]
    )
    func `a path is appended to the base URL's`(url: String, path: String) async throws {
        _ = try await dispatcher(url).dispatch(FindOffer())
        #expect(try request().path == path)
    }

    @Test(
        arguments: [
            ("http://a.example", "/"), ("http://a.example/", "/"), ("http://a.example/b", "/b"),
            ("http://a.example/b/", "/b"),
        ]
    )
    func `a message without a path is sent to the base URL itself`(url: String, path: String) async throws {
        _ = try await dispatcher(url).dispatch(FindRoot())
        _ = try await dispatcher(url).dispatch(FindRoot(page: 2))
        #expect(client.sent.map(\.request.path) == [path, path + "?page=2"])
    }

    @Test func `a request names the accepted media types`() async throws {
        let dispatcher = try dispatcher()
        _ = try await dispatcher.dispatch(FindOffer())
        _ = try await dispatcher.dispatch(FindSample(id: 1))
        try await dispatcher.dispatch(OrderBook(id: 1))
        #expect(
            client.sent.map { $0.request.headerFields[.accept] } == [
                "application/json, application/problem+json", "*/*, application/problem+json",
                "*/*, application/problem+json",
            ]
        )
    }

    @Test func `the API's fields are sent in place of the dispatcher's own`() async throws {
        let settings = HTTPSettings(headers: [.accept: "application/vnd.shop+json", .userAgent: "shop/1"])
        _ = try await dispatcher("https://user:key@shop.example", settings: settings).dispatch(FindOffer())
        let fields = try request().headerFields
        #expect(fields[values: .accept] == ["application/vnd.shop+json"])
        #expect(fields[.userAgent] == "shop/1")
        #expect(fields[.authorization] == "Basic dXNlcjprZXk=")
    }

    @Test func `an idempotency key is sent with commands only`() async throws {
        var context = ServiceContext.topLevel
        context.idempotencyKey = "order-1"
        try await ServiceContext.withValue(context) {
            let dispatcher = try dispatcher()
            try await dispatcher.dispatch(OrderBook(id: 1))
            _ = try await dispatcher.dispatch(FindOffer())
        }
        #expect(client.sent.map { $0.request.headerFields[.idempotencyKey] } == ["order-1", nil])
    }

    @Test func `a message's own idempotency key takes precedence over the task's`() async throws {
        var context = ServiceContext.topLevel
        for key in ["order-1", ""] {
            context.idempotencyKey = key
            try await ServiceContext.withValue(context) { try await dispatcher().dispatch(OnceCommand(id: "own")) }
        }
        #expect(client.sent.map { $0.request.headerFields[values: .idempotencyKey] } == [["own"], ["own"]])
    }

    @Test func `a received key is passed along only with messages of the same name`() async throws {
        var context = ServiceContext.topLevel
        context.receiveIdempotencyKey("order-1", of: OrderBook.messageName)
        try await ServiceContext.withValue(context) {
            try await dispatcher().dispatch(OrderBook(id: 1))
            try await dispatcher().dispatch(RemoveBook(id: 1))
        }
        #expect(client.sent.map { $0.request.headerFields[.idempotencyKey] } == ["order-1", nil])
    }

    @Test(arguments: ["", "a\nb", "a\u{0}b"])
    func `a command with a key that is not a valid field value is not sent`(key: String) async throws {
        var context = ServiceContext.topLevel
        context.idempotencyKey = key
        await ServiceContext.withValue(context) {
            let error = await #expect(throws: HTTPMessageError.self) {
                try await dispatcher().dispatch(OrderBook(id: 1))
            }
            #expect(error.map { "\($0)" }?.contains("its idempotency key must be one line") == true)
        }
        #expect(client.sent.isEmpty)
    }

    @Test func `decorators see the options of the message beside those of the task`() async throws {
        var options = HTTPRequestOptions()
        options.maximumBodySize = 10
        try await options.use { try await dispatcher().dispatch(BurnBook(id: 3)) }
        let told = try #require(client.sent.first).options
        #expect(told.acceptedStatuses == HTTPSettings().acceptedStatuses)
        #expect(told.messageName == "DuetHTTPTests.BurnBook")
        #expect(told.pathTemplate == "fire")
        #expect(told.bypassedDecorators.map { "\($0)" } == ["PassingDecorator"])
        #expect(told.maximumBodySize == 10)
        #expect(HTTPRequestOptions.current.messageName == nil)
    }

    @Test func `each dispatch reports a URL that cannot be a server's address`() async throws {
        let url = try #require(URL(string: "ftp://user:secret@shop.example"))
        let dispatcher = HTTPDispatcher(baseURL: url, client: client)
        for _ in 1...2 {
            let error = await #expect(throws: InvalidBaseURL.self) { try await dispatcher.dispatch(OrderBook(id: 1)) }
            #expect(error?.url == "ftp://shop.example")
            await #expect(throws: InvalidBaseURL.self) { _ = try await dispatcher.dispatch(FindOffer()) }
        }
        #expect(client.sent.isEmpty)
    }
}

/// Sets its own message name.
private struct OnceCommand: HTTPCommand {
    static let route: CommandRoute<Self> = .post("once").requestHeader(.idempotencyKey, \.id)
    let id: String
}
