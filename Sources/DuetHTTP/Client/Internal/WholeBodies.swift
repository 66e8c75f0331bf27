import Foundation
import HTTPTypes

/// A client that has all bytes of an answer before it hands on the first, so that whoever asks need not tell the two ways apart.
struct WholeBodies: HTTPClient {
    let base: any HTTPClient

    func send(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        try await base.send(request, body: body)
    }
}
