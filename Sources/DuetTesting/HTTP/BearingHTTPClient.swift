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
            var request = request
            request.headerFields[.authorization] = "Bearer \(token)"
            return try await base.send(request, body: body)
        }
    }

#endif
