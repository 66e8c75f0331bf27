import DuetContext
public import HTTPTypes
import ServiceContextModule

/// Gives a request one deadline that covers retries, redirects and the whole response body.
///
/// A body that is read as it arrives fails when the time is up. Inner clients find the deadline in the
/// `ServiceContext`, and adapters then set no timer of their own. The server finds it in the field `Request-Timeout`,
/// in whole milliseconds. A shorter deadline that the task already has stays in force; a message dispatched with one
/// keeps it also without this client. Outside of a retry it limits all attempts together, and inside each one.
public struct DeadlineHTTPClient: HTTPClientDecorator {
    /// The client that is given a deadline.
    public let base: any HTTPClient

    private let duration: Duration
    private let clock: any Clock<Duration>

    /// Limits each request to `duration`, measured by `clock`.
    public init(_ base: any HTTPClient, _ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.base = base
        self.duration = duration
        self.clock = clock
    }

    /// How long a request may take.
    public var summary: String { "deadline \(duration)" }

    /// Sends the request and cancels it when the time is up.
    ///
    /// - Throws: ``HTTPClientError/deadlineExceeded(url:after:)``, also when the task's deadline had already passed;
    ///   the errors of `base` before that. So does the body.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var (deadline, limit) = (clock.deadline(in: duration), duration)
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
        DeadlineHTTPClient(self, duration, clock: clock)
    }
}

extension Clock where Duration == Swift.Duration {
    /// Opens the existential: the clock's type is not known where this is called.
    fileprivate func deadline(in duration: Duration) -> Deadline {
        Deadline(in: duration, clock: self)
    }
}
