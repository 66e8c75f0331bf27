import Duet
import DuetContext
import HTTPTypes
import ServiceContextModule

extension HTTPRequest {
    /// Tells the server in `Request-Timeout` how long the client waits, in whole milliseconds, rounded up.
    mutating func setTimeout(_ timeLeft: Duration) {
        let (seconds, attoseconds) = max(.zero, timeLeft).components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let fraction = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        headerFields[.requestTimeout] = overflow ? nil : "\(whole + fraction)"
    }

    /// Updates `Request-Timeout`, if the request has it, because time has passed.
    mutating func renewTimeout() {
        guard headerFields.contains(.requestTimeout), let deadline = ServiceContext.current?.deadline else { return }
        setTimeout(deadline.remaining)
    }
}

extension Deadline {
    /// Sends a request that tells the server how long there is, and cancels it when the time is up.
    ///
    /// One timer is enough: where the deadline is already enforced, this sets no second one.
    ///
    /// - Parameters:
    ///   - limit: How long there is.
    ///   - send: Sends the request, with this deadline as that of its task.
    /// - Throws: ``HTTPClientError/deadlineExceeded(url:after:)`` when `send` had not returned in time; the errors of
    ///   `send`.
    func enforce<Body: Sendable>(
        _ limit: Duration,
        over request: HTTPRequest,
        send: @Sendable @concurrent @escaping (_ request: HTTPRequest) async throws -> (HTTPResponse, Body)
    ) async throws -> (HTTPResponse, Body) {
        try Task.checkCancellation()
        let error = HTTPClientError.deadlineExceeded(url: request.loggableURL, after: max(.zero, limit))
        guard limit > .zero else { throw error }
        var request = request
        request.setTimeout(limit)
        if isEnforced { return try await send(request) }
        var context = ServiceContext.current ?? .topLevel
        context.deadline = enforced
        return try await withTimeout(limit, clock: clock, error: error) { [context, request] in
            try await ServiceContext.withValue(context) { try await send(request) }
        }
    }
}
