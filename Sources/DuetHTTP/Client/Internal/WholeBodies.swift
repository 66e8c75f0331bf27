package import Foundation
package import HTTPTypes

/// A client that has all bytes of an answer before it hands on the first, so that whoever asks need not tell the two ways apart.
package struct WholeBodies: HTTPClient {
    private let base: any HTTPClient

    package init(base: any HTTPClient) {
        self.base = base
    }

    package func send(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        try await base.send(request, body: body)
    }

    package func stream(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        // Without a call where all is there already: each costs as much as a decorator does.
        let data: Data? = if let whole = body?.whole { whole } else { try await body?.collectToSend() }
        let (response, answer) = try await base.send(request, body: data)
        return (response, HTTPBody(answer))
    }
}
