import Duet
import DuetHTTP
import HTTPTypes
public import Hummingbird
import Logging

extension Router {
    /// Answers whether the server runs and whether it can do its work, for those who watch over it.
    ///
    /// Both paths answer to `GET` and `HEAD`, and explain that to all other methods.
    ///
    /// - Parameters:
    ///   - live: The path, without placeholders, that is answered with 204 for as long as the server runs.
    ///   - ready: The path, without placeholders, that is answered with 204 when all checks pass, and otherwise with a
    ///     problem of status 503 that names those that failed.
    ///   - checks: What must be in order; asked all at once for each request.
    ///   - timeout: How long each may take.
    ///   - clock: What tells the time.
    @discardableResult
    public func health(
        live: RouterPath = "/health",
        ready: RouterPath = "/ready",
        checks: [HealthCheck] = [],
        timeout: Duration = .seconds(2),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Self {
        for method in [HTTPRequest.Method.get, .head] {
            on(live, method: method) { _, _ in Response(.healthy, to: method) }
            on(ready, method: method) { _, context in
                let failed = await checks.failures(within: timeout, clock: clock, logger: context.logger)
                guard !failed.isEmpty else { return Response(.healthy, to: method) }
                var response = Refusal(.serviceUnavailable, "Not ready: \(failed.joined(separator: ", ")).").response(
                    to: method
                )
                response.headers[.cacheControl] = "no-store"
                return response
            }
        }
        return add(middleware: OtherMethods(paths: [live, ready].map(\.description)))
    }
}

extension HTTPAnswer {
    fileprivate static var healthy: HTTPAnswer { HTTPAnswer(status: .noContent, headers: [.cacheControl: "no-store"]) }
}

extension [HealthCheck] {
    /// The names of the checks that fail, in order.
    fileprivate func failures(within timeout: Duration, clock: any Clock<Duration>, logger: Logger) async -> [String] {
        await withTaskGroup(of: Int?.self) { group in
            for (index, check) in enumerated() {
                group.addTask {
                    do {
                        try await withTimeout(timeout, clock: clock, error: TimeIsUp()) { try await check.check() }
                        return nil
                    } catch {
                        logger.warning(
                            "A health check failed",
                            metadata: ["check": "\(check.name)", "error": "\(error)"]
                        )
                        return index
                    }
                }
            }
            var failed: [Int] = []
            for await index in group { if let index { failed.append(index) } }
            return failed.sorted().map { self[$0].name }
        }
    }
}

private struct TimeIsUp: Error, CustomStringConvertible {
    var description: String { "It took too long." }
}
