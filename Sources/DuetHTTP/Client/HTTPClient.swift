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
}

extension HTTPClient {
    /// Sends a request that has no body.
    ///
    /// - Throws: ``HTTPClientError`` when there was no complete answer; `CancellationError` when the task was cancelled.
    public func send(_ request: HTTPRequest) async throws -> (HTTPResponse, Data) {
        try await send(request, body: nil)
    }
}
