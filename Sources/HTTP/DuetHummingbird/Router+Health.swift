import Duet
import DuetHTTP
import HTTPTypes
public import Hummingbird
import Logging

extension Router {
    /// Adds paths that report whether the server runs and whether it can do its work.
    ///
    /// ```swift
    /// router.health(checks: [HealthCheck("speakers") { _ = try await dispatcher.dispatch(ListSpeakers()) }])
    /// ```
    ///
    /// Both paths have the methods `GET` and `HEAD`. The response to any other method is 405.
    ///
    /// - Parameters:
    ///   - live: The path, without placeholders, whose response is 204 as long as the server runs.
    ///   - ready: The path, without placeholders, whose response is 204 if all checks pass. Otherwise it is a problem
    ///     with status 503 that names the failed checks.
    ///   - checks: The checks, which run concurrently for each request.
    ///   - timeout: How long each check may take.
    ///   - clock: The clock that measures the timeout.
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
                let reason = "Not ready: \(failed.joined(separator: ", "))."
                return Response(
                    ServedResponse(.serviceUnavailable, reason, headers: [.cacheControl: "no-store"]),
                    to: method
                )
            }
        }
        return add(middleware: GetOnlyMiddleware(paths: [live, ready].map(\.description)))
    }
}

extension ServedResponse {
    fileprivate static var healthy: ServedResponse {
        ServedResponse(status: .noContent, headers: [.cacheControl: "no-store"])
    }
}

extension [HealthCheck] {
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
                            metadata: ["check": "\(check.name)", "error": "\("\(error)".safe())"]
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

/// A check of something that a server needs to work, such as its database.
public struct HealthCheck: Sendable {
    package let name: String

    let check: @Sendable @concurrent () async throws -> Void

    /// Creates a check that passes when `check` returns.
    ///
    /// - Parameters:
    ///   - name: The name of the check, which clients see.
    ///   - check: Throws if the check fails. The error is only logged.
    public init(_ name: String, check: @escaping @Sendable @concurrent () async throws -> Void) {
        self.name = name
        self.check = check
    }
}

private struct TimeIsUp: Error, CustomStringConvertible {
    var description: String { "The check took too long." }
}

/// Refuses any other method, known or unknown, for paths that only support `GET` and `HEAD`.
private struct GetOnlyMiddleware<Context: RequestContext>: RouterMiddleware {
    /// The paths, without placeholders.
    let paths: [String]

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard request.method != .get, request.method != .head else { return try await next(request, context) }
        let path = request.uri.path.withoutLastSlash
        guard paths.contains(where: { $0 == path }) else { return try await next(request, context) }
        return Response(UnmatchedRequest(allowed: [.get, .head]).response(to: request.head), to: request.method)
    }
}

extension String {
    /// The path without a trailing slash, which routes ignore.
    fileprivate var withoutLastSlash: Substring { utf8.last == UInt8(ascii: "/") ? dropLast() : self[...] }
}
