public import DuetHTTP
import Foundation
public import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOSSL

/// Sends each request to one origin over HTTP/1.1, whatever authority it names.
///
/// Each is sent once, unless it changes nothing and the connection that it was sent on was just being closed.
///
/// Method, path, fields and bodies go as they are; interim answers and trailers come back too. Fields about the connection
/// are taken out of the answer, and `Via` is added.
public struct OriginClient: HTTPClient {
    private let origin: Origin
    private let settings: OriginSettings
    private let connections: OriginConnections

    /// A client with connections of its own.
    ///
    /// - Throws: ``InvalidAuthorities``; what TLS needs and this machine does not have.
    public init(_ origin: Origin, settings: OriginSettings = OriginSettings()) throws {
        self.origin = origin
        self.settings = settings
        connections = try OriginConnections(origin: origin, settings: settings)
    }

    /// Closes the connections that wait for a request; each other one is closed when its answer has come.
    public func shutdown() {
        connections.shutdown()
    }

    /// Sends the request while its body comes, and returns the answer while its body comes.
    ///
    /// - Throws: ``HTTPClientError`` when there was no head; `CancellationError` when the task was cancelled.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try Task.checkCancellation()
        let head = HTTPRequestHead(request, body: body, origin: origin)
        let onInterim = HTTPRequestOptions.current.onInterimAnswer
        do {
            let answer = try await exchange(head, body: body) { onInterim?(HTTPResponse(forwarding: $0)) }
            let response = HTTPResponse(forwarding: answer.head)
            guard let content = answer.body else { return (response, HTTPBody(Data())) }
            return (response, HTTPBody(content, size: response.bodySize(to: request.method)))
        } catch {
            try Task.checkCancellation()
            throw failure(error, of: request)
        }
    }

    private func exchange(
        _ head: HTTPRequestHead,
        body: HTTPBody?,
        onInterim: (HTTPResponseHead) -> Void
    ) async throws -> IncomingMessage<HTTPResponseHead> {
        // RFC 9110, section 9.2.2: what may be sent again.
        let isRepeatable = body == nil && [.GET, .HEAD, .OPTIONS, .TRACE].contains(head.method)
        var hasInterim = false
        var isSent = false
        while let connection = connections.takeIdle() {
            do {
                return try await connection.exchange(head, body: body) { interim in
                    hasInterim = true
                    onInterim(interim)
                }
            } catch OriginError.notSent {
                // It was closed a moment ago; the request has not left, and its body has not been touched.
            } catch  where isRepeatable && !hasInterim && error.isOfClosedConnection {
                // It was being closed while the request was on its way (RFC 9112, section 9.3.1).
                isSent = true
                break
            }
        }
        let connection: OriginConnection
        do {
            connection = try await connections.open()
        } catch {
            throw isSent ? error : NotConnected(error)
        }
        return try await connection.exchange(head, body: body, onInterim: onInterim)
    }

    private func failure(_ error: any Error, of request: HTTPRequest) -> HTTPClientError {
        let url = request.loggableURL
        return switch (error as? NotConnected)?.underlying ?? error {
        case OriginError.standstill: .deadlineExceeded(url: url, after: settings.timeout)
        case ChannelError.connectTimeout: .deadlineExceeded(url: url, after: settings.connectTimeout)
        case OriginError.notSent: .connectionFailed(url: url, reason: nil, underlying: NotConnected(error))
        default: .connectionFailed(url: url, reason: nil, underlying: error)
        }
    }
}

extension HTTPResponse {
    /// How many bytes follow, where the head says so.
    fileprivate func bodySize(to method: HTTPRequest.Method) -> Int64? {
        if method == .head || status == .noContent || status == .notModified { return 0 }
        return headerFields[.contentLength].flatMap(Int64.init)
    }
}

extension Error {
    /// Whether a connection was closed before any answer came on it.
    fileprivate var isOfClosedConnection: Bool {
        switch self as any Error {
        case OriginError.closed, NIOSSLError.uncleanShutdown, is IOError: true
        default: false
        }
    }
}
