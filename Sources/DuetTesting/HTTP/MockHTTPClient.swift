#if HTTP

    public import DuetHTTP
    public import Foundation
    public import HTTPTypes
    import Synchronization

    /// Stands in for a server in a test: it answers the requests that the test expects, and fails on all others.
    ///
    /// ```swift
    /// let client = MockHTTPClient { Issue.record($0) }
    /// client.expect(.get, "/v1/feed?limit=10", json: #"{"items":[]}"#)
    /// client.expect(.post, "/like_video", status: .noContent)
    /// try await subject.like("intro", with: HTTPDispatcher(baseURL: url, client: client))
    /// #expect(client.requestLines == ["GET /v1/feed?limit=10", "POST /like_video"])
    /// #expect(client.missing == [])
    /// ```
    ///
    /// A request that nothing expects is an ``UnexpectedRequest``. It can be used by several tasks at a time; the order
    /// of what it remembers is that in which the requests came.
    public final class MockHTTPClient: HTTPClient {
        /// A request with its body.
        public struct Received: Hashable, Sendable {
            /// Method, scheme, authority, path and fields, as they came.
            public let request: HTTPRequest

            /// The body; nil when there was none.
            public let body: Data?
        }

        private struct State {
            var received: [Received] = []
            var expectations: [Expectation] = []
        }

        private let state = Mutex(State())
        private let onUnexpected: @Sendable (UnexpectedRequest) -> Void

        /// Makes a client that expects nothing yet.
        ///
        /// - Parameter onUnexpected: Is told of each request that nothing expects, beside the error that `send` throws.
        ///   The code under test may swallow that error; `{ Issue.record($0) }` fails the test all the same.
        public init(onUnexpected: @escaping @Sendable (UnexpectedRequest) -> Void = { _ in }) {
            self.onUnexpected = onUnexpected
        }

        /// Every request that came, expected or not, in order.
        public var received: [Received] { state.withLock(\.received) }

        /// Method and path of every request that came, in the same order: `GET /v1/feed?limit=10`.
        public var requestLines: [String] { received.map { requestLine($0.request.method, $0.request.path) } }

        /// What was expected and has not come, or not as often as expected, in the order in which it was said.
        public var missing: [String] { state.withLock { $0.expectations.compactMap(\.missing) } }

        /// Records the request and returns the response that the test expects, with its whole body.
        ///
        /// - Throws: The error that the test expects, ``UnexpectedRequest``, or `CancellationError` in a canceled task.
        public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            try Task.checkCancellation()
            let body = try await body?.collectToSend()
            let line = requestLine(request.method, request.path)
            let answer: Result<Expectation.Answer, UnexpectedRequest> = state.withLock { state in
                state.received.append(Received(request: request, body: body))
                guard let index = state.expectations.firstIndex(where: { $0.line == line && !$0.isUsedUp }) else {
                    let expected = state.expectations.filter { !$0.isUsedUp }.map(\.line)
                    return .failure(UnexpectedRequest(request: line, expected: expected))
                }
                state.expectations[index].count += 1
                return .success(state.expectations[index].answer)
            }
            switch answer {
            case .success(let answer):
                let (response, content) = try await answer(request, body)
                return (response, HTTPBody(content))
            case .failure(let unexpected):
                onUnexpected(unexpected)
                throw unexpected
            }
        }

        func add(_ expectation: Expectation) {
            state.withLock { $0.expectations.append(expectation) }
        }
    }

    /// Requests that a test expects, and what they are answered with.
    struct Expectation: Sendable {
        typealias Answer =
            @Sendable @concurrent (_ request: HTTPRequest, _ body: Data?) async throws -> (HTTPResponse, Data)

        let line: String
        /// How many requests it is about; nil for any number.
        let times: Int?
        let answer: Answer
        var count = 0

        init(_ method: HTTPRequest.Method, _ path: String, times: Int?, answer: @escaping Answer) {
            line = requestLine(method, path)
            self.times = times
            self.answer = answer
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

#endif
