import DuetContext
public import HTTPTypes
import ServiceContextModule

/// Gives a request one deadline over everything within: retries, redirects, and the answer with its whole body.
///
/// A body that is read as it comes fails when the time is up, and its reader is told when it asks for the next piece.
/// The deadline is in the `ServiceContext` for what is within, and in the field `Request-Timeout` for the server, in whole
/// milliseconds. A shorter one that the task already has stays; a message that is dispatched with one keeps it also without
/// this client. Put outside of a retry, it is the limit of all attempts; within, of each.
public struct DeadlineHTTPClient: HTTPClientDecorator {
    /// The client that is given a deadline.
    public let base: any HTTPClient

    private let duration: Duration
    private let clock: any Clock<Duration>

    /// Lets no request take longer than `duration`, measured by `clock`.
    public init(_ base: any HTTPClient, _ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.base = base
        self.duration = duration
        self.clock = clock
    }

    /// How long a request may take.
    public var summary: String { "deadline \(duration)" }

    /// Sends the request and cancels it when the time is up.
    ///
    /// - Throws: ``HTTPClientError/deadlineExceeded(url:after:)`` when there was no answer by then, or when the task's deadline
    ///   had passed before; what `base` throws before that. So does the body.
    public func stream(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        guard let deadline = ServiceContext.current?.deadline, deadline.remaining <= duration else {
            return try await stream(request, body: body, through: base, by: clock.deadline(in: duration), duration)
        }
        let limit = deadline.remaining
        guard deadline.isKept, limit > .zero else {
            return try await stream(request, body: body, through: base, by: deadline, limit)
        }
        // Whoever set the deadline waits for this with a timer, and one is enough.
        var outgoing = request
        outgoing.setTimeout(limit)
        return try await base.stream(outgoing, body: body)
    }

    private func stream(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient,
        by deadline: Deadline,
        _ limit: Duration
    ) async throws -> (HTTPResponse, HTTPBody) {
        let (response, answer) = try await deadline.keep(limit, over: request) {
            try await base.stream($0, body: body)
        }
        return (response, answer.kept(by: deadline, .deadlineExceeded(url: request.loggableURL, after: limit)))
    }
}

extension HTTPClient {
    /// Gives each request a deadline over everything that the client does for it, measured by `clock`.
    public func deadline(_ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) -> DeadlineHTTPClient {
        DeadlineHTTPClient(self, duration, clock: clock)
    }
}

extension Clock where Duration == Swift.Duration {
    /// The moment that lies `duration` from now, by a clock whose type is not known.
    fileprivate func deadline(in duration: Duration) -> Deadline {
        Deadline(in: duration, clock: self)
    }
}
