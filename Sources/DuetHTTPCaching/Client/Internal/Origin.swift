import DuetHTTP
import HTTPTypes

/// Where a request goes that the cache does not answer.
struct Origin: Sendable {
    let client: any HTTPClient
    let body: HTTPBody?
    /// Whether bodies are handed on as they come; otherwise each is whole, within the limits that the client has for
    /// that.
    let isStreamed: Bool

    func send(_ request: HTTPRequest) async throws -> (HTTPResponse, HTTPBody) {
        let (response, received) = try await client.send(request, body: body)
        guard !isStreamed, received.whole == nil else { return (response, received) }
        return (response, HTTPBody(try await received.collected(answering: request)))
    }
}
