import AsyncHTTPClient
import Duet
public import DuetHTTP
public import Foundation
public import HTTPTypes
import NIOCore
import NIOHTTP1

/// Sends each request with AsyncHTTPClient, once, within a deadline and a body limit.
///
/// A bare client must not hang, so it has a deadline of its own: the bound of one exchange. A deadline over several
/// exchanges, redirects and retries are decorators, and a redirect is an answer here. HTTP/2 is spoken where a server
/// offers it over TLS. Compression is declined, and what comes compressed all the same is handed on as it is: the fields
/// of an answer describe its bytes.
///
/// ``shutdown()`` must have been called before the last copy goes, or the process ends;
/// ``withNIOHTTPClient(configuration:clock:body:)`` sees to that.
public struct NIOHTTPClient: DuetHTTP.HTTPClient {
    private let configuration: Configuration
    private let clock: any Clock<Duration>
    private let client: AsyncHTTPClient.HTTPClient

    /// Makes a client with connections of its own; `clock` measures the deadline.
    public init(configuration: Configuration = Configuration(), clock: any Clock<Duration> = ContinuousClock()) {
        self.configuration = configuration
        self.clock = clock
        client = AsyncHTTPClient.HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: configuration.underlying
        )
    }

    /// Closes all connections, so that requests under way fail.
    ///
    /// Shutting down twice does nothing more.
    ///
    /// - Throws: What kept a connection from being closed.
    public func shutdown() async throws {
        do {
            try await client.shutdown()
        } catch let error as AsyncHTTPClient.HTTPClientError where error == .alreadyShutdown {
            return
        }
    }

    /// Sends the request; the deadline covers all of it, from the connection to the last byte.
    ///
    /// - Throws: ``HTTPClientError`` when there was no complete answer; `CancellationError` when the task was cancelled,
    ///   which closes the connection that the request is on, or its stream when it is an HTTP/2 connection.
    public func send(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        try Task.checkCancellation()
        let limit = HTTPRequestOptions.current.bodyLimit(atMost: configuration.maximumBodySize)
        return try await within(request) {
            let outgoing = try HTTPClientRequest(request, body: body)
            // The deadline is kept around this: the one given here would cover the head alone.
            let answer = try await client.execute(outgoing, deadline: .distantFuture)
            let response = try HTTPResponse(answer)
            return (response, try await collect(answer.body, of: response, to: request, limit: limit))
        }
    }

    /// Sends the request and returns the response with its body still to come.
    ///
    /// The deadline covers what comes until the head is there, and then each piece of the body. Bodies of any size go through
    /// that the request takes, as none is held; who stops reading closes the connection, or the stream when it is an HTTP/2
    /// connection.
    ///
    /// - Throws: ``HTTPClientError`` when there was no head; `CancellationError` when the task was cancelled.
    public func stream(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try Task.checkCancellation()
        let answer = try await within(request) {
            let outgoing = try HTTPClientRequest(request, stream: body)
            return try await client.execute(outgoing, deadline: .distantFuture)
        }
        let response = try HTTPResponse(answer)
        let size = response.announcedBodySize(to: request).map(Int64.init)
        let pieces = NIOBodyPieces(body: answer.body, client: self, request: request)
        let limit = HTTPRequestOptions.current.maximumBodySize
        return (response, HTTPBody(pieces, size: size).limited(to: limit, answering: request))
    }

    /// Runs a step of an exchange, which must end before the deadline.
    func within<Value: Sendable>(
        _ request: HTTPRequest,
        _ step: @escaping @Sendable @concurrent () async throws -> Value
    ) async throws -> Value {
        let deadline = configuration.deadline
        return try await withTimeout(
            deadline,
            clock: clock,
            error: DuetHTTP.HTTPClientError.deadlineExceeded(url: request.loggableURL, after: deadline)
        ) {
            do {
                return try await step()
            } catch {
                throw configuration.translate(error, request: request)
            }
        }
    }

    private func collect(
        _ body: HTTPClientResponse.Body,
        of response: HTTPResponse,
        to request: HTTPRequest,
        limit: Int
    ) async throws -> Data {
        func tooLarge() -> any Error {
            DuetHTTP.HTTPClientError.bodyTooLarge(url: request.loggableURL, limit: limit)
        }
        let announced = response.announcedBodySize(to: request) ?? 0
        guard announced <= limit else { throw tooLarge() }

        var data = Data()
        // Of what is only announced no more than a little is believed.
        data.reserveCapacity(min(max(announced, 0), 64 * 1024))
        for try await buffer in body {
            guard buffer.readableBytes <= limit - data.count else { throw tooLarge() }
            data.append(contentsOf: buffer.readableBytesView)
        }
        // A stream may end quietly when its task is cancelled: what was read would then look complete.
        try Task.checkCancellation()
        return data
    }
}
