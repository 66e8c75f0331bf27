import Duet
import DuetAsyncHTTPClient
import DuetDependencies
import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Logging

/// The HTTP client of a container, with a cache in memory; it closes its connections when the container is disposed of.
struct ClosingHTTPClient: HTTPClient, Disposable {
    private let connections: NIOHTTPClient
    private let client: any HTTPClient
    private let logger: Logger

    init(clock: any Clock<Duration>, logger: Logger, now: @escaping @Sendable () -> Date) {
        connections = NIOHTTPClient(clock: clock)
        client =
            connections
            .caching(policy: .unnoticed, configuration: .init(now: now)) { logger.warning("\($0)") }
            .retrying(.attended, clock: clock)
            .followingRedirects()
            .deadline(.seconds(30), clock: clock)
            .logging(clock: clock) { logger.debug("\($0)") }
        self.logger = logger
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try await client.send(request, body: body)
    }

    func dispose() async {
        // Nothing depends on it any more, so a failure is worth a line in the log and no more.
        await reporting(to: logger.report, "The HTTP client could not be shut down") {
            try await connections.shutdown()
        }
    }
}

extension HTTPRetryPolicy {
    /// For somebody who waits: three attempts, of which a server that is gone makes at most 0.3 seconds.
    fileprivate static var attended: HTTPRetryPolicy {
        HTTPRetryPolicy(
            maximumAttempts: 3,
            backoff: .exponential(initial: .milliseconds(100), maximum: .milliseconds(200)),
            maximumRetryAfter: .seconds(5)
        )
    }
}

extension HTTPCachePolicy {
    /// For a feed that has a cache of its own and says how old it is: nothing is used again that its server did not
    /// allow, and nothing stands in for a server that fails.
    fileprivate static var unnoticed: HTTPCachePolicy {
        HTTPCachePolicy(.private, heuristicShare: 0, staleOnFailureLimit: .zero)
    }
}
