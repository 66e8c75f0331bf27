import DuetHTTP
import Foundation
import HTTPTypes

/// Responds to everything at once.
struct OKClient: HTTPClient {
    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        (HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]), HTTPBody(Data("whole".utf8)))
    }
}
