import DuetHTTP
import HTTPTypes

/// Where a request goes that the cache does not answer.
struct Origin: Sendable {
    let client: any HTTPClient
    let body: HTTPBody?
    /// Whether bodies are handed on as they come; otherwise each is whole, within the limits that the client has for that.
    let isStreamed: Bool

    func send(_ request: HTTPRequest) async throws -> (HTTPResponse, HTTPBody) {
        guard isStreamed else { return try await WholeBodies(base: client).stream(request, body: body) }
        return try await client.stream(request, body: body)
    }
}
