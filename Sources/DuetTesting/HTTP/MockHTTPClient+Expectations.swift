#if HTTP

    public import DuetHTTP
    public import Foundation
    public import HTTPTypes

    // An expectation is used up by the request that it answers; of several that fit, the first said is the first used.
    extension MockHTTPClient {
        /// Expects a request, and says how it is answered.
        ///
        /// - Parameters:
        ///   - method: The method of the request.
        ///   - path: Its path with its query, as it is sent: percent-encoded.
        ///   - times: How often it must come; nil for any number of times, none included.
        ///   - answer: Answers it, or throws.
        public func expect(
            _ method: HTTPRequest.Method,
            _ path: String,
            times: Int? = 1,
            answer:
                @escaping @Sendable @concurrent (_ request: HTTPRequest, _ body: Data?) async throws -> (
                    HTTPResponse, Data
                )
        ) {
            add(Expectation(method, path, times: times, answer: answer))
        }

        /// Expects a request, and answers it with a status, fields and JSON; without JSON there is no content.
        public func expect(
            _ method: HTTPRequest.Method,
            _ path: String,
            times: Int? = 1,
            status: HTTPResponse.Status = .ok,
            headers: HTTPFields = [:],
            json: String? = nil
        ) {
            var headers = headers
            if json != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
            expect(method, path, times: times, status: status, headers: headers, body: Data((json ?? "").utf8))
        }

        /// Expects a request, and answers it with a status, fields and bytes.
        public func expect(
            _ method: HTTPRequest.Method,
            _ path: String,
            times: Int? = 1,
            status: HTTPResponse.Status = .ok,
            headers: HTTPFields = [:],
            body: Data
        ) {
            let response = HTTPResponse(status: status, headerFields: headers)
            add(Expectation(method, path, times: times) { _, _ in (response, body) })
        }

        /// Expects a request, and answers it with a problem as a server that mounts the message writes it.
        ///
        /// A problem that no server could send lets the request fail with `UnsendableProblem`.
        ///
        /// - Parameters:
        ///   - method: The method of the request.
        ///   - path: Its path with its query, as it is sent: percent-encoded.
        ///   - times: How often it must come; nil for any number of times, none included.
        ///   - problem: The error; it arrives as its own type where it is declared.
        ///   - coding: How the API writes keys and dates.
        public func expect(
            _ method: HTTPRequest.Method,
            _ path: String,
            times: Int? = 1,
            problem: some HTTPProblem,
            coding: HTTPCoding = HTTPCoding()
        ) {
            expect(method, path, times: times) { _, _ in
                let answer = try HTTPAnswer(problem, JSONCoder(coding))
                return (HTTPResponse(status: answer.status, headerFields: answer.headers), answer.body ?? Data())
            }
        }

        /// Expects a request, and lets it fail with an error.
        public func expect(_ method: HTTPRequest.Method, _ path: String, times: Int? = 1, throwing error: any Error) {
            add(Expectation(method, path, times: times) { _, _ in throw error })
        }
    }

#endif
