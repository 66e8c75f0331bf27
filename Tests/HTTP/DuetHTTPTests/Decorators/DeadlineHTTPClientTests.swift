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
struct DeadlineHTTPClientTests {
    private let clock = ManualClock()

    @Test func `inner clients and the server know the remaining time`() async throws {
        let server = StubClient(statuses: 200)
        _ = try await server.deadline(.seconds(30), clock: clock).data(for: request())
        #expect(server.sent.first?.timeLeft == .seconds(30))
        #expect(server.sent.first?.request.headerFields[.requestTimeout] == "30000")
        #expect(ServiceContext.current?.deadline == nil)
    }

    @Test(arguments: [
        (Duration.milliseconds(1), "1" as String?), (.microseconds(1), "1"), (.microseconds(1_001), "2"),
        (.nanoseconds(1), "1"),
        (.milliseconds(999), "999"), (.seconds(3600), "3600000"), (.seconds(Int64.max), nil),
    ])
    func `the server receives whole milliseconds, rounded up`(duration: Duration, field: String?) async throws {
        let server = StubClient(statuses: 200)
        _ = try await server.deadline(duration, clock: clock).data(for: request())
        #expect(server.sent.first?.request.headerFields[.requestTimeout] == field)
    }

    @Test(arguments: [(9_999, 9_999), (10_000, 10_000), (10_001, 10_000)])
    func `the shorter of two deadlines applies`(outer: Int, effective: Int) async throws {
        let server = StubClient(statuses: 200)
        var context = ServiceContext.topLevel
        context.deadline = Deadline(in: .milliseconds(outer), clock: clock)
        _ = try await ServiceContext.withValue(context) {
            try await server.deadline(.seconds(10), clock: clock).data(for: request())
        }
        #expect(server.sent.first?.timeLeft == .milliseconds(effective))
        #expect(server.sent.first?.request.headerFields[.requestTimeout] == "\(effective)")
    }

    @Test func `a request that takes longer is canceled, and the error has the deadline`() async throws {
        let gate = Gate()
        let server = StubClient { _ in
            try await gate.pass()
            return answer()
        }
        let client = server.deadline(.seconds(2), clock: clock)
        let task = Task { try await client.data(for: request(.get, "https://api.example/a?secret=1")).0 }
        await clock.nextSleeper()
        await gate.arrivals(1)
        clock.advance(by: .seconds(2))
        let error = await #expect(throws: HTTPClientError.self) { try await task.value }
        #expect(error?.description == "No complete response from https://api.example/a within 2 seconds.")
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `nothing is sent after the deadline`(left: Duration) async throws {
        let server = StubClient(statuses: 200)
        var context = ServiceContext.topLevel
        context.deadline = Deadline(in: left, clock: clock)
        let error = await #expect(throws: HTTPClientError.self) {
            try await ServiceContext.withValue(context) {
                try await server.deadline(.seconds(1), clock: clock).data(for: request())
            }
        }
        #expect(error?.name == "deadlineExceeded")
        let other = await #expect(throws: HTTPClientError.self) {
            try await server.deadline(left, clock: clock).data(for: request())
        }
        #expect(other?.name == "deadlineExceeded")
        #expect(server.sent.isEmpty)
    }

    @Test func `a canceled request is canceled, not late`() async throws {
        let server = StubClient(statuses: 200)
        let result = await canceled { try await server.deadline(.seconds(1), clock: clock).data(for: request()).0 }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(server.sent.isEmpty)

        let gate = Gate()
        let slow = StubClient { _ in
            try await gate.pass()
            return answer()
        }
        let task = Task { try await slow.deadline(.seconds(1), clock: clock).data(for: request()).0 }
        await gate.arrivals(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `outside of a retry the deadline is one for all attempts`() async throws {
        let server = StubClient { sent in
            sent.number == 1 ? answer(503, [.retryAfter: "7"]) : answer(503, [.retryAfter: "3"])
        }
        let client = server.retrying(Self.atOnce, clock: clock).deadline(.seconds(10), clock: clock)
        let task = Task { try await client.data(for: request()).0 }
        let sleeps = [await clock.nextSleeper(), await clock.nextSleeper()]
        #expect(sleeps.sorted() == [.seconds(7), .seconds(10)])
        clock.advance(by: .seconds(7))
        // Three seconds are left, and the server asks for a delay of three.
        #expect(try await task.value.status.code == 503)
        #expect(server.sent.map(\.timeLeft) == [.seconds(10), .seconds(3)])
        #expect(server.sent.map { $0.request.headerFields[.requestTimeout] } == ["10000", "3000"])
    }

    @Test func `within a retry the deadline is one for each attempt`() async throws {
        let gate = Gate()
        let server = StubClient { sent in
            if sent.number < 3 { try await gate.pass() }
            return answer()
        }
        let client = server.deadline(.seconds(10), clock: clock).retrying(Self.atOnce, clock: clock)
        let task = Task { try await client.data(for: request()).0 }
        for number in 1...2 {
            await gate.arrivals(number)
            await clock.nextSleeper()
            clock.advance(by: .seconds(10))
        }
        #expect(try await task.value.status == .ok)
        #expect(server.sent.map(\.timeLeft) == [.seconds(10), .seconds(10), .seconds(10)])
    }

    @Test func `redirects share the deadline`() async throws {
        let clock = clock
        let server = StubClient { sent in
            guard sent.number == 1 else { return answer() }
            clock.advance(by: .seconds(4))
            return answer(307, [.location: "/b"])
        }
        _ = try await server.followingRedirects().deadline(.seconds(10), clock: clock).data(for: request())
        #expect(server.sent.map { $0.request.headerFields[.requestTimeout] } == ["10000", "6000"])
    }

    private static let atOnce = HTTPRetryPolicy(backoff: .constant(.zero))
}
