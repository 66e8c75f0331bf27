import AsyncHTTPClient
import Duet
public import DuetHTTP
public import Foundation
public import HTTPTypes
import NIOCore
import NIOHTTP1

/// Sends requests with AsyncHTTPClient, within one deadline and one body limit.
///
/// Redirects are followed here: credentials never cross to another origin, and nothing leaves `https` for `http`.
/// Compressed bodies are neither asked for nor unpacked. ``shutdown()`` must have been called before the last copy goes.
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

    /// Sends the request and follows redirects; the deadline covers all of it, from the connection to the last byte.
    ///
    /// - Throws: ``HTTPClientError`` when there was no complete answer; `CancellationError` when the task was cancelled,
    ///   which closes the connection that the request is on.
    public func send(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        try Task.checkCancellation()
        let deadline = configuration.deadline
        return try await withTimeout(
            deadline,
            clock: clock,
            error: DuetHTTP.HTTPClientError.deadlineExceeded(url: request.loggableURL, after: deadline)
        ) {
            try await exchange(request, body: body)
        }
    }

    private func exchange(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        var (request, body) = (request, body)
        var redirects = Redirects(limit: configuration.maximumRedirects, start: request)
        while true {
            do {
                let outgoing = try HTTPClientRequest(request, body: body)
                // The deadline is kept by `send`: this one would cover the head alone.
                let answer = try await client.execute(outgoing, deadline: .distantFuture)
                let response = HTTPResponse(answer)
                guard let next = try redirects.next(after: response, to: request, body: body) else {
                    return (response, try await collect(answer, to: request))
                }
                (request, body) = next
            } catch {
                throw configuration.translate(error, request: request)
            }
        }
    }

    private func collect(_ answer: HTTPClientResponse, to request: HTTPRequest) async throws -> Data {
        let limit = configuration.maximumBodySize
        let tooLarge = DuetHTTP.HTTPClientError.bodyTooLarge(url: request.loggableURL, limit: limit)
        let announced = request.method == .head ? nil : answer.headers.first(name: "Content-Length").flatMap { Int($0) }
        // A 304 tells the length of the body that it leaves out.
        if let announced, announced > limit, answer.status != .notModified { throw tooLarge }

        var data = Data()
        for try await buffer in answer.body {
            guard buffer.readableBytes <= limit - data.count else { throw tooLarge }
            data.append(contentsOf: buffer.readableBytesView)
        }
        // A stream may end quietly when its task is cancelled: what was read would then look complete.
        try Task.checkCancellation()
        return data
    }
}
