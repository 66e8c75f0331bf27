import DuetHTTP
import HTTPTypes

/// A client under test, and how it is shut down.
struct ProbedClient: HTTPClient {
    let base: any HTTPClient
    let shutdown: @Sendable () async throws -> Void

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try await base.send(request, body: body)
    }
}
