import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization

/// Records requests, and returns a preset response.
final class HTTPClientSpy: HTTPClient {
    enum Message: Hashable {
        case send(HTTPRequest, body: Data?)
    }

    private let result: Result<(HTTPResponse, Data), any Error>
    private let log = Mutex<[Message]>([])

    init(_ result: Result<(HTTPResponse, Data), any Error>) {
        self.result = result
    }

    /// Creates a client that responds with a status, a media type and a text.
    convenience init(status: Int = 200, contentType: String = "application/json", body: String = "") {
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.contentType] = contentType
        self.init(.success((response, Data(body.utf8))))
    }

    /// The requests with their bodies, in order.
    var messages: [Message] { log.withLock { $0 } }

    /// The requests in `messages`.
    var requests: [HTTPRequest] {
        messages.map { message in
            switch message {
            case .send(let request, _): request
            }
        }
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let body = try await body?.collectToSend()
        log.withLock { $0.append(.send(request, body: body)) }
        let (response, content) = try result.get()
        return (response, HTTPBody(content))
    }
}
