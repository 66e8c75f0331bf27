#if HTTP

    public import DuetHTTP
    public import Foundation
    public import HTTPTypes
    import Synchronization

    /// Replaces a server in a test, responds to expected requests, and fails all others.
    ///
    /// ```swift
    /// let client = MockHTTPClient { Issue.record($0) }
    /// client.expect(.get, "/notes?after=0", json: #"[{"id": 1, "text": "Milk"}]"#)
    /// client.expect(.post, "/notes", status: .noContent)
    ///
    /// try await copyLastNote(with: HTTPDispatcher(baseURL: BaseURL("http://localhost"), client: client))
    ///
    /// #expect(client.requestLines == ["GET /notes?after=0", "POST /notes"])
    /// #expect(client.missing == [])
    /// ```
    ///
    /// An unexpected request throws ``UnexpectedRequest``. Several tasks can use the client at a time; it records
    /// requests in the order of their arrival.
    public final class MockHTTPClient: HTTPClient {
        /// A request that the client received, with its body.
        public struct Received: Hashable, Sendable {
            /// The method, scheme, authority, path, and header fields, as received.
            public let request: HTTPRequest

            /// The body, if any.
            public let body: Data?
        }

        private struct State {
            var received: [Received] = []
            var expectations: [Expectation] = []
        }

        private let state = Mutex(State())
        private let onUnexpected: @Sendable (UnexpectedRequest) -> Void

        /// Creates a client that expects no requests.
        ///
        /// - Parameter onUnexpected: Receives each unexpected request, in addition to the error that `send` throws. The
        ///   code under test may swallow that error; `{ Issue.record($0) }` fails the test anyway.
        public init(onUnexpected: @escaping @Sendable (UnexpectedRequest) -> Void = { _ in }) {
            self.onUnexpected = onUnexpected
        }

        /// Every received request, expected or not, in order.
        public var received: [Received] { state.withLock(\.received) }

        /// The method and path of every received request, in the same order: `GET /v1/feed?limit=10`.
        public var requestLines: [String] { received.map { requestLine($0.request.method, $0.request.path) } }

        /// The expected requests that are still missing, in the order in which they were declared.
        public var missing: [String] { state.withLock { $0.expectations.compactMap(\.missing) } }

        /// Records the request, and returns the response that the test expects, with its complete body.
        ///
        /// - Throws: The error that the test expects, ``UnexpectedRequest``, or `CancellationError` in a canceled task.
        public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            try Task.checkCancellation()
            let body = try await body?.collectToSend()
            let line = requestLine(request.method, request.path)
            let outcome: Result<Expectation.Responder, UnexpectedRequest> = state.withLock { state in
                state.received.append(Received(request: request, body: body))
                guard let index = state.expectations.firstIndex(where: { $0.line == line && !$0.isUsedUp }) else {
                    let expected = state.expectations.filter { !$0.isUsedUp }.map(\.line)
                    return .failure(UnexpectedRequest(request: line, expected: expected))
                }
                state.expectations[index].count += 1
                return .success(state.expectations[index].respond)
            }
            switch outcome {
            case .success(let respond):
                let (response, content) = try await respond(request, body)
                return (response, HTTPBody(content))
            case .failure(let unexpected):
                onUnexpected(unexpected)
                throw unexpected
            }
        }
    }

    /// A request that a test expects, and the response to it.
    struct Expectation {
        typealias Responder =
            @Sendable @concurrent (_ request: HTTPRequest, _ body: Data?) async throws -> (HTTPResponse, Data)

        let line: String
        /// The number of expected requests; nil for any number.
        let times: Int?
        let respond: Responder
        var count = 0

        init(_ method: HTTPRequest.Method, _ path: String, times: Int?, respond: @escaping Responder) {
            line = requestLine(method, path)
            self.times = times
            self.respond = respond
        }

        var isUsedUp: Bool { times.map { count >= $0 } ?? false }

        var missing: String? {
            guard let times, count < times else { return nil }
            return times == 1 ? line : "\(line), \(times - count) of \(times) times"
        }
    }

    private func requestLine(_ method: HTTPRequest.Method, _ path: String?) -> String {
        "\(method.rawValue) \(path ?? "")"
    }

    // A request uses up its expectation. If several expectations match, the one declared first applies.
    extension MockHTTPClient {
        /// Expects a request, and responds with a closure.
        ///
        /// - Parameters:
        ///   - method: The method of the request.
        ///   - path: The path and query as sent, percent-encoded.
        ///   - times: The number of expected requests; nil for any number, including none.
        ///   - respond: Returns the response, or throws.
        public func expect(
            _ method: HTTPRequest.Method,
            _ path: String,
            times: Int? = 1,
            respond:
                @escaping @Sendable @concurrent (_ request: HTTPRequest, _ body: Data?) async throws -> (
                    HTTPResponse, Data
                )
        ) {
            let expectation = Expectation(method, path, times: times, respond: respond)
            state.withLock { $0.expectations.append(expectation) }
        }

        /// Expects a request, and responds with a status, header fields, and JSON; without JSON, the content is empty.
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

        /// Expects a request, and responds with a status, header fields, and bytes.
        public func expect(
            _ method: HTTPRequest.Method,
            _ path: String,
            times: Int? = 1,
            status: HTTPResponse.Status = .ok,
            headers: HTTPFields = [:],
            body: Data
        ) {
            let response = HTTPResponse(status: status, headerFields: headers)
            expect(method, path, times: times) { _, _ in (response, body) }
        }

        /// Expects a request, and responds with a problem, encoded as by a server that mounts the message.
        ///
        /// A problem that no server could send fails the request with `UnsendableProblem`.
        ///
        /// - Parameters:
        ///   - method: The method of the request.
        ///   - path: The path and query as sent, percent-encoded.
        ///   - times: The number of expected requests; nil for any number, including none.
        ///   - problem: The error, which arrives as its own type if the message declares it.
        ///   - coding: The coding of keys and dates in the API.
        public func expect(
            _ method: HTTPRequest.Method,
            _ path: String,
            times: Int? = 1,
            problem: some HTTPProblem,
            coding: HTTPCoding = HTTPCoding()
        ) {
            expect(method, path, times: times) { _, _ in
                let response = try ServedResponse(problem, JSONCoder(coding))
                return (HTTPResponse(status: response.status, headerFields: response.headers), response.body ?? Data())
            }
        }

        /// Expects a request, and fails it with an error.
        public func expect(_ method: HTTPRequest.Method, _ path: String, times: Int? = 1, throwing error: any Error) {
            expect(method, path, times: times) { _, _ in throw error }
        }
    }

    /// An error for a request that a ``MockHTTPClient`` received although the test does not expect it, or not again.
    public struct UnexpectedRequest: Error, Hashable {
        package let request: String

        /// The method and path of each request that was still expected.
        package let expected: [String]
    }

    extension UnexpectedRequest: DescribedError {
        /// The request, the expected requests, and the expectation to add.
        public var description: String {
            let others = expected.isEmpty ? "no further request" : expected.joined(separator: ", ")
            let parts = request.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            let advice = "client.expect(.\(parts[0].lowercased()), \"\(parts[1])\", …)"
            return "Unexpected request \(request); expected: \(others). If it is correct, expect it: \(advice)"
        }
    }

#endif
