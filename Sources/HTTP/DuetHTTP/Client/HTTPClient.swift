public import Foundation
public import HTTPTypes

/// Sends a request and returns the response, whatever its status.
///
/// Decorators add concerns to a client, each as an operator; ``HTTPClientDecorator`` lists them in the order to apply
/// them.
public protocol HTTPClient: Sendable {
    /// Sends the request and returns when the response's head has arrived; the body arrives while it is read.
    ///
    /// Clients and decorators forward bodies as they arrive, so a whole stack holds no more than one piece. Drop an
    /// unread body, because it keeps its connection. A body that breaks off fails for its reader, and nothing is
    /// sent again.
    ///
    /// When ``HTTPRequestOptions/collectsBody`` is set, the adapter reads the whole body before it returns.
    ///
    /// - Parameters:
    ///   - request: Method, scheme, authority, path and header fields.
    ///   - body: The bytes to send, or nil for none. A body that is ``HTTPBody/whole`` can be sent more than once.
    /// - Throws: ``HTTPClientError`` when no head arrived; `CancellationError`.
    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody)
}

extension HTTPClient {
    /// Sends a request without a body and returns when the response's head has arrived.
    ///
    /// - Throws: As ``HTTPClient/send(_:body:)``.
    public func send(_ request: HTTPRequest) async throws -> (HTTPResponse, HTTPBody) {
        try await send(request, body: nil)
    }

    /// Sends the request and collects the response's body.
    ///
    /// It sets ``HTTPRequestOptions/collectsBody``, so retries and deadlines cover the whole body.
    ///
    /// - Throws: ``HTTPClientError`` when there was no complete response; `CancellationError`.
    public func data(for request: HTTPRequest, body: Data? = nil) async throws -> (HTTPResponse, Data) {
        let (response, body) = try await HTTPRequestOptions.collectingBody {
            try await send(request, body: body.map { HTTPBody($0) })
        }
        if let whole = body.whole { return (response, whole) }
        // An adapter that does not know the option returns a body that is still to be read.
        return (response, try await body.collected(for: request))
    }
}
