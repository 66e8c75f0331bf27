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
        let deadline = configuration.deadline
        let outgoing = try URLRequest(request, body: body)
        let limit = HTTPRequestOptions.current.bodyLimit(atMost: configuration.maximumBodySize)
        return try await withTimeout(
            deadline,
            clock: clock,
            error: HTTPClientError.deadlineExceeded(url: request.loggableURL, after: deadline)
        ) {
            try await exchanges.perform(outgoing, for: request, limit: limit)
        }
    }
}
