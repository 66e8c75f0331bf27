public import DuetHTTP
import Foundation
public import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends each request with URLSession, once, within a deadline and a body limit.
///
/// ```swift
/// let server = try BaseURL("http://127.0.0.1:8090")
/// let client = URLSessionHTTPClient()
/// ```
///
/// A client without decorators must not hang, so it has a deadline. It sets no second timer where a
/// ``/DuetHTTP/DeadlineHTTPClient`` or another enforced deadline ends the request no later. A redirect is a response
/// here, and so is a 401. See <doc:DuetURLSession> for cookies, trust and compression.
///
/// - Warning: On Linux, prefer NIOHTTPClient, and use this client only for servers that you trust. A server can end the
///   process with a connection that closes within a head, with trailer fields or with an unusual `Location`. Bytes that
///   a server sends without a pause are held in memory after an error, until it stops. A field that is not UTF-8 is an
///   error, the body of a redirect without a usable `Location` is lost, and a private authority must be among those of
///   the system. An IPv6 address cannot be a host. A GET or HEAD is sent twice if the server closes a connection that
///   was used before; each other request has its own connection, and is sent once.
public struct URLSessionHTTPClient: HTTPClient {
    private let configuration: Configuration
    private let limits: ExchangeLimits
    private let exchanges: URLSessionExchanges

    /// Creates a client with its own connections; `clock` measures the deadline.
    public init(configuration: Configuration = Configuration(), clock: any Clock<Duration> = ContinuousClock()) {
        self.configuration = configuration
        limits = ExchangeLimits(
            deadline: configuration.deadline,
            maximumBodySize: configuration.maximumBodySize,
            clock: clock
        )
        exchanges = URLSessionExchanges(configuration.session)
    }

    /// Closes all connections, so that requests under way and later ones fail.
    ///
    /// Until then the client keeps its connections and a little memory, even after the last copy is released.
    public func shutdown() {
        exchanges.shutdown()
    }

    /// Sends the request and returns the response with its body still to be read, or whole if the request's options say
    /// so.
    ///
    /// A request body in pieces is collected before it is sent. The client's deadline covers the time until the head
    /// has arrived, with the body if it is collected, and otherwise each piece of the body. A reader that stops closes
    /// the connection, or the stream of an HTTP/2 connection.
    ///
    /// Bytes that have arrived and were not read are held, up to the configured maximum body size. On Linux, where
    /// URLSession does not slow a server down, a body that is further ahead of its reader fails. The body of a 3xx with
    /// a `Location` is whole there.
    ///
    /// - Throws: ``/DuetHTTP/HTTPClientError`` when there was no complete response, or no head of one with a body to
    ///   be read; `CancellationError` when the task was canceled, which closes the connection or the HTTP/2 stream.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try Task.checkCancellation()
        let outgoing = try URLRequest(request, body: await body?.collectToSend())
        return try await limits.apply(to: request) { [exchanges] maximumHeldSize in
            #if canImport(FoundationNetworking)
                let exchange =
                    request.method == .get || request.method == .head
                    ? try exchanges.exchange(outgoing, for: request, limit: maximumHeldSize)
                    : try exchanges.exchangeAlone(outgoing, for: request, limit: maximumHeldSize)
            #else
                let exchange = try exchanges.exchange(outgoing, for: request, limit: maximumHeldSize)
            #endif
            let response = try await exchange.head()
            let pieces = HTTPBody(Pieces(exchange: exchange), size: response.announcedBodySize(to: request))
            // Dropping the body unread, or no longer reading it, ends the exchange.
            return (response, pieces.ending { _, _ in exchange.abandon(CancellationError()) })
        }
    }

    private struct Pieces: AsyncSequence {
        struct AsyncIterator: AsyncIteratorProtocol {
            let exchange: URLSessionExchange

            mutating func next() async throws -> Data? { try await exchange.next() }
        }

        let exchange: URLSessionExchange

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(exchange: exchange) }
    }
}

extension URLSessionHTTPClient {
    /// The deadline, the body limit and the number of connections of a client.
    public struct Configuration: Hashable, Sendable {
        package var deadline: Duration
        package var maximumBodySize: Int

        /// The largest number of connections to one host over HTTP/1.1; further requests wait for a free one.
        ///
        /// A request uses a connection until its response was read. A live query uses one as long as it is observed.
        public var connectionsPerHost = 100

        /// Creates a configuration, by default with a deadline of 30 seconds and a limit of 16 MiB.
        ///
        /// - Parameters:
        ///   - deadline: How long one exchange may take, including connecting, the head and the body.
        ///   - maximumBodySize: The largest body that is collected, in bytes; the options of a request may set a lower
        ///     limit.
        public init(deadline: Duration = .seconds(30), maximumBodySize: Int = 16 * 1024 * 1024) {
            self.deadline = deadline
            self.maximumBodySize = maximumBodySize
        }
    }
}

extension URLSessionHTTPClient.Configuration {
    /// A session that stores no cookies, credentials or responses, which are the task of decorators.
    var session: URLSessionConfiguration {
        let session = URLSessionConfiguration.ephemeral
        // Six by default, which as many live queries would use up.
        session.httpMaximumConnectionsPerHost = max(1, connectionsPerHost)
        // On Linux, a task that is canceled while its cache is searched traps.
        session.urlCache = nil
        session.requestCachePolicy = .reloadIgnoringLocalCacheData
        session.urlCredentialStorage = nil
        session.httpCookieStorage = nil
        session.httpCookieAcceptPolicy = .never
        session.httpShouldSetCookies = false
        // The client enforces the deadline. On Linux these are whole seconds, and the second one is ignored.
        session.timeoutIntervalForRequest = Self.never
        session.timeoutIntervalForResource = Self.never
        return session
    }

    /// A year in seconds, which is longer than any deadline and overflows no timer.
    static let never: TimeInterval = 31_536_000
}
