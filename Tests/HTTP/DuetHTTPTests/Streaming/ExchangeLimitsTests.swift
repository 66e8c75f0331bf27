import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// An adapter streams a body, or collects it if the request's options say so.
@Suite(.timeLimit(.minutes(5)))
struct ExchangeLimitsTests {
    /// An adapter whose network is an origin that sends two pieces, the second when its gate is open.
    private struct Adapter: HTTPClient {
        let network: Uncollected
        var limits = ExchangeLimits(deadline: .seconds(10), maximumBodySize: 100, clock: ManualClock())

        init(_ origin: HeldOrigin = .opened, limits: ExchangeLimits? = nil) {
            network = Uncollected(base: origin)
            if let limits { self.limits = limits }
        }

        func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            try await limits.apply(to: request) { [network] _ in try await network.send(request, body: body) }
        }
    }

    @Test func `a body is streamed by default`() async throws {
        let (_, body) = try await Adapter().send(request())
        #expect(body.whole == nil)
        var reader = body.makeAsyncIterator()
        #expect(try await reader.next() == HeldOrigin.first)
        #expect(try await reader.next() == HeldOrigin.rest)
        #expect(try await reader.next() == nil)
    }

    @Test func `a body is collected before the client returns if the options say so`() async throws {
        var options = HTTPRequestOptions()
        options.collectsBody = true
        let (_, body) = try await options.use { try await Adapter().retrying(.atOnce).logging { _ in }.send(request()) }
        #expect(body.whole == Data("first, then the rest".utf8))
        #expect(try await Adapter().data(for: request()).1 == Data("first, then the rest".utf8))
    }

    @Test(arguments: [(19, nil), (20, nil), (21, nil), (100, 19), (100, 20), (100, 21), (19, 100)] as [(Int, Int?)])
    func `a collected body has the smaller of two limits`(configured: Int, requested: Int?) async throws {
        let limits = ExchangeLimits(deadline: .seconds(10), maximumBodySize: configured, clock: ManualClock())
        var options = HTTPRequestOptions()
        options.maximumBodySize = requested
        let limit = min(configured, requested ?? configured)
        let count = { [options] in
            try await options.use { try await Adapter(limits: limits).data(for: request()).1.count }
        }
        if limit >= 20 {
            #expect(try await count() == 20)
        } else {
            let error = await #expect(throws: HTTPClientError.self) { try await count() }
            guard case .bodyTooLarge("https://api.example/a", limit)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `a streamed body may be larger than a collected one`() async throws {
        let limits = ExchangeLimits(deadline: .seconds(10), maximumBodySize: 1, clock: ManualClock())
        #expect(try await Adapter(limits: limits).send(request()).1.text() == "first, then the rest")
    }

    @Test func `a request whose body is collected has one timer`() async throws {
        let clock = CountingClock()
        let limits = ExchangeLimits(deadline: .seconds(10), maximumBodySize: 100, clock: clock)
        _ = try await Adapter(limits: limits).data(for: request())
        #expect(clock.sleepers == 1)
    }

    @Test(arguments: [(9_999, 0), (10_000, 0), (10_001, 1)])
    func `an adapter adds a timer only to that of a later deadline`(outer: Int, timers: Int) async throws {
        let (outerClock, clock) = (CountingClock(), CountingClock())
        let limits = ExchangeLimits(deadline: .seconds(10), maximumBodySize: 100, clock: clock)
        let client = Adapter(limits: limits).deadline(.milliseconds(outer), clock: outerClock)
        _ = try await client.data(for: request())
        #expect(outerClock.sleepers == 1)
        #expect(clock.sleepers == timers)
        _ = try await client.send(request()).1.text()
        #expect((clock.sleepers > timers) == (timers > 0))
    }

    @Test(arguments: [false, true])
    func `the deadline covers a collected body, and each piece of a streamed one`(collects: Bool) async throws {
        let clock = ManualClock()
        let limits = ExchangeLimits(deadline: .seconds(10), maximumBodySize: 100, clock: clock)
        let origin = HeldOrigin()
        let adapter = Adapter(origin, limits: limits)
        let task = Task {
            guard !collects else { return try await adapter.data(for: request()).1.count }
            var count = 0
            for try await piece in try await adapter.send(request()).1 { count += piece.count }
            return count
        }
        await origin.gate.arrivals(1)
        #expect(await clock.nextSleeper() == .seconds(10))
        clock.advance(by: .seconds(10))
        let error = await #expect(throws: HTTPClientError.self) { try await task.value }
        guard case .deadlineExceeded("https://api.example/a", .seconds(10))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try await origin.waitForRelease()
    }

    @Test(arguments: [19, 20])
    func `data collects the body of a client that does not know the option`(limit: Int) async throws {
        let client = Uncollected(base: HeldOrigin.opened).limiting(bodySize: limit)
        if limit == 20 {
            #expect(try await client.data(for: request()).1.count == 20)
        } else {
            let error = await #expect(throws: HTTPClientError.self) { try await client.data(for: request()) }
            #expect(error?.name == "bodyTooLarge")
        }
    }
}

extension HeldOrigin {
    /// An origin that sends its whole body at once.
    fileprivate static var opened: HeldOrigin {
        let origin = HeldOrigin()
        origin.gate.open()
        return origin
    }
}

/// Forwards requests without the option to collect bodies.
private struct Uncollected: HTTPClient {
    let base: any HTTPClient

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        var options = HTTPRequestOptions.current
        options.collectsBody = false
        return try await options.use { try await base.send(request, body: body) }
    }
}
