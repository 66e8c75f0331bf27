import DuetHTTP
import FlyingFox
import FlyingSocks
import Foundation
import HTTPTypes

extension HTTPService {
    /// Responds to a request of FlyingFox.
    func respond(to request: FlyingFox.HTTPRequest) async -> FlyingFox.HTTPResponse {
        guard let method = HTTPTypes.HTTPRequest.Method(request.method.rawValue) else {
            return FlyingFox.HTTPResponse(statusCode: .badRequest)
        }
        var head = HTTPTypes.HTTPRequest(
            method: method,
            scheme: "http",
            authority: request.headers[.host],
            path: request.target.rawValue
        )
        for (name, value) in request.headers {
            guard let name = HTTPField.Name(name.rawValue) else { continue }
            head.headerFields.append(HTTPField(name: name, value: value))
        }
        let body = HTTPBody(request.bodySequence, size: request.bodySequence.count.map(Int64.init))
        let (response, content) = await respond(to: head, body: body, from: request.connectedAddress)
        var headers = HTTPHeaders()
        for field in response.headerFields { headers.addValue(field.value, for: HTTPHeader(field.name.rawName)) }
        return FlyingFox.HTTPResponse(
            statusCode: HTTPStatusCode(response.status.code, phrase: response.status.reasonPhrase),
            headers: headers,
            body: content.whole.map { HTTPBodySequence(data: $0) } ?? HTTPBodySequence(from: Pieces(body: content))
        )
    }
}

extension FlyingFox.HTTPRequest {
    /// The address of the connection; `remoteIPAddress` believes what the client says about it.
    fileprivate var connectedAddress: String? {
        switch remoteAddress {
        case .ip4(let address, _), .ip6(let address, _): address
        case .unix, nil: nil
        }
    }
}

/// The pieces of a body, each of which is sent when it is there.
private struct Pieces: AsyncBufferedSequence {
    typealias Element = UInt8

    let body: HTTPBody

    struct AsyncIterator: AsyncBufferedIteratorProtocol {
        var pieces: HTTPBody.AsyncIterator

        mutating func nextBuffer(suggested count: Int) async throws -> Data? { try await pieces.next() }

        /// Required by the protocol; FlyingFox asks for pieces only.
        mutating func next() async throws -> UInt8? { nil }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: body.makeAsyncIterator()) }
}
