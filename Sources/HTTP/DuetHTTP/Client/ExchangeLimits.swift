import Duet
import DuetContext
package import HTTPTypes
import ServiceContextModule

/// The limits of an adapter for each exchange: a deadline, and the largest body that it collects.
package struct ExchangeLimits: Sendable {
    private let deadline: Duration
    private let maximumBodySize: Int
    private let clock: any Clock<Duration>

    package init(deadline: Duration, maximumBodySize: Int, clock: any Clock<Duration>) {
        self.deadline = deadline
        self.maximumBodySize = maximumBodySize
        self.clock = clock
    }

    /// Runs one exchange within the limits, and collects the response's body if the request's options say so.
    ///
    /// The deadline covers the exchange until the head, or the collected body, has arrived, and then each piece. An
    /// enforced deadline of the task that is not later replaces it.
    ///
    /// - Parameter exchange: Its parameter is the number of bytes that it may hold for a reader.
    /// - Throws: The errors of `exchange`; ``HTTPClientError/deadlineExceeded(url:after:)``;
    ///   ``HTTPClientError/bodyTooLarge(url:limit:)``; `CancellationError`.
    package func apply(
        to request: HTTPRequest,
        _ exchange: @escaping @Sendable @concurrent (_ maximumHeldSize: Int) async throws -> (HTTPResponse, HTTPBody)
    ) async throws -> (HTTPResponse, HTTPBody) {
        try Task.checkCancellation()
        let options = HTTPRequestOptions.current
        let limit = min(maximumBodySize, options.maximumBodySize ?? maximumBodySize)
        let step: @Sendable @concurrent () async throws -> (HTTPResponse, HTTPBody) = { [maximumBodySize] in
            let (response, body) = try await exchange(options.collectsBody ? limit : maximumBodySize)
            guard options.collectsBody(of: response) else {
                return (response, body.limited(to: options.maximumBodySize, for: request))
            }
            return (response, try await body.collected(upTo: limit, for: request, of: response))
        }
        if let outer = ServiceContext.current?.deadline, outer.isEnforced, outer.remaining <= deadline {
            return try await step()
        }
        let error = HTTPClientError.deadlineExceeded(url: request.loggableURL, after: deadline)
        let (response, body) = try await withTimeout(deadline, clock: clock, error: error) { try await step() }
        return (response, body.timed(by: clock, throwing: error) { [deadline] in deadline })
    }
}

extension HTTPRequestOptions {
    func mayLoseBody(of response: HTTPResponse) -> Bool {
        mayLoseBody && acceptedStatuses.contains(response.status.code)
    }
}

extension HTTPResponse {
    /// The size of this response's body according to its fields; nil when they do not say.
    ///
    /// The length in a response to HEAD, and in a 304, is that of a body that is left out (RFC 9110, section 8.6).
    package func announcedBodySize(to request: HTTPRequest) -> Int64? {
        guard request.method != .head, status != .notModified else { return nil }
        return headerFields[.contentLength].flatMap { Int64($0) }
    }
}
