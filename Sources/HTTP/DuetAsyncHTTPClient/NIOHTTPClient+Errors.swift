import AsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

final class NIOErrors: Sendable {
    private let deadline: Duration
    private let isShutDown = Atomic(false)

    init(deadline: Duration) {
        self.deadline = deadline
    }

    func noteShutdown() {
        isShutDown.store(true, ordering: .releasing)
    }

    /// The error of a request as one of this package.
    ///
    /// - Parameter isOfBody: Whether the head of the response has arrived, so that the server processed the request.
    func translate(_ error: any Error, request: HTTPRequest, isOfBody: Bool = false) -> any Error {
        if Task.isCancelled { return CancellationError() }
        if error is CancellationError { return error }
        // The error of a request body that is being sent, which may itself be another server's response.
        if let error = error as? DuetHTTP.HTTPClientError { return error.afterSending }
        let error = isUnprocessed(error) ? UnprocessedRequest() : error
        let url = request.loggableURL
        return switch error as? AsyncHTTPClient.HTTPClientError {
        case .invalidURL, .emptyHost, .emptyScheme:
            DuetHTTP.HTTPClientError.invalidRequest(reason: "\(url) is not a URL")
        case .traceRequestWithBody:
            DuetHTTP.HTTPClientError.invalidRequest(reason: "TRACE takes no body")
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
            DuetHTTP.HTTPClientError.deadlineExceeded(url: url, after: deadline)
        case .alreadyShutdown, .cancelled:
            DuetHTTP.HTTPClientError.shutDown(url: url)
        default:
            DuetHTTP.HTTPClientError.connectionFailed(
                url: url,
                reason: Self.reason(error),
                underlying: isOfBody ? error : Self.marked(error)
            )
        }
    }

    /// Whether an HTTP/2 server did not process the request.
    func isUnprocessed(_ error: any Error) -> Bool {
        // A shutdown cancels requests. So does an HTTP/2 connection that is already closing when a request reaches it.
        let isCanceled = error as? AsyncHTTPClient.HTTPClientError == .cancelled
        return error is UnprocessedRequest || isCanceled && !isShutDown.load(ordering: .acquiring)
    }

    /// The error, in a ``/DuetHTTP/NotConnected`` if the server certainly did not process the request.
    private static func marked(_ error: any Error) -> any Error {
        switch error {
        case is NIOConnectionError: NotConnected(error)
        case let error as IOError where error.errnoCode == ECONNREFUSED: NotConnected(error)
        case is PrivateAddress: NotConnected(error, advice: "This client sends to public addresses only.")
        case is UnprocessedRequest: NotConnected(error, advice: "Send the request again.")
        default: error
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if error.dnsAError != nil && error.dnsAAAAError != nil { return "its host name is not known" }
            return reason(error.connectionErrors.first?.error ?? error)
        case HTTPParserError.invalidEOFState,
            _ where error as? AsyncHTTPClient.HTTPClientError == .remoteConnectionClosed:
            return "the connection was closed before the response was complete"
        case let error as NIOHTTP2Errors.StreamClosed:
            return "the HTTP/2 stream ended before the response was complete (\(error.errorCode))"
        case let error as IOError where error.errnoCode == ECONNREFUSED:
            return "the connection was refused"
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            return "TLS failed: \(tlsReason(error))"
        case is IOError:
            return "the connection broke (\(error))"
        case let error as HTTPParserError:
            return "the response is not valid HTTP (\(error))"
        default:
            return "\(error)"
        }
    }

    /// The reason in plain words; the library's own description is a dump of BoringSSL's errors.
    private static func tlsReason(_ error: any Error) -> String {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            return "the certificate is for another host"
        }
        let details = "\(error)"
        if details.contains("CERTIFICATE_VERIFY_FAILED") {
            return "the certificate is not valid, or no trusted authority has signed it"
        }
        if details.contains("WRONG_VERSION_NUMBER") { return "the server does not use TLS on this port" }
        if details.contains("uncleanShutdown") || details.contains("EOF") {
            return "the server closed the connection"
        }
        return "client and server have no protocol or certificate in common that both accept"
    }
}
