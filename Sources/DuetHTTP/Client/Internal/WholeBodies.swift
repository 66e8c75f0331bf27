import Foundation
import HTTPTypes

/// A client that has all bytes of an answer before it hands on the first, so that whoever asks need not tell the two ways apart.
struct WholeBodies: HTTPClient {
    let base: any HTTPClient

    func send(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        try await base.send(request, body: body)
    }

    func stream(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        // Without a call where all is there already: each costs as much as a decorator does.
        let data: Data? = if let whole = body?.whole { whole } else { try await body?.collectToSend() }
        let (response, answer) = try await base.send(request, body: data)
        return (response, HTTPBody(answer))
    }
}
