public import Duet
import HTTPTypes

extension HTTPClientError: TemporaryError {
    /// Whether the same request may succeed later.
    ///
    /// This is so for a failed connection, a response that came too late, and a request that was not sent because too
    /// many others waited or the client was shut down.
    public var isTemporary: Bool {
        switch reason {
        case .tooManyWaiting, .shutDown: true
        default: HTTPRetryPolicy.standard.isRetried(.error(self))
        }
    }
}

extension HTTPFailure: TemporaryError {
    /// Whether the same request may succeed later.
    ///
    /// This is so for the statuses of ``HTTPRetryPolicy/retriedStatuses``. It is also so for 500, unlike within a
    /// client's retries, because a fault in the server's program may be fixed meanwhile.
    public var isTemporary: Bool {
        guard case .status = reason else { return false }
        return status == .internalServerError || HTTPRetryPolicy.standard.isRetried(.status(status))
    }

    /// How long the server asks to wait with `Retry-After` (RFC 9110, section 10.2.3).
    ///
    /// A date is understood if the response has a `Date`, which it is compared with.
    public var retryAfter: Duration? { response.retryAfter() }

    /// Whether the server does not know the sender: it responded with 401.
    public var needsSignIn: Bool { status == .unauthorized }

    /// Whether requests to other routes would fail, too.
    ///
    /// This is not so for 425, 429 and 500: a rate limit and a fault often belong to one route.
    public var concernsConnection: Bool {
        ![.tooEarly, .tooManyRequests, .internalServerError].contains(status)
    }
}

extension TokenUnavailable: TemporaryError {
    /// Whether the error of the source is temporary, such as a login without a connection.
    public var isTemporary: Bool { (underlying as? any TemporaryError)?.isTemporary ?? false }

    /// How long the error of the source asks to wait.
    public var retryAfter: Duration? { (underlying as? any TemporaryError)?.retryAfter }

    /// Whether the source needs something else, such as another password: its error is not temporary.
    public var needsSignIn: Bool { !isTemporary }
}

extension HTTPRetryPolicy {
    fileprivate static let standard = HTTPRetryPolicy()
}
