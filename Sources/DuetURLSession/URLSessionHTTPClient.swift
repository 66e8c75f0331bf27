import Duet
public import DuetHTTP
public import Foundation
public import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends each request with URLSession, once, within a deadline and a body limit.
///
/// A bare client must not hang, so it has a deadline of its own: the bound of one exchange. A deadline over several
/// exchanges, redirects and retries are decorators: a redirect is an answer here, and so is a 401, whatever it asks for.
/// HTTP/2 is spoken where a server offers it over TLS.
/// Nothing is kept between requests, neither cookies nor credentials nor answers, and the system says whom to trust.
///
/// Compression is declined; URLSession unpacks what comes compressed all the same, and then the fields that described the
/// packed bytes are gone: the fields of an answer describe its bytes. Repeated fields arrive as one, joined by commas.
///
/// - Warning: On Linux, take NIOHTTPClient; take this one only for servers that you trust. There a server can end the
///   process, by a connection that closes within a head, by trailer fields or by an odd `Location`. One that pours bytes in
///   without a pause is read on after the error, in memory, until it stops. A field that is not UTF-8 is an error, the body
///   of a redirect without a usable `Location` is lost, and a private authority must be among those of the system.
public struct URLSessionHTTPClient: HTTPClient {
    private let configuration: Configuration
    private let clock: any Clock<Duration>
    private let exchanges: Exchanges

    /// Makes a client with connections of its own; `clock` measures the deadline.
    public init(configuration: Configuration = Configuration(), clock: any Clock<Duration> = ContinuousClock()) {
        self.configuration = configuration
        self.clock = clock
        exchanges = Exchanges()
    }

    /// Closes all connections, so that requests under way fail, and later ones too.
    ///
    /// Until then the client keeps its connections and a little memory, even when the last copy is gone.
    public func shutdown() {
        exchanges.shutdown()
    }

    /// Sends the request; the deadline covers all of it, from the connection to the last byte.
    ///
    /// - Throws: ``HTTPClientError`` when there was no complete answer; `CancellationError` when the task was cancelled,
    ///   which closes the connection that the request is on, or its stream when it is an HTTP/2 connection.
    public func send(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        try Task.checkCancellation()
        let outgoing = try URLRequest(request, body: body)
        let limit = HTTPRequestOptions.current.bodyLimit(atMost: configuration.maximumBodySize)
        return try await within(request) {
            try await exchanges.exchange(outgoing, for: request, limit: limit).answer()
        }
    }

    /// Sends the request, whose body is read whole before, and returns the response with its body still to come.
    ///
    /// The deadline covers what comes until the head is there, and then each piece of the body. Bodies of any size go through
    /// that the request takes; who stops reading closes the connection, or the stream when it is an HTTP/2 connection. What has
    /// come and was not read yet is held, and no more of it than the largest body that the client takes: on Linux, where
    /// nothing keeps a server from sending, one that is further ahead of the reader is an error. The body of a 3xx with a
    /// `Location` is whole there.
    ///
    /// - Throws: ``HTTPClientError`` when there was no head; `CancellationError` when the task was cancelled.
    public func stream(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try Task.checkCancellation()
        let outgoing = try URLRequest(request, body: await body?.collectToSend())
        let unread = configuration.maximumBodySize
        let (exchange, response) = try await within(request) {
            let exchange = try exchanges.exchange(outgoing, for: request, limit: unread)
            return (exchange, try await exchange.head())
        }
        let pieces = Pieces(exchange: exchange, client: self, request: request)
        let size = response.announcedBodySize(to: request).map(Int64.init)
        // Who drops it unread, or stops reading, has it end.
        let answer = HTTPBody(pieces, size: size).ending { _, _ in exchange.abandon(CancellationError()) }
        return (response, answer.limited(to: HTTPRequestOptions.current.maximumBodySize, answering: request))
    }

    /// Runs a step of an exchange, which must end before the deadline.
    private func within<Value: Sendable>(
        _ request: HTTPRequest,
        _ step: @escaping @Sendable @concurrent () async throws -> Value
    ) async throws -> Value {
        let deadline = configuration.deadline
        let error = HTTPClientError.deadlineExceeded(url: request.loggableURL, after: deadline)
        return try await withTimeout(deadline, clock: clock, error: error) { try await step() }
    }

    /// The body of an answer, piece by piece, each of which must come before the client's deadline.
    private struct Pieces: AsyncSequence, Sendable {
        struct AsyncIterator: AsyncIteratorProtocol {
            let pieces: Pieces

            mutating func next() async throws -> Data? {
                let exchange = pieces.exchange
                return try await pieces.client.within(pieces.request) { try await exchange.next() }
            }
        }

        let exchange: Exchange
        let client: URLSessionHTTPClient
        let request: HTTPRequest

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: self) }
    }
}
