#if HTTP

    package import DuetHTTP
    package import HTTPTypes

    package struct BearerTokenHTTPClient: HTTPClient {
        private let token: String
        private let base: any HTTPClient

        package init(_ token: String, base: any HTTPClient) {
            self.token = token
            self.base = base
        }

        package func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            var request = request
            request.headerFields[.authorization] = "Bearer \(token)"
            return try await base.send(request, body: body)
        }
    }

#endif
