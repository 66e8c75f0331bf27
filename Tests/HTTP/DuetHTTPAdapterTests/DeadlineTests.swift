import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DeadlineTests {
    private let clock = ManualClock()

    @Test(arguments: Adapter.allCases)
    func `a server that never responds is canceled at the deadline, and its connection is closed`(adapter: Adapter)
        async throws
    {
        try await adapter.withServer({ _ in [] }, deadline: .seconds(10), clock: clock) { server, client in
            let request = server.request()
            let task = Task { try await client.data(for: request) }
            #expect(await clock.nextSleeper() == .seconds(10))
            await server.log.until { $0.requests.count == 1 }
            clock.advance(by: .seconds(10))

            try await expectDeadlineExceeded(task)
            await server.log.until { $0.open == 0 }
        }
    }

    @Test(
        arguments: Adapter.allCases,
        [
            [Step.drip(Array("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 10_000))".utf8))],
            [Step.text("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"), .drip(Array("x".utf8))],
            [Step.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .drip(Array("1\r\nx\r\n".utf8))],
        ]
    )
    func `a server that drips is canceled at the deadline, although each read returns bytes`(
        adapter: Adapter,
        steps: [Step]
    ) async throws {
        try await adapter.withServer({ _ in steps }, deadline: .seconds(10), clock: clock) { server, client in
            let request = server.request()
            let task = Task { try await client.data(for: request) }
            await clock.nextSleeper()
            for pause in [Duration.seconds(5), .milliseconds(4_999)] {
                let dripped = server.log.entry.dripped
                await server.log.until { $0.dripped > dripped + 5 }
                clock.advance(by: pause)
            }
            let dripped = await server.log.until { $0.dripped > 20 }.dripped
            #expect(dripped > 20)
            #expect(server.log.entry.open == 1)
            clock.advance(by: .milliseconds(1))

            try await expectDeadlineExceeded(task)
            await server.log.until { $0.open == 0 }
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a response just before the deadline is accepted`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [] }, deadline: .seconds(10), clock: clock) { server, client in
            let request = server.request()
            let task = Task { try await client.data(for: request) }
            await clock.nextSleeper()
            await server.log.until { !$0.requests.isEmpty }
            clock.advance(by: .milliseconds(9_999))
            for channel in server.log.channels {
                try await channel.writeAndFlush(
                    ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nin time")
                )
            }
            try await #expect(task.value.0.status == .ok)
        }
    }

    @Test(arguments: Adapter.allCases)
    func `requests that wait for a free connection have the same deadline`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [] }, deadline: .seconds(10), clock: clock) { server, client in
            let request = server.request()
            let tasks = (1...120).map { _ in Task { try await client.data(for: request) } }
            for _ in tasks { await clock.nextSleeper() }
            clock.advance(by: .seconds(10))
            for task in tasks { try await expectDeadlineExceeded(task) }
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a real clock enforces the deadline too`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [] }, deadline: .milliseconds(50), clock: ContinuousClock()) {
            server,
            client in
            let request = server.request()
            let task = Task { try await client.data(for: request) }
            try await expect(.deadlineExceeded(after: .milliseconds(50))) { try await task.value }
        }
    }

    private func expectDeadlineExceeded(_ task: Task<(HTTPResponse, Data), any Error>) async throws {
        try await expect(.deadlineExceeded(after: .seconds(10))) { try await task.value }
    }
}
