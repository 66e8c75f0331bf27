public import HTTPTypes

/// Sends only so many requests at a time; the others wait in the order in which they came.
///
/// A request has its place until its answer has been read, has failed or was dropped.
/// Who is cancelled while waiting leaves the line. When as many wait as may, a request fails at once. How long one waits is
/// for a ``DeadlineHTTPClient`` outside to limit.
public struct ConcurrencyLimitingHTTPClient: HTTPClientDecorator {
    /// The client that sends so many at a time.
    public let base: any HTTPClient

    private let limit: Int
    private let maximumWaiting: Int
    private let permits: Permits

    /// How many more requests could be sent now.
    package var free: Int { permits.free }

    /// How many requests wait for their turn.
    package var waiting: Int { permits.waiting }

    /// Sends at most `limit` requests at a time, less than 1 counts as 1, and lets at most `waiting` others wait.
    public init(_ base: any HTTPClient, concurrency limit: Int, waiting: Int = 1_000) {
        self.base = base
        self.limit = max(1, limit)
        maximumWaiting = max(0, waiting)
        permits = Permits(self.limit, waiting: maximumWaiting)
    }

    /// How many requests are sent at a time, and how many wait.
    public var summary: String { "at most \(limit) at a time, \(maximumWaiting) waiting" }

    /// Sends the request when it is its turn.
    ///
    /// - Throws: ``HTTPClientError/tooManyWaiting(url:limit:)``; `CancellationError` when the task is cancelled while it waits;
    ///   what `base` throws.
    public func stream(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        try await permits.take(
            orThrow: HTTPClientError.tooManyWaiting(url: request.loggableURL, limit: maximumWaiting)
        )
        do {
            var request = request
            request.renewTimeout()
            let (response, answer) = try await base.stream(request, body: body)
            return (response, answer.ending { [permits] _, _ in permits.giveBack() })
        } catch {
            permits.giveBack()
            throw error
        }
    }
}

extension HTTPClient {
    /// Sends at most `concurrency` requests at a time, in the order in which they came, and lets at most `waiting` wait.
    public func limiting(concurrency: Int, waiting: Int = 1_000) -> ConcurrencyLimitingHTTPClient {
        ConcurrencyLimitingHTTPClient(self, concurrency: concurrency, waiting: waiting)
    }
}
