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
    /// The deadline covers the exchange until the head has arrived, with the body if it is collected. Each piece of a
    /// body that is not collected has a deadline of the same length. If an enforced deadline of the task is not later,
    /// it is the only timer.
    ///
    /// - Parameter exchange: Sends the request and returns its response with the body to be read. The parameter is the
    ///   number of bytes that it may hold for a reader.
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
            guard options.collectsBody else {
                let (response, body) = try await exchange(maximumBodySize)
                return (response, body.limited(to: options.maximumBodySize, for: request))
            }
            let (response, body) = try await exchange(limit)
            if options.followsRedirects, response.isRedirect {
                return (response, body.limited(to: limit, for: request))
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
