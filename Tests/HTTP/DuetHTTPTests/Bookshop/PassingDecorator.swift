import DuetHTTP
import Foundation
import HTTPTypes

/// Adds nothing.
struct PassingDecorator: HTTPClientDecorator {
    let base: any HTTPClient
    var summary: String { "pass" }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        try await base.send(request, body: body)
    }
}
