import Duet
import DuetAsyncHTTPClient
import DuetDependencies
import DuetHTTP
import DuetHTTPCaching
import DuetTelemetry
import Foundation
import HTTPTypes
import Logging

/// The application's HTTP client, with a cache in memory.
///
/// It sends to the backend's origin, and otherwise to public addresses only: the backend chooses the addresses of
/// images and of redirects, and must not reach other servers on this machine or in its network. It closes its
/// connections when its container is disposed of.
struct FeedHTTPClient: HTTPClient, Disposable {
    private let connections: [NIOHTTPClient]
    private let client: any HTTPClient
    private let logger: Logger

    init(_ options: ClientOptions, clock: any Clock<Duration>, logger: Logger, now: @escaping @Sendable () -> Date) {
        var configuration = NIOHTTPClient.Configuration()
        // A page server observes each image that somebody has open: as many as the backend allows, and requests beside.
        configuration.connectionsPerHost = 1_100
        let backend = NIOHTTPClient(configuration: configuration, clock: clock)
        configuration = NIOHTTPClient.Configuration()
        configuration.sendsToPublicAddressesOnly = true
        let others = NIOHTTPClient(configuration: configuration, clock: clock)
        connections = [backend, others]
        let client =
            BackendOrPublicClient(
                origin: HTTPOrigin(HTTPRequest(url: options.remote)),
                outages: options.servesReaders ? Outages(logger: logger) : nil,
                backend: backend,
                others: others
            )
            // Each attempt that leaves the process.
            .measuring(clock: clock)
            .tracing()
            .caching(policy: .validating, configuration: .init(now: now)) { logger.warning("\($0)") }
            .retrying(.interactive, clock: clock)
            // Outside of the retry, so that after a redirected command only the request for its target is repeated.
            .followingRedirects()
            .deadline(options.timeout, clock: clock)
        let isLogging = logger.logLevel <= .debug
        self.client = isLogging ? client.logging(clock: clock) { logger.debug("\($0)") } : client
        self.logger = logger
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try await client.send(request, body: body)
    }

    func dispose() async {
        // Nothing depends on the client any more, so a failure is only logged.
        await reporting(to: logger.report, "The HTTP client could not be shut down") {
            for client in connections { try await client.shutdown() }
        }
    }
}

/// Sends requests for the backend's origin with one client, and all other requests with another one.
private struct BackendOrPublicClient: HTTPClient {
    let origin: HTTPOrigin?
    let outages: Outages?
    let backend: NIOHTTPClient
    let others: NIOHTTPClient

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let isBackend = origin != nil && HTTPOrigin(request) == origin
        guard isBackend else { return try await others.send(request, body: body) }
        do {
            let response = try await backend.send(request, body: body)
            outages?.noteResponse()
            return response
        } catch {
            outages?.note(error)
            throw error
        }
    }
}

extension HTTPCachePolicy {
    /// A policy for a feed with its own cache, which shows its age: a stored response is used only if its server allows
    /// it, and never in place of a failing server.
    fileprivate static var validating: HTTPCachePolicy {
        HTTPCachePolicy(heuristicShare: 0, staleOnFailureLimit: .zero)
    }
}

extension HTTPRetryPolicy {
    /// The retry policy for interactive use: three attempts, with pauses of at most 0.3 seconds in total, unless the
    /// server requests more.
    fileprivate static var interactive: HTTPRetryPolicy {
        HTTPRetryPolicy(
            maximumAttempts: 3,
            backoff: .exponential(initial: .milliseconds(100), maximum: .milliseconds(200)),
            maximumRetryAfter: .seconds(5)
        )
    }
}
