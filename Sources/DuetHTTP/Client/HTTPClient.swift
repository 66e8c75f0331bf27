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
    /// The clients and the decorators of Duet hand bodies on as they come, both ways, so that a stack of them holds no more than
    /// a piece. What goes on until the body ends is said where it does: a deadline covers it, a limit holds its place, a log
    /// waits for it. A body that nobody reads is to be dropped, or it keeps its connection. One that breaks off is the reader's
    /// to deal with: nothing is sent again when its head has been handed on.
    ///
    /// A client that does not say how to do this sends the request as ``send(_:body:)`` does, and has the whole body first,
    /// within the limits it has for that. That is right for a stand-in. What wraps another client says it.
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
    /// - Throws: ``HTTPClientError/invalidRequest(reason:)`` for a body that comes and has more than 16 MiB; what ``send(_:body:)`` throws.
    public func stream(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let (response, data) = try await send(request, body: body?.collectToSend())
        return (response, HTTPBody(data))
    }
}
