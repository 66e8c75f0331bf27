import Duet
import HTTPTypes

/// Thrown, a response refuses the request before its message is handled.
extension ServedResponse: Error {}

extension ServedResponse {
    /// For an error that only the log describes.
    ///
    /// The status says whether the same message may succeed later.
    init(_ error: any Error, of endpoint: ServedEndpoint) {
        let rejection =
            endpoint.isCommand ? (error as? any CommandRejecting)?.rejection(of: endpoint.messageName) : nil
        switch rejection {
        case .failed:
            self.init(.unprocessableContent, "The command failed for good. Do not send it again.")
        case .tooLarge:
            self.init(.contentTooLarge, "The command is too large. Send a reference to large content.")
        case nil:
            guard let error = error as? any TemporaryError, error.isTemporary, !error.needsSignIn else {
                self.init(.internalServerError, "The server could not complete the request. Its log has the reason.")
                return
            }
            self.init(
                .serviceUnavailable,
                "The server cannot complete the request at the moment. Try again later.",
                headers: Self.headers(of: error)
            )
        }
    }

    static func headers(of error: any TemporaryError) -> HTTPFields {
        // Another server may have asked for any time.
        let pause = error.retryAfter.map { seconds(of: min(max(.zero, $0), .seconds(86_400))) }
        return pause.map { [.retryAfter: "\($0)"] } ?? [:]
    }

    /// For a client that must wait.
    static func quotaUsed(until pause: Duration) -> ServedResponse {
        let seconds = seconds(of: pause)
        return ServedResponse(
            .tooManyRequests,
            "You have sent too many commands. Try again in \(seconds) s.",
            headers: [.retryAfter: "\(seconds)"]
        )
    }

    /// For a client that may have disconnected, or when the server shuts down.
    static var canceled: ServedResponse {
        ServedResponse(.serviceUnavailable, "The request was canceled, by the server or by its client.")
    }

    /// The whole seconds of a pause, rounded up, for `Retry-After`.
    private static func seconds(of pause: Duration) -> Int { Int((pause / .seconds(1)).rounded(.up)) }
}
