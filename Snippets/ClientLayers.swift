//! What a client can be made to do: limits, tokens, telemetry, retry, redirects, a deadline, a log, and what a message says to it.

import Duet
import DuetContext
import DuetHTTP
import DuetTelemetry
import DuetTesting
import Foundation
import HTTPTypes
import ServiceContextModule

// snippet.layers
func decorate(_ client: any HTTPClient, tokens: some TokenSource) -> any HTTPClient {
    client
        // A request that waits for its next attempt is not counted.
        .limiting(concurrency: 20, waiting: 1_000)
        // Each attempt has the token current at the time, a measurement and a span.
        .authenticated(by: tokens)
        .measuring()
        .tracing()
        .retrying(HTTPRetryPolicy(maximumAttempts: 4, budget: .share(0.5, reserve: 20)))
        // Outside of retry: the page after a command is retried, the command is not.
        .followingRedirects()
        .limiting(bodySize: 1_000_000)
        // Covers everything above.
        .deadline(.seconds(30))
        // One line per request; inside of retry, one per attempt.
        .logging { print($0) }
}
// snippet.end

/// What an issuer of tokens answers to a login and to a refresh (RFC 6749, section 5.1).
struct TokenPair: Codable, Sendable {
    let access: String
    let refresh: String
}

// snippet.refresh
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

// snippet.message
// GET health, asked for every second: the next time is soon enough.
struct LoadHealth: HTTPQuery {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("health").bypassing(RetryingHTTPClient.self)
}

func isHealthy(_ api: some QueryDispatcher) async throws -> Bool {
    try await withDeadline(in: .milliseconds(500)) { try await api.dispatch(LoadHealth()) } == "fine"
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

// snippet.curl
struct CurlPrinting: HTTPClientDecorator {
    let base: any HTTPClient
    var summary: String { "curl" }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        let (response, received) = try await base.send(request, body: body)
        if response.status.kind == .clientError { print(request.curl(body: body?.whole)) }
        return (response, received)
    }
}
// snippet.end

@main
enum ClientLayers {
    static func main() async throws {
        guard let url = URL(string: "http://shop.example") else { throw URLError(.badURL) }
        let server = try BaseURL(url)
        let mock = MockHTTPClient()
        mock.expect(.get, "/health", json: #""fine""#)
        mock.expect(.post, "/orders", status: .badGateway)
        mock.expect(.post, "/orders", status: .conflict)

        let tokens = RefreshTokens(TokenPair(access: "first", refresh: "1")) { old in
            TokenPair(access: "after-\(old)", refresh: "2")
        }
        guard try await tokens.refresh(replacing: "first") == "after-1", try await tokens.current() == "after-1" else {
            preconditionFailure("The new token is kept.")
        }
        let client = CurlPrinting(base: decorate(mock, tokens: tokens))
        print(client.layers.joined(separator: "\n"))
        let api = HTTPDispatcher(baseURL: server, client: client)

        guard try await isHealthy(api) else { preconditionFailure("It is fine.") }
        do {
            try await order(OrderBook(book: "Emma"), key: "order-7", with: api)
        } catch let failure as HTTPFailure {
            // The first attempt was answered with 502, the second with 409.
            precondition(failure.attempts.count == 2)
        }
        precondition(mock.missing == [])
    }
}
