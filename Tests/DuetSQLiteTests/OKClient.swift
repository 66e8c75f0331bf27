import DuetHTTP
import Foundation
import HTTPTypes

/// Answers everything at once.
struct OKClient: HTTPClient {
    func send(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        (HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]), Data("whole".utf8))
    }
}
