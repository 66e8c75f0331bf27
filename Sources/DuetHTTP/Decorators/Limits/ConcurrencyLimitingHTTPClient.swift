public import Foundation
public import HTTPTypes

/// Sends only so many requests at a time; the others wait in the order in which they came.
///
/// Who is cancelled while waiting leaves the line. How many wait is not limited: put a ``DeadlineHTTPClient`` outside, which
/// limits how long.
public struct ConcurrencyLimitingHTTPClient: HTTPClientDecorator {
    /// The client that sends so many at a time.
    public let base: any HTTPClient

    private let limit: Int
    private let permits: Permits

    /// How many more requests could be sent now.
    package var free: Int { permits.free }

    /// How many requests wait for their turn.
    package var waiting: Int { permits.waiting }

    /// Sends at most `limit` requests at a time; less than 1 counts as 1.
    public init(_ base: any HTTPClient, concurrency limit: Int) {
        self.base = base
        self.limit = max(1, limit)
        permits = Permits(self.limit)
    }

    /// How many requests are sent at a time.
    public var summary: String { "at most \(limit) at a time" }

    /// Sends the request when it is its turn.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits; what `base` throws.
    public func send(
        _ request: HTTPRequest,
        body: Data?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, Data) {
        try await permits.take()
        defer { permits.giveBack() }
        var request = request
        request.renewTimeout()
        return try await base.send(request, body: body)
    }
}

extension HTTPClient {
    /// Sends at most `concurrency` requests at a time, in the order in which they came.
    public func limiting(concurrency: Int) -> ConcurrencyLimitingHTTPClient {
        ConcurrencyLimitingHTTPClient(self, concurrency: concurrency)
    }
}
