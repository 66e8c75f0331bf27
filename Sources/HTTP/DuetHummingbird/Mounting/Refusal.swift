import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Hummingbird

#if Cluster
    import DuetCluster
#endif

/// The reason why a request is not handled, as a response.
struct Refusal: Error {
    let response: ServedResponse

    init(_ response: ServedResponse) {
        self.response = response
    }

    init(_ status: HTTPResponse.Status, _ detail: String, headers: HTTPFields = [:]) {
        response = ServedResponse(status, detail, headers: headers)
    }

    /// For an error that only the log describes.
    ///
    /// The status says whether the same message may succeed later.
    init(_ error: any Error, of endpoint: ServedEndpoint) {
        switch error {
        #if Cluster
            case ClusterError.failed(endpoint.messageName, _) where endpoint.isCommand:
                self.init(.unprocessableContent, "The command failed for good. Do not send it again.")
            // Of a query, the value may be too large.
            case TransportError.tooLarge where endpoint.isCommand:
                self.init(.contentTooLarge, "The command is too large. Send a reference to large content.")
        #endif
        case let error as any TemporaryError where error.isTemporary && !error.needsSignIn:
            // Another server may have asked for any time.
            let pause = error.retryAfter.map { Self.seconds(of: min(max(.zero, $0), .seconds(86_400))) }
            self.init(
                .serviceUnavailable,
                "The server cannot complete the request at the moment. Try again later.",
                headers: pause.map { [.retryAfter: "\($0)"] } ?? [:]
            )
        default:
            self.init(.internalServerError, "The server could not complete the request. Its log has the reason.")
        }
    }

    /// For a client that must wait.
    static func quotaUsed(until pause: Duration) -> Refusal {
        let seconds = seconds(of: pause)
        return Refusal(
            .tooManyRequests,
            "You have sent too many commands. Try again in \(seconds) s.",
            headers: [.retryAfter: "\(seconds)"]
        )
    }

    /// The whole seconds of a pause, rounded up, for `Retry-After`.
    private static func seconds(of pause: Duration) -> Int { Int((pause / .seconds(1)).rounded(.up)) }

    func response(to method: HTTPRequest.Method) -> Response {
        Response(response, to: method)
    }
}

extension Response {
    /// Converts the response to a message, without its content for `HEAD`.
    init(_ response: ServedResponse, to method: HTTPRequest.Method, sharing bodies: SentBodies? = nil) {
        var headers = response.headers
        if let content = response.body {
            headers[.contentLength] = String(content.count)
            let body =
                if method == .head {
                    ResponseBody()
                } else if let shared = bodies?.content(of: response) {
                    ResponseBody(data: shared.data, keeping: shared)
                } else {
                    ResponseBody(data: content)
                }
            self.init(status: response.status, headers: headers, body: body)
        } else {
            self.init(status: response.status, headers: headers)
            // These never have content, and therefore no length (RFC 9110, section 8.6).
            if response.status == .noContent || response.status == .notModified { self.headers[.contentLength] = nil }
        }
    }
}
