import Duet
import DuetContext
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import ServiceContextModule
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPDispatcherDeadlineTests {
    private let clock = ManualClock()
    private let url: BaseURL

    init() throws {
        url = try BaseURL(#require(URL(string: "https://shop.example")))
    }

    @Test(arguments: [false, true])
    func `a deadline applies and is sent without a decorator, and when one is bypassed`(isPast: Bool) async throws {
        let (clock, gate) = (clock, Gate())
        let server = StubClient { _ in
            try await gate.pass()
            return answer(204)
        }
        let client: any HTTPClient = isPast ? server.deadline(.seconds(1), clock: clock) : server
        let dispatcher = HTTPDispatcher(baseURL: url, client: client)
        let task = Task {
            try await withDeadline(in: .seconds(2), clock: clock) {
                var options = HTTPRequestOptions()
                options.bypassedDecorators = [DeadlineHTTPClient.self]
                try await options.use { try await dispatcher.dispatch(OrderBook(id: 1)) }
            }
        }
        await clock.nextSleeper()
        await gate.arrivals(1)
        clock.advance(by: .seconds(2))
        let error = await #expect(throws: HTTPClientError.self) { try await task.value }
        #expect(
            error?.description == "No complete response from https://shop.example/books/1/orders within 2 seconds."
        )
        #expect(server.sent.map { $0.request.headerFields[.requestTimeout] } == ["2000"])
        #expect(server.sent.map(\.timeLeft) == [.seconds(2)])
    }

    @Test(arguments: [(1_999, 1_999, 1), (2_000, 2_000, 1), (2_001, 2_000, 2)])
    func `a decorator adds no timer to that of an earlier deadline`(own: Int, told: Int, timers: Int) async throws {
        let clock = CountingClock()
        let server = StubClient(statuses: 204)
        let client = server.deadline(.milliseconds(2_000), clock: clock).deadline(.milliseconds(2_000), clock: clock)
        try await withDeadline(in: .milliseconds(own), clock: clock) {
            try await HTTPDispatcher(baseURL: url, client: client).dispatch(OrderBook(id: 1))
        }
        #expect(server.sent.map { $0.request.headerFields[.requestTimeout] } == ["\(told)"])
        #expect(clock.sleepers == timers)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `nothing is sent after the deadline`(left: Duration) async throws {
        let server = StubClient(statuses: 204)
        let dispatcher = HTTPDispatcher(baseURL: url, client: server)
        let error = await #expect(throws: HTTPClientError.self) {
            try await withDeadline(in: left, clock: clock) { try await dispatcher.dispatch(OrderBook(id: 1)) }
        }
        #expect(error?.name == "deadlineExceeded")
        #expect(server.sent.isEmpty)
    }

    @Test func `without a deadline the server receives none`() async throws {
        let server = StubClient(statuses: 204)
        try await HTTPDispatcher(baseURL: url, client: server).dispatch(OrderBook(id: 1))
        #expect(server.sent.map { $0.request.headerFields[.requestTimeout] } == [nil])
    }
}
