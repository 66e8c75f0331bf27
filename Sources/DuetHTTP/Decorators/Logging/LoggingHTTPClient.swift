import Duet
public import Foundation
public import HTTPTypes

/// Tells a hook how each request went and how long it took.
///
/// Outside of a retry it tells of the request as a whole, within of each attempt. The hook runs within the request: a slow
/// hook slows the request down.
public struct LoggingHTTPClient: HTTPClientDecorator {
    /// The client whose requests are told of.
    public let base: any HTTPClient

    private let clock: any Clock<Duration>
    private let log: @Sendable (HTTPExchange) -> Void

    /// Makes a hook, with the clock that durations are measured by.
    public init(
        _ base: any HTTPClient,
        clock: any Clock<Duration> = ContinuousClock(),
        log: @escaping @Sendable (HTTPExchange) -> Void
    ) {
        self.base = base
        self.clock = clock
        self.log = log
    }

    /// That there is a log.
    public var summary: String { "log" }

    /// Sends the request and logs how that went.
    ///
    /// - Throws: What `base` throws.
    public func send(
        _ request: HTTPRequest,
        body: Data?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, Data) {
        let elapsed = clock.stopwatch()
        do {
            let answer = try await base.send(request, body: body)
            log(exchange(request, elapsed(), answer: answer))
            return answer
        } catch {
            log(exchange(request, elapsed(), error: error))
            throw error
        }
    }

    private func exchange(
        _ request: HTTPRequest,
        _ duration: Duration,
        answer: (HTTPResponse, Data)? = nil,
        error: (any Error)? = nil
    ) -> HTTPExchange {
        let options = HTTPRequestOptions.current
        return HTTPExchange(
            messageName: options.messageName,
            method: request.method,
            url: request.loggableURL,
            pathTemplate: options.pathTemplate,
            attempt: options.attempt,
            status: answer?.0.status,
            bodySize: answer?.1.count,
            error: error,
            duration: duration
        )
    }
}

extension HTTPClient {
    /// Tells `log` how each request went and how long it took.
    public func logging(
        clock: any Clock<Duration> = ContinuousClock(),
        _ log: @escaping @Sendable (HTTPExchange) -> Void
    ) -> LoggingHTTPClient {
        LoggingHTTPClient(self, clock: clock, log: log)
    }
}
