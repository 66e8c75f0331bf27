import Duet
public import HTTPTypes

/// Tells a hook how each request went and how long it took.
///
/// Outside of a retry it tells of the request as a whole, within of each attempt, and of an answer when its body has been
/// read, has failed or was dropped. The hook runs within the request: a slow hook slows the request down.
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
    public func stream(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        let elapsed = clock.stopwatch()
        let options = HTTPRequestOptions.current
        let note = { @Sendable [log] (response: HTTPResponse?, count: Int64?, error: (any Error)?) in
            log(
                HTTPExchange(
                    messageName: options.messageName,
                    method: request.method,
                    url: request.loggableURL,
                    pathTemplate: options.pathTemplate,
                    attempt: options.attempt,
                    status: response?.status,
                    cache: response?.toldByCache,
                    bodySize: count.map { Int($0) },
                    error: error,
                    duration: elapsed()
                )
            )
        }
        do {
            let (response, answer) = try await base.stream(request, body: body)
            return (response, answer.ending { note(response, $0, $1) })
        } catch {
            note(nil, nil, error)
            throw error
        }
    }
}

extension HTTPResponse {
    /// What the nearest cache says first of the answer: the rest may name what was asked for.
    fileprivate var toldByCache: String? {
        guard let nearest = headerFields[values: .cacheStatus].last?.split(separator: ",").last else { return nil }
        for parameter in nearest.split(separator: ";").dropFirst() {
            let parameter = parameter.drop { $0 == " " }
            if parameter == "hit" || parameter.hasPrefix("fwd=") { return String(parameter) }
        }
        return nil
    }
}

extension HTTPField.Name {
    fileprivate static let cacheStatus = known("Cache-Status")
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
