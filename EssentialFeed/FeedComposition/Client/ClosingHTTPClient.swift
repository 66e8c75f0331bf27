import DuetAsyncHTTPClient
import DuetDependencies
import DuetHTTP
import Foundation
import HTTPTypes
import Logging

/// The HTTP client of a container: it closes its connections when the container is disposed of.
struct ClosingHTTPClient: HTTPClient, Disposable {
    private let client: NIOHTTPClient
    private let logger: Logger

    init(clock: any Clock<Duration>, logger: Logger) {
        client = NIOHTTPClient(clock: clock)
        self.logger = logger
    }

    func send(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        try await client.followingRedirects().send(request, body: body)
    }

    func dispose() async {
        // Nothing depends on it any more, so a failure is worth a line in the log and no more.
        await reporting(to: logger.report, "The HTTP client could not be shut down") {
            try await client.shutdown()
        }
    }
}
