import DuetHTTP
import Foundation
import HTTPTypes
import ServiceContextModule
import Synchronization
import Testing

/// Records requests, and responds with a fixed response.
final class SpyClient: HTTPClient {
    struct Sent: Sendable {
        let request: HTTPRequest
        let body: Data?
        let options: HTTPRequestOptions
    }

    private let answer: Result<(HTTPResponse, Data), any Error>
    private let record = Mutex<[Sent]>([])

    var sent: [Sent] { record.withLock(\.self) }

    init(_ error: any Error) {
        answer = .failure(error)
    }

    init(_ status: HTTPResponse.Status, _ body: Data, _ headers: HTTPFields) {
        answer = .success((HTTPResponse(status: status, headerFields: headers), body))
    }

    convenience init(_ status: HTTPResponse.Status = .noContent, _ body: String = "", _ headers: HTTPFields = [:]) {
        self.init(status, Data(body.utf8), headers)
    }

    /// With a body of this media type.
    convenience init(_ status: HTTPResponse.Status, _ body: String, mediaType: String) {
        self.init(status, body, [.contentType: mediaType])
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let body = try await body?.collectToSend()
        record.withLock { $0.append(Sent(request: request, body: body, options: .current)) }
        let (response, content) = try answer.get()
        return (response, HTTPBody(content))
    }
}

/// A dispatcher to the bookshop.
func dispatcher(_ client: SpyClient, _ settings: HTTPSettings = HTTPSettings()) throws -> HTTPDispatcher {
    HTTPDispatcher(baseURL: try BaseURL("https://shop.example"), client: client, settings: settings)
}

/// The failure of a query at the bookshop.
func failure<Q: HTTPQuery>(_ query: Q, _ client: SpyClient) async throws -> HTTPFailure {
    let dispatcher = try dispatcher(client)
    let error = await #expect(throws: HTTPFailure.self) { _ = try await dispatcher.dispatch(query) }
    return try #require(error)
}
