import Duet
import DuetContext
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import ServiceContextModule
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RetryingHTTPClientTests {
    private let clock = ManualClock()

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])
    func `an idempotent request is sent again`(method: String) async throws {
        let server = StubClient(statuses: 503, 200)
        let original = request(try #require(HTTPRequest.Method(method)))
        let answered = try await atOnce(server).data(for: original, body: Data("body".utf8))
        #expect(answered.0.status == .ok)
        #expect(server.sent.map(\.request) == [original, original])
        #expect(server.sent.map(\.body) == [Data("body".utf8), Data("body".utf8)])
        #expect(server.sent.map(\.options.attempt) == [1, 2])
    }

    @Test func `a request for a cached response only is not sent again`() async throws {
        let server = StubClient(statuses: 504, 200)
        let original = request(.get, "https://api.example/a", [.cacheControl: "max-stale, Only-If-Cached"])
        #expect(try await atOnce(server).data(for: original).0.status.code == 504)
        #expect(server.sent.count == 1)
    }

    @Test(arguments: ["POST", "PATCH", "CONNECT", "LOCK"])
    func `other requests are sent again only with a key`(method: String) async throws {
        let method = try #require(HTTPRequest.Method(method))
        let server = StubClient(statuses: 503, 200)
        #expect(try await atOnce(server).data(for: request(method)).0.status.code == 503)
        #expect(server.sent.count == 1)

        let keyed = StubClient(statuses: 503, 200)
        let original = request(method, "https://api.example/a", [.idempotencyKey: "k"])
        #expect(try await atOnce(keyed).data(for: original).0.status == .ok)
        #expect(keyed.sent.map { $0.request.headerFields[.idempotencyKey] } == ["k", "k"])
    }

    @Test func `a command whose connection broke is not sent again`() async {
        let server = StubClient { sent in throw HTTPClientError.unplugged(sent.number) }
        let error = await #expect(throws: HTTPClientError.self) { try await atOnce(server).data(for: request(.post)) }
        #expect(error?.name == "connectionFailed")
        #expect(server.sent.count == 1)
    }

    @Test func `a command that the server did not process is sent again, until it may have been processed`() async {
        let server = StubClient { sent in
            let error = HTTPClientError.unplugged(sent.number)
            guard sent.number == 1, case .connectionFailed(let url, _, let underlying) = error else { throw error }
            throw HTTPClientError.connectionFailed(url: url, underlying: NotConnected(underlying))
        }
        let error = await #expect(throws: HTTPClientError.self) { try await atOnce(server).data(for: request(.post)) }
        #expect(error?.attempts.count == 2)
        #expect(error?.isUnsent == false)
        #expect(server.sent.count == 2)
    }

    @Test(arguments: [
        (200, 1), (304, 1), (400, 1), (401, 1), (404, 1), (407, 1), (408, 3), (409, 1), (421, 1), (425, 3), (429, 3),
        (500, 1), (501, 1), (502, 3), (503, 3), (504, 3), (505, 1),
    ])
    func `temporary statuses are tried again, and the last response is returned`(
        status: Int,
        attempts: Int
    ) async throws {
        let server = StubClient(statuses: status)
        #expect(try await atOnce(server).data(for: request()).0.status.code == status)
        #expect(server.sent.count == attempts)
    }

    @Test(arguments: errors)
    func `temporary errors are tried again`(error: HTTPClientError, isTriedAgain: Bool) async throws {
        let server = StubClient { _ in throw error }
        let thrown = await #expect(throws: HTTPClientError.self) { try await atOnce(server).data(for: request()) }
        #expect(server.sent.count == (isTriedAgain ? 3 : 1))
        #expect(thrown?.reason.name == error.reason.name)
        #expect(thrown?.attempts.count == (isTriedAgain ? 3 : 0))
    }

    @Test(
        arguments: [
            ([], [1, 1]), ([.connectionFailed], [3, 1]), ([.deadlineExceeded], [1, 3]),
            ([.connectionFailed, .deadlineExceeded], [3, 3]),
        ] as [(Set<HTTPRetryPolicy.RetriedError>, [Int])]
    )
    func `only the errors that the policy names are tried again`(
        errors: Set<HTTPRetryPolicy.RetriedError>,
        attempts: [Int]
    ) async throws {
        let policy = HTTPRetryPolicy(backoff: .constant(.zero), errors: errors, budget: .unlimited)
        let failures: [HTTPClientError] = [.unplugged(), .deadlineExceeded(url: "u", after: .zero)]
        for (failure, attempts) in zip(failures, attempts) {
            let server = StubClient { _ in throw failure }
            await #expect(throws: HTTPClientError.self) {
                try await server.retrying(policy, clock: clock).data(for: request())
            }
            #expect(server.sent.count == attempts)
        }
    }

    @Test(arguments: 1...5)
    func `the error contains the failure of every attempt`(lasting: Int) async throws {
        let server = StubClient { sent in
            if sent.number <= lasting { throw HTTPClientError.unplugged(sent.number) }
            return answer()
        }
        let client = atOnce(server, attempts: 4)
        guard lasting >= 4 else {
            #expect(try await client.data(for: request()).0.status == .ok)
            #expect(server.sent.count == lasting + 1)
            return
        }
        let error = await #expect(throws: HTTPClientError.self) { try await client.data(for: request()) }
        let reasons = error?.attempts.map { attempt -> Int? in
            guard case .error(.connectionFailed(_, _, let underlying)) = attempt.failure else { return nil }
            return (underlying as? Unplugged)?.number
        }
        #expect(reasons == [1, 2, 3, 4])
        #expect(error?.attempts.map(\.delay) == [.zero, .zero, .zero, nil])
        #expect(error?.description.hasPrefix("4 attempts failed") == true)
    }

    @Test func `statuses and errors are listed in order, and a permanent error ends the attempts`() async throws {
        let server = StubClient { sent in
            switch sent.number {
            case 1: answer(429)
            case 2: throw HTTPClientError.unplugged()
            default: throw HTTPClientError.bodyTooLarge(url: "https://api.example/a", limit: 7)
            }
        }
        let error = await #expect(throws: HTTPClientError.self) {
            try await atOnce(server, attempts: 9).data(for: request())
        }
        #expect(error?.reason.name == "bodyTooLarge")
        #expect(
            error?.description == """
                3 attempts failed (status 429; No response from https://api.example/a: Unplugged(number: 0)). \
                The response from https://api.example/a is larger than 7 bytes. \
                Raise the client's body limit if that is right.
                """
        )
    }

    @Test func `an error that every attempt had is described once`() async throws {
        let server = StubClient { _ in throw HTTPClientError.unplugged() }
        let error = await #expect(throws: HTTPClientError.self) {
            try await atOnce(server, attempts: 3).data(for: request())
        }
        #expect(error?.attempts.count == 3)
        #expect(error?.description == "3 attempts failed. \(HTTPClientError.unplugged())")
    }

    @Test func `an error of another kind is thrown unchanged`() async {
        let server = StubClient { sent in
            if sent.number == 1 { return answer(503) }
            throw Unplugged(number: 7)
        }
        await #expect(throws: Unplugged(number: 7)) { try await atOnce(server).data(for: request()) }
        #expect(server.sent.count == 2)
    }

    @Test(arguments: [(1, 1), (2, 2), (0, 1), (-3, 1)])
    func `there are as many attempts as the policy says`(maximum: Int, attempts: Int) async throws {
        let server = StubClient(statuses: 503)
        _ = try await atOnce(server, attempts: maximum).data(for: request())
        #expect(server.sent.count == attempts)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `delays are random between zero and a growing backoff`(seed: UInt64) async throws {
        let server = StubClient(statuses: 503)
        let policy = HTTPRetryPolicy(
            maximumAttempts: 40,
            backoff: .exponential(initial: .seconds(1), maximum: .seconds(8)),
            budget: .unlimited
        )
        let client = server.retrying(policy, clock: clock, generator: SeededGenerator(seed: seed))
        let delays = try await delays(39) { try await client.data(for: request()).0 }
        for (index, delay) in delays.enumerated() {
            #expect(delay > .zero && delay < .seconds(min(8, 1 << min(index, 3))), "seed \(seed)")
        }
        #expect(delays.contains { $0 > .seconds(6) }, "seed \(seed)")
        #expect(Set(delays).count > 35, "seed \(seed)")
    }

    @Test(arguments: waits)
    func `the delay of the server is respected, up to the maximum`(value: String, seconds: Int?) async throws {
        let server = StubClient { sent in
            sent.number == 1 ? answer(503, [.retryAfter: value, .date: "Sun, 06 Nov 1994 08:49:37 GMT"]) : answer()
        }
        let client = atOnce(server, now: { Date(timeIntervalSince1970: 0) })
        guard let seconds else {
            #expect(try await client.data(for: request()).0.status.code == 503)
            return
        }
        let waited = try await delays(seconds > 0 ? 1 : 0) { try await client.data(for: request()).0 }
        #expect(waited == (seconds > 0 ? [.seconds(seconds)] : []))
        #expect(server.sent.count == 2)
    }

    @Test func `a date counts from now when the response has no date`() async throws {
        let server = StubClient { sent in
            sent.number == 1 ? answer(429, [.retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT"]) : answer()
        }
        let client = atOnce(server, now: { Date(timeIntervalSince1970: 784_111_775) })
        #expect(try await delays(1) { try await client.data(for: request()).0 } == [.seconds(2)])
    }

    @Test func `clients that must wait do not return all at once`() async throws {
        let server = StubClient { sent in sent.number == 1 ? answer(503, [.retryAfter: "5"]) : answer() }
        let policy = HTTPRetryPolicy(backoff: .constant(.seconds(1)))
        let client = server.retrying(policy, clock: clock, generator: SeededGenerator(seed: 1))
        let delay = try #require(try await delays(1) { try await client.data(for: request()).0 }.first)
        #expect(delay > .seconds(5) && delay < .seconds(6))
    }

    @Test(arguments: [(4_999, false), (5_000, false), (5_001, true)])
    func `no delay exceeds the deadline`(milliseconds: Int, isTriedAgain: Bool) async throws {
        let server = StubClient { sent in sent.number == 1 ? answer(503, [.retryAfter: "5"]) : answer() }
        let client = atOnce(server)
        var context = ServiceContext.topLevel
        context.deadline = Deadline(in: .milliseconds(milliseconds), clock: clock)
        let waited = try await ServiceContext.withValue(context) {
            try await delays(isTriedAgain ? 1 : 0) { try await client.data(for: request()).0 }
        }
        #expect(waited == (isTriedAgain ? [.seconds(5)] : []))
        #expect(server.sent.count == (isTriedAgain ? 2 : 1))
    }

    @Test func `the sleep ends with its task`() async throws {
        let server = StubClient(statuses: 503)
        let client = server.retrying(HTTPRetryPolicy(backoff: .constant(.seconds(9))), clock: clock)
        let task = Task { try await client.data(for: request()).0 }
        await clock.nextSleeper()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.sent.count == 1)
    }

    @Test func `nothing is sent again for a canceled task`() async throws {
        let failing = StubClient { _ in throw HTTPClientError.unplugged() }
        let failed = await canceled { try await atOnce(failing).data(for: request()).0 }
        #expect(throws: CancellationError.self) { try failed.get() }
        #expect(failing.sent.count == 1)

        let busy = StubClient(statuses: 503)
        let answered = await canceled { try await atOnce(busy).data(for: request()).0 }
        #expect(try answered.get().status.code == 503)
        #expect(busy.sent.count == 1)
    }

    @Test(arguments: [0, 1, 10, 50])
    func `retries are limited to a share of the client's requests and a reserve`(reserve: Int) async throws {
        let server = StubClient(statuses: 503)
        let client = atOnce(server, attempts: 3, budget: .share(0.2, reserve: reserve))
        for _ in 1...100 { _ = try await client.data(for: request()) }
        let retries = server.sent.count - 100
        #expect(retries <= reserve + 20)
        #expect(retries >= reserve + 19 - (reserve == 0 ? 0 : 1))
    }

    @Test func `a copy of a client has the same budget`() async throws {
        let server = StubClient(statuses: 503)
        let client = atOnce(server, budget: .share(0, reserve: 1))
        let copy = client
        _ = try await client.data(for: request())
        _ = try await copy.data(for: request())
        #expect(server.sent.count == 3)
    }

    private static let errors: [(HTTPClientError, Bool)] = [
        (.unplugged(), true), (.deadlineExceeded(url: "u", after: .zero), true),
        (.bodyTooLarge(url: "u", limit: 1), false), (.tooManyWaiting(url: "u", limit: 1), false),
        (.shutDown(url: "u"), false), (.invalidRequest(reason: "r"), false),
        (.tooManyRedirects(url: "u"), false), (.redirectRefused(url: "u", reason: "r"), false),
        (.attemptsFailed([], last: .unplugged()), true), (.attemptsFailed([], last: .shutDown(url: "u")), false),
    ]

    private static let waits: [(String, Int?)] = [
        ("0", 0), ("5", 5), ("30", 30), ("31", nil), ("99999999999999999999", nil), (" 5 ", 5), ("-5", 0), ("5.5", 0),
        ("٥", 0), ("soon", 0), ("", 0), ("5, 6", 0), ("Sun, 06 Nov 1994 08:49:50 GMT", 13),
        ("Sunday, 06-Nov-94 08:49:50 GMT", 13), ("Sun Nov  6 08:49:50 1994", 13), ("Sun, 06 Nov 1994 08:49:07 GMT", 0),
        ("Sun, 06 Nov 1994 08:50:07 GMT", 30), ("Sun, 06 Nov 1994 08:50:08 GMT", nil),
    ]

    private func atOnce(
        _ server: StubClient,
        attempts: Int = 3,
        budget: HTTPRetryPolicy.Budget = .unlimited,
        now: @escaping @Sendable () -> Date = { Date(timeIntervalSince1970: 0) }
    ) -> RetryingHTTPClient {
        let policy = HTTPRetryPolicy(maximumAttempts: attempts, backoff: .constant(.zero), budget: budget)
        return server.retrying(policy, clock: clock, now: now)
    }

    /// The delays of a number of retries.
    private func delays(
        _ number: Int,
        while operation: @escaping @Sendable @concurrent () async throws -> HTTPResponse
    ) async throws -> [Duration] {
        let task = Task { try await operation() }
        var delays: [Duration] = []
        for _ in 0..<number {
            let delay = await clock.nextSleeper()
            delays.append(delay)
            clock.advance(by: delay)
        }
        _ = try await task.value
        return delays
    }
}
