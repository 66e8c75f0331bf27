import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StreamedAnswerTests {
    private let clock = ManualClock()

    /// How a body ends for its reader.
    enum End: CaseIterable {
        case isRead
        case breaks
        case isDroppedUnread
        case isLeft
    }

    /// Ends the body of a response, after a first piece if there is one, and returns the state before the end.
    private func end(_ end: End, of origin: HeldOrigin, _ client: any HTTPClient, _ before: () -> Void) async throws {
        let (_, body) = try await client.send(request(), body: nil)
        guard end != .isDroppedUnread else { return before() }
        var reader = body.makeAsyncIterator()
        _ = try await reader.next()
        before()
        guard end != .isLeft else { return }
        origin.gate.open()
        do { while try await reader.next() != nil {} } catch is HTTPClientError {}
    }

    @Test(arguments: End.allCases)
    func `a request counts until its response has been read, broke off or was dropped`(end: End) async throws {
        let origin = HeldOrigin(breaks: end == .breaks)
        let client = ConcurrencyLimitingHTTPClient(origin, concurrency: 2)
        try await self.end(end, of: origin, client) { #expect(client.free == 1) }
        #expect(client.free == 2)
    }

    @Test(arguments: End.allCases)
    func `a log has the end of the body, its size and its error`(end: End) async throws {
        let log = Mutex<[HTTPExchange]>([])
        let origin = HeldOrigin(breaks: end == .breaks)
        let client = origin.logging(clock: clock) { exchange in log.withLock { $0.append(exchange) } }
        try await self.end(end, of: origin, client) {
            clock.advance(by: .seconds(2))
            #expect(log.withLock { $0.isEmpty })
        }
        let exchange = try #require(log.withLock { $0.first })
        let line = "GET https://api.example/a, 2 seconds: 200"
        switch end {
        case .isRead: #expect(exchange.description == "\(line), 20 bytes")
        case .breaks: #expect(exchange.description.hasPrefix("\(line), 7 bytes, then No response from"))
        case .isDroppedUnread: #expect(exchange.description == "\(line), 0 bytes, then CancellationError()")
        case .isLeft: #expect(exchange.description == "\(line), 7 bytes, then CancellationError()")
        }
        #expect(log.withLock { $0.count } == 1)
        #expect((exchange.status?.code, exchange.error == nil) == (200, end == .isRead))
    }

    @Test func `a deadline covers the body, fails its reader and releases it`() async throws {
        let origin = HeldOrigin()
        let (_, body) = try await origin.deadline(.seconds(10), clock: clock).send(request(), body: nil)
        let reading = Task {
            for try await _ in body {}
        }
        await origin.gate.arrivals(1)
        clock.advance(by: .milliseconds(9_999))
        #expect(origin.held == 1)
        clock.advance(by: .milliseconds(1))
        let error = await #expect(throws: HTTPClientError.self) { try await reading.value }
        guard case .deadlineExceeded("https://api.example/a", .seconds(10))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try await origin.waitForRelease()
    }

    @Test func `a reader after the deadline gets no further piece, although there is one`() async throws {
        let origin = HeldOrigin()
        origin.gate.open()
        let (_, body) = try await origin.deadline(.seconds(10), clock: clock).send(request(), body: nil)
        var reader = body.makeAsyncIterator()
        clock.advance(by: .milliseconds(9_999))
        #expect(try await reader.next() == HeldOrigin.first)
        clock.advance(by: .milliseconds(1))
        await #expect(throws: HTTPClientError.self) { _ = try await reader.next() }
    }

    @Test(arguments: [(19, false), (20, true), (21, true)])
    func `a body is read up to its limit`(limit: Int, isTaken: Bool) async throws {
        let origin = HeldOrigin()
        let (_, body) = try await origin.limiting(bodySize: limit).send(request(), body: nil)
        var reader = body.makeAsyncIterator()
        #expect(try await reader.next() == HeldOrigin.first)
        origin.gate.open()
        if isTaken {
            #expect(try await reader.next() == HeldOrigin.rest)
            #expect(try await reader.next() == nil)
        } else {
            let error = await #expect(throws: HTTPClientError.self) { _ = try await reader.next() }
            #expect(error?.name == "bodyTooLarge")
        }
    }

    @Test func `a body that announces a size over the limit is not read`() async throws {
        let read = Mutex(false)
        let pieces = AsyncStream<Data> {
            read.withLock { $0 = true }
            return Data("x".utf8)
        }
        let limited = HTTPBody(pieces, size: 11).limited(to: 10, for: request())
        await #expect(throws: HTTPClientError.self) { _ = try await limited.text() }
        #expect(read.withLock { !$0 })
    }
}
