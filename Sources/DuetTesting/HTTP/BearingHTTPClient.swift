#if HTTP

    package import DuetHTTP
    package import Foundation
    package import HTTPTypes

    /// Shows one bearer token with every request, wherever it goes.
    package struct BearingHTTPClient: HTTPClient {
        private let token: String
        private let base: any HTTPClient

        /// Shows `token` with what `base` sends.
        package init(_ token: String, base: any HTTPClient) {
            self.token = token
            self.base = base
        }

        package func send(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
            try await base.send(bearing(request), body: body)
        }

        package func stream(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            try await base.stream(bearing(request), body: body)
        }

        private func bearing(_ request: HTTPRequest) -> HTTPRequest {
            var request = request
            request.headerFields[.authorization] = "Bearer \(token)"
            return request
        }
    }

#endif
