package import HTTPTypes

/// Sends a limited number of requests at a time; the others wait in the order in which they arrived.
///
/// A request counts until its response's body has been read, has failed or was dropped. A request that is canceled
/// while it waits leaves the queue, and one that finds the queue full fails at once. A ``DeadlineHTTPClient`` outside
/// limits how long a request waits.
package struct ConcurrencyLimitingHTTPClient: HTTPClientDecorator {
    package let base: any HTTPClient

    private let limit: Int
    private let maximumWaiting: Int
    private let semaphore: AsyncSemaphore

    /// How many more requests could be sent now.
    package var free: Int { semaphore.free }

    package var waiting: Int { semaphore.waiting }

    package init(_ base: any HTTPClient, concurrency limit: Int, waiting: Int = 1_000) {
        self.base = base
        self.limit = max(1, limit)
        maximumWaiting = max(0, waiting)
        semaphore = AsyncSemaphore(self.limit, waiting: maximumWaiting)
    }

    package var summary: String { "at most \(limit) at a time, \(maximumWaiting) waiting" }

    /// Sends the request when fewer than the limit are under way.
    ///
    /// - Throws: ``HTTPClientError/tooManyWaiting(url:limit:)``; `CancellationError` when the task is canceled while it
    ///   waits; the errors of `base`.
    package func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        try await semaphore.wait(
            orThrow: HTTPClientError.tooManyWaiting(url: request.loggableURL, limit: maximumWaiting)
        )
        do {
            var request = request
            request.renewTimeout()
            let (response, received) = try await base.send(request, body: body)
            return (response, received.ending { [semaphore] _, _ in semaphore.signal() })
        } catch {
            semaphore.signal()
            throw error
        }
    }
}

extension HTTPClient {
    /// Sends at most `concurrency` requests at a time, first come, first served, and lets at most `waiting` others
    /// wait.
    public func limiting(concurrency: Int, waiting: Int = 1_000) -> some HTTPClient {
        ConcurrencyLimitingHTTPClient(self, concurrency: concurrency, waiting: waiting)
    }
}
