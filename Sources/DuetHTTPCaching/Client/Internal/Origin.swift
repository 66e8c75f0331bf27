import DuetHTTP
import Foundation
import HTTPTypes

/// Where a request goes that the cache does not answer, and in which way its caller wants the answer.
struct Origin: Sendable {
    enum Delivery: Sendable {
        /// With the whole body of the answer, within the limits that the client has for that.
        case whole(Data?)
        /// With a body that comes as it is read.
        case streamed(HTTPBody?)
    }

    let client: any HTTPClient
    let delivery: Delivery

    init(_ client: any HTTPClient, _ delivery: Delivery) {
        self.client = client
        self.delivery = delivery
    }

    var isStreamed: Bool {
        if case .streamed = delivery { true } else { false }
    }

    var hasBody: Bool {
        switch delivery {
        case .whole(let body): body != nil
        case .streamed(let body): body != nil
        }
    }

    func send(_ request: HTTPRequest) async throws -> (HTTPResponse, OriginBody) {
        switch delivery {
        case .whole(let body):
            let (response, data) = try await client.send(request, body: body)
            return (response, .data(data))
        case .streamed(let body):
            let (response, body) = try await client.stream(request, body: body)
            return (response, .stream(body))
        }
    }
}

/// The body of an answer: all there, or still to come.
enum OriginBody: Sendable {
    case data(Data)
    case stream(HTTPBody)

    var body: HTTPBody {
        switch self {
        case .data(let data): HTTPBody(data)
        case .stream(let body): body
        }
    }
}
