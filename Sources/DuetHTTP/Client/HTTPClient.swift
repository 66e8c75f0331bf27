public import Foundation
public import HTTPTypes

/// Sends a request and returns the answer, whatever its status.
public protocol HTTPClient: Sendable {
    /// Sends the request with its body and returns the response with its whole body.
    ///
    /// - Parameters:
    ///   - request: Method, scheme, authority, path and header fields.
    ///   - body: The bytes to send, or nil for none.
    /// - Throws: ``HTTPClientError`` when there was no complete answer; `CancellationError` when the task was cancelled.
    func send(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data)

    /// Sends the request and returns the response as soon as its head is there; the body comes as it is read.
    ///
    /// A client that does not say how to do this sends the request as ``send(_:body:)`` does, and has the whole body first,
    /// within the limits it has for that. Of those in Duet the client over AsyncHTTPClient and the HTTP cache hand on bodies as
    /// they come; the one over URLSession and all other decorators do not, wherever they stand: put none of them around or
    /// under a cache whose bodies are to stream.
    ///
    /// - Parameters:
    ///   - request: Method, scheme, authority, path and header fields.
    ///   - body: The bytes to send, or nil for none.
    /// - Throws: ``HTTPClientError`` when there was no head; `CancellationError` when the task was cancelled.
    func stream(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody)
}

extension HTTPClient {
    /// Sends a request that has no body.
    ///
    /// - Throws: ``HTTPClientError`` when there was no complete answer; `CancellationError` when the task was cancelled.
    public func send(_ request: HTTPRequest) async throws -> (HTTPResponse, Data) {
        try await send(request, body: nil)
    }

    /// Sends the request when all bytes of its body are there, and returns the response when all of its body is there.
    ///
    /// - Throws: ``HTTPClientError/invalidRequest(reason:)`` for a body of more than 16 MiB; what ``send(_:body:)`` throws.
    public func stream(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let limit = 16 * 1024 * 1024
        let whole = try await body?.collect(
            upTo: limit,
            orThrow: HTTPClientError.invalidRequest(reason: "this client sends no body of more than \(limit) bytes")
        )
        let (response, data) = try await send(request, body: whole)
        return (response, HTTPBody(data))
    }
}
