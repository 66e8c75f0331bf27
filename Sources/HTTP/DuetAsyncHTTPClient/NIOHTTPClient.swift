import AsyncHTTPClient
public import DuetHTTP
import Foundation
public import HTTPTypes
import NIOCore

/// Sends each request with AsyncHTTPClient, once, within a deadline and a body limit.
///
/// A client without decorators must not hang, so it has a deadline. It sets no second timer where a
/// ``/DuetHTTP/DeadlineHTTPClient`` or another enforced deadline ends the request no later. Redirects and retries are
/// decorators, and a redirect is a response here. The client uses HTTP/1.1, and HTTP/2 where
/// ``Configuration/offersHTTP2`` is set and a server offers it over TLS. It declines compression, and returns
/// compressed content unchanged: the fields of a response describe its bytes.
///
/// Call ``shutdown()`` before the last copy is released, or the process ends;
/// ``withNIOHTTPClient(configuration:clock:body:)`` does that.
public struct NIOHTTPClient: DuetHTTP.HTTPClient {
    private let errors: NIOErrors
    private let limits: ExchangeLimits
    private let client: AsyncHTTPClient.HTTPClient

    /// Creates a client with its own connections; `clock` measures the deadline.
    public init(configuration: Configuration = Configuration(), clock: any Clock<Duration> = ContinuousClock()) {
        errors = NIOErrors(deadline: configuration.deadline)
        limits = ExchangeLimits(
            deadline: configuration.deadline,
            maximumBodySize: configuration.maximumBodySize,
            clock: clock
        )
        client = AsyncHTTPClient.HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration.underlying)
    }

    /// Closes all connections, so that requests under way fail.
    ///
    /// Further calls have no effect.
    ///
    /// - Throws: The error of a connection that could not be closed.
    public func shutdown() async throws {
        errors.noteShutdown()
        do {
            try await client.shutdown()
        } catch let error as AsyncHTTPClient.HTTPClientError where error == .alreadyShutdown {
            return
        }
    }

    /// Sends the request and returns the response with its body still to be read, or whole if the request's options say
    /// so.
    ///
    /// The client's deadline covers the time until the head has arrived, with the body if it is collected, and
    /// otherwise each piece of the body. A body of any size can be read in pieces, because none is held. A reader that
    /// stops closes the connection, or the stream of an HTTP/2 connection.
    ///
    /// If a server refuses a request before it has read the body and closes the connection, the response has the status
    /// and the fields, and may be without its content, unless the message accepts the status. A server that resets the
    /// connection may destroy its response.
    ///
    /// A request that an HTTP/2 server has not processed is sent again at once, at most three times (RFC 9113, section
    /// 8.7).
    ///
    /// - Throws: ``/DuetHTTP/HTTPClientError`` when there was no complete response, or no head of one with a body to
    ///   be read; `CancellationError` when the task was canceled, which closes the connection or the HTTP/2 stream.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let accepted = HTTPRequestOptions.current.acceptedStatuses
        return try await limits.apply(to: request) { [client, errors] _ in
            var repeats = body.canBeSentAgain ? 3 : 0
            while true {
                do {
                    let outgoing = try HTTPClientRequest(request, body: body)
                    // The limits bound this: a deadline given here would cover the head alone.
                    let received = try await client.execute(outgoing, deadline: .distantFuture)
                    let response = try HTTPResponse(received)
                    try response.checkText()
                    let pieces = NIOBodyPieces(
                        body: received.body,
                        errors: errors,
                        request: request,
                        mayEndEarly: body != nil && response.status.code >= 400
                            && !accepted.contains(response.status.code)
                    )
                    return (response, HTTPBody(pieces, size: response.announcedBodySize(to: request)))
                } catch  where repeats > 0 && errors.isUnprocessed(error) && !Task.isCancelled {
                    repeats -= 1
                } catch {
                    throw errors.translate(error, request: request)
                }
            }
        }
    }
}

private struct NIOBodyPieces: AsyncSequence, Sendable {
    let body: HTTPClientResponse.Body
    let errors: NIOErrors
    let request: HTTPRequest

    /// Whether the response refuses a request with a body, so that its status counts even if its content is lost.
    ///
    /// AsyncHTTPClient closes the connection after such a response. If the end of the request is still to be written
    /// then, it fails the response for that reason.
    let mayEndEarly: Bool

    struct AsyncIterator: AsyncIteratorProtocol {
        var iterator: HTTPClientResponse.Body.AsyncIterator
        let pieces: NIOBodyPieces

        mutating func next() async throws -> Data? {
            do {
                let buffer = try await iterator.next(isolation: #isolation)
                // The sequence may end without an error when its task is canceled, and would then look complete.
                try Task.checkCancellation()
                return buffer.map { Data($0.readableBytesView) }
            } catch ChannelError.ioOnClosedChannel where pieces.mayEndEarly {
                return nil
            } catch {
                throw pieces.errors.translate(error, request: pieces.request, isOfBody: true)
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iterator: body.makeAsyncIterator(), pieces: self)
    }
}

/// Runs `body` with a new client, which is shut down however `body` ends, also when the task is canceled.
///
/// ```swift
/// try await withNIOHTTPClient { client in
///     let api = HTTPDispatcher(baseURL: server, client: client.retrying())
///     print(try await api.dispatch(LoadHealth()))
/// }
/// ```
///
/// - Throws: The error of `body`, or the error of a connection that could not be closed.
public func withNIOHTTPClient<Value>(
    configuration: NIOHTTPClient.Configuration = NIOHTTPClient.Configuration(),
    clock: any Clock<Duration> = ContinuousClock(),
    body: (NIOHTTPClient) async throws -> Value
) async throws -> Value {
    let client = NIOHTTPClient(configuration: configuration, clock: clock)
    let value: Value
    do {
        value = try await body(client)
    } catch {
        // The error of the body is more useful than that of a connection that could not be closed.
        try? await client.shutdown()
        throw error
    }
    try await client.shutdown()
    return value
}
