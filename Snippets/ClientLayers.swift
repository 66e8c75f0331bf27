//! The layers of a client: limits, a cache, tokens, telemetry, retry, redirects, a deadline and a log; a custom layer;
//! and the declarations of a message for them.

import Duet
import DuetAsyncHTTPClient
import DuetContext
import DuetHTTP
import DuetHTTPCaching
import DuetTelemetry
import DuetTesting
import Foundation
import HTTPTypes
import ServiceContextModule

// snippet.layers
func decorate(_ client: any HTTPClient, tokens: some TokenSource) -> any HTTPClient {
    client
        // Requests that wait for their next attempt do not count.
        .limiting(concurrency: 20, waiting: 1_000)
        // Sees the credentials, so it knows whose a response is.
        .caching()
        // Each attempt has the token that is current at the time, a measurement and a span.
        .authenticated(by: tokens)
        .measuring()
        .tracing()
        .retrying(HTTPRetryPolicy(maximumAttempts: 4, budget: .share(0.5, reserve: 20)))
        // Outside of retry: the GET after a command is retried, the command is not.
        .followingRedirects()
        .limiting(bodySize: 1_000_000)
        // Covers everything above.
        .deadline(.seconds(30))
        // One line per request; inside of retry, one per attempt.
        .logging { print($0) }
}
// snippet.end

// snippet.refresh
struct TokenPair: Codable, Sendable {
    let access: String
    let refresh: String
}

actor RefreshTokens: TokenSource {
    private var pair: TokenPair
    private let renew: @Sendable @concurrent (_ refreshToken: String) async throws -> TokenPair

    init(_ pair: TokenPair, renew: @escaping @Sendable @concurrent (String) async throws -> TokenPair) {
        self.pair = pair
        self.renew = renew
    }

    func current() async throws -> String? { pair.access }

    func refresh(replacing rejected: String?) async throws -> String? {
        pair = try await renew(pair.refresh)
        return pair.access
    }
}
// snippet.end

// snippet.constant
func makeDispatcher(to server: BaseURL, _ client: any HTTPClient) -> HTTPDispatcher {
    let client = client.authenticated(by: .bearer("a-long-secret"))
    return HTTPDispatcher(baseURL: server, client: client)
}
// snippet.end

// snippet.basic
func makeBasicDispatcher(to server: BaseURL, _ client: any HTTPClient) -> HTTPDispatcher {
    let client = client.authenticated(by: .basic(user: "ada", password: "p@ss/w:rd"))
    return HTTPDispatcher(baseURL: server, client: client)
}
// snippet.end

// snippet.message
// GET health, which is sent every second, so a retry would be too late.
struct LoadHealth: HTTPQuery {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("health").bypassing(RetryingHTTPClient.self)
}

func isHealthy(_ api: some QueryDispatcher) async throws -> Bool {
    try await withDeadline(in: .milliseconds(500)) { try await api.dispatch(LoadHealth()) } == "fine"
}
// snippet.end

// snippet.nio
func printHealth(of server: BaseURL) async throws {
    try await withNIOHTTPClient { client in
        let api = HTTPDispatcher(baseURL: server, client: client.retrying())
        print(try await api.dispatch(LoadHealth()))
    }
}
// snippet.end

struct OrderBook: HTTPCommand {
    static let route: CommandRoute<Self> = .post("orders")
    let book: String
}

// snippet.key
func order(_ order: OrderBook, key: String, with api: some CommandDispatcher) async throws {
    try await withIdempotencyKey(key) { try await api.dispatch(order) }
}
// snippet.end

// snippet.decorator
struct RejectionPrinting: HTTPClientDecorator {
    let base: any HTTPClient
    var summary: String { "print rejections" }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        let (response, received) = try await base.send(request, body: body)
        if response.status.kind == .clientError {
            print("\(HTTPRequestOptions.current.messageName ?? request.method.rawValue): \(response.status)")
        }
        return (response, received)
    }
}
// snippet.end

// snippet.policies
let stubborn = HTTPRetryPolicy(
    maximumAttempts: 5,
    backoff: .exponential(initial: .milliseconds(200), maximum: .seconds(5)),
    statuses: HTTPRetryPolicy.retriedStatuses.union([500]),
    errors: [.connectionFailed],
    maximumRetryAfter: .seconds(60),
    budget: .unlimited
)
// snippet.end

// snippet.test
func testThatAnOrderIsRepeated() async throws {
    let client = MockHTTPClient()
    client.expect(.post, "/orders", status: .badGateway)
    client.expect(.post, "/orders", status: .noContent)

    let api = HTTPDispatcher(baseURL: try BaseURL("http://localhost"), client: client.retrying())
    try await order(OrderBook(book: "Emma"), key: "order-7", with: api)
    assert(client.requestLines == ["POST /orders", "POST /orders"])
    assert(client.missing == [])
}
// snippet.end

@main
enum ClientLayers {
    static func main() async throws {
        try await testThatAnOrderIsRepeated()
        let server = try BaseURL("http://shop.example")
        let mock = MockHTTPClient()
        mock.expect(.get, "/health", json: #""fine""#)
        mock.expect(.post, "/orders", status: .badGateway)
        mock.expect(.post, "/orders", status: .conflict)

        let tokens = RefreshTokens(TokenPair(access: "first", refresh: "1")) { old in
            TokenPair(access: "after-\(old)", refresh: "2")
        }
        guard try await tokens.refresh(replacing: "first") == "after-1", try await tokens.current() == "after-1" else {
            preconditionFailure("The new token must be kept.")
        }
        let client = RejectionPrinting(base: decorate(mock, tokens: tokens))
        print(client.layers.joined(separator: "\n"))
        let api = HTTPDispatcher(baseURL: server, client: client)

        guard try await isHealthy(api) else { preconditionFailure("The server must be healthy.") }
        do {
            try await order(OrderBook(book: "Emma"), key: "order-7", with: api)
        } catch let failure as HTTPFailure {
            // The response to the first attempt had the status 502, the second 409.
            precondition(failure.attempts.count == 2)
        }
        precondition(mock.missing == [])
    }
}
