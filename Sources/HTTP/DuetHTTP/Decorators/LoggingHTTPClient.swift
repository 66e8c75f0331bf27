import Duet
package import HTTPTypes

/// Reports to a closure how each request ended and how long it took.
///
/// Outside of a retry it reports each request, and inside each attempt. It reports a response when its body has been
/// read, has failed or was dropped. The closure runs within the request, so a slow closure slows the request down.
///
/// ```swift
/// let logged = HTTPDispatcher(baseURL: server, client: client.logging { print($0) })
/// ```
package struct LoggingHTTPClient: HTTPClientDecorator {
    package let base: any HTTPClient

    let clock: any Clock<Duration>
    let log: @Sendable (HTTPExchange) -> Void

    package var summary: String { "log" }

    package func send(
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
                    cache: response?.nearestCacheStatus,
                    bodySize: count.map { Int($0) },
                    error: error,
                    duration: elapsed()
                )
            )
        }
        do {
            let (response, received) = try await base.send(request, body: body)
            return (response, received.ending { note(response, $0, $1) })
        } catch {
            note(nil, nil, error)
            throw error
        }
    }
}

extension HTTPResponse {
    /// The first parameter of the nearest cache's status; other parameters may contain the cache key.
    fileprivate var nearestCacheStatus: String? {
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
    /// Reports to `log` how each request ended and how long it took.
    public func logging(
        clock: any Clock<Duration> = ContinuousClock(),
        _ log: @escaping @Sendable (HTTPExchange) -> Void
    ) -> some HTTPClient {
        LoggingHTTPClient(base: self, clock: clock, log: log)
    }
}
