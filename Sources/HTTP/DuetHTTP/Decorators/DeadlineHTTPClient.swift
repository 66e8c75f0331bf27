import Duet
import DuetContext
public import HTTPTypes
import ServiceContextModule

/// Gives a request one deadline that covers retries, redirects and the whole response body.
///
/// A body that is read as it arrives fails when the time is up. Inner clients find the deadline in the
/// `ServiceContext`, and adapters then set no second timer. The server finds it in the field `Request-Timeout`,
/// in whole milliseconds. A shorter deadline that the task already has stays in force; a message dispatched with one
/// keeps it also without this client. Outside of a retry it limits all attempts together, and inside each one.
public struct DeadlineHTTPClient: HTTPClientDecorator {
    /// The client that is given a deadline.
    public let base: any HTTPClient

    let duration: Duration
    let clock: any Clock<Duration>

    /// How long a request may take.
    public var summary: String { "deadline \(duration.text)" }

    /// Sends the request and cancels it when the time is up.
    ///
    /// - Throws: ``HTTPClientError/deadlineExceeded(url:after:)``, also when the task's deadline had already passed;
    ///   the errors of `base` before that. So does the body.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var (deadline, limit) = (Deadline(in: duration, clock: clock), duration)
        if let outer = ServiceContext.current?.deadline, outer.remaining <= duration {
            (deadline, limit) = (outer, outer.remaining)
        }
        let (response, received) = try await deadline.enforce(limit, over: request) {
            try await base.send($0, body: body)
        }
        guard !deadline.isEnforced else { return (response, received) }
        let error = HTTPClientError.deadlineExceeded(url: request.loggableURL, after: limit)
        return (response, received.timed(by: deadline.clock, throwing: error) { [deadline] in deadline.remaining })
    }
}

extension HTTPClient {
    /// Gives each request a deadline that covers everything the client does for it, measured by `clock`.
    public func deadline(_ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) -> DeadlineHTTPClient {
        DeadlineHTTPClient(base: self, duration: duration, clock: clock)
    }
}

// MARK: Request-Timeout

extension HTTPRequest {
    /// Sets `Request-Timeout`, which tells the server how long the client waits, in whole milliseconds, rounded up.
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
    /// Sends a request with its timeout for the server, and cancels it when the time is up.
    ///
    /// If the deadline is already enforced, this sets no second timer.
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
