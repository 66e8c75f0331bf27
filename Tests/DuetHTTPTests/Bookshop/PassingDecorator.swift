import DuetHTTP
import Foundation
import HTTPTypes

/// Adds nothing.
struct PassingDecorator: HTTPClientDecorator {
    let base: any HTTPClient
    var summary: String { "pass" }

    func stream(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        try await base.stream(request, body: body)
    }
}
