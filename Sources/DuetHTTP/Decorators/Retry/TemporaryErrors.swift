public import Duet
import HTTPTypes

extension HTTPClientError: TemporaryError {
    /// Whether the same request may succeed later.
    ///
    /// This is so for the errors of ``HTTPRetryPolicy/retriedErrors``. It is also so for a request that was not sent,
    /// because too many others waited or the client was shut down.
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
}

extension HTTPRetryPolicy {
    fileprivate static let standard = HTTPRetryPolicy()
}
