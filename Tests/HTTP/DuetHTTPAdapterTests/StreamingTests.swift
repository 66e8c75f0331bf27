import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StreamingTests {
    private static let begun = [Step.text("HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 10\r\n\r\n12345")]

    @Test(arguments: Adapter.allCases)
    func `the first piece arrives before the rest`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in Self.begun }) { server, client in
            let (response, body) = try await client.send(server.request(), body: nil)
            #expect(response.status == .ok)
            #expect(body.size == 10)
            var reader = body.makeAsyncIterator()
            #expect(try await reader.next() == Data("12345".utf8))
            server.send("67890")
            #expect(try await reader.next() == Data("67890".utf8))
            #expect(try await reader.next() == nil)
        }
    }

    @Test(arguments: Adapter.allCases)
    func `the head arrives before any of the body`(adapter: Adapter) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await adapter.withServer({ _ in [.text(head)] }) { server, client in
            let (response, body) = try await client.send(server.request(), body: nil)
            #expect(response.status == .ok)
            server.send("5\r\n12345\r\n0\r\n\r\n")
            #expect(try await body.collect(upTo: 5, orThrow: CancellationError()) == Data("12345".utf8))
        }
    }

    @Test(arguments: Adapter.allCases, [200, 401, 404, 503])
    func `a response of any status has its whole body`(adapter: Adapter, status: Int) async throws {
        let body = String(repeating: "0123456789", count: 50_000)
        try await adapter.withServer({ _ in [.answer("\(status) X", body: body)] }) { server, client in
            for _ in 1...2 {
                let (response, answer) = try await client.send(server.request(), body: nil)
                #expect(response.status.code == status)
                #expect(try await answer.collect(upTo: .max, orThrow: CancellationError()) == Data(body.utf8))
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func `the bytes before a connection broke are read, and then its error`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in Self.begun }) { server, client in
            let (_, body) = try await client.send(server.request(), body: nil)
            var reader = body.makeAsyncIterator()
            #expect(try await reader.next() == Data("12345".utf8))
            for channel in server.log.channels { channel.close(promise: nil) }
            let error = await #expect(throws: HTTPClientError.self) { _ = try await reader.next() }
            #expect(error.map { FailureKind($0) } == .connectionFailed)
        }
    }

    @Test(arguments: Adapter.allCases)
    func `canceling the reader closes the connection`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in Self.begun }) { server, client in
            let (_, body) = try await client.send(server.request(), body: nil)
            let begun = Gate()
            let reading = Task {
                var reader = body.makeAsyncIterator()
                _ = try await reader.next()
                begun.open()
                return try await reader.next()
            }
            try await begun.pass()
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
            await server.log.until { $0.open == 0 }
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a reader that stops closes the connection, though the body is still held`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in Self.begun }) { server, client in
            let (_, body) = try await client.send(server.request(), body: nil)
            for try await _ in body { break }
            await server.log.until { $0.open == 0 }
            withExtendedLifetime(body) {}
        }
    }

    @Test(arguments: Adapter.allCases)
    func `dropping an unread body closes the connection`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in Self.begun }) { server, client in
            _ = try await client.send(server.request(), body: nil)
            await server.log.until { $0.open == 0 }
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a small body that was discarded leaves its connection to the next request`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [.answer("503 X", body: "later")] }) { server, client in
            for _ in 1...3 {
                let (_, body) = try await client.send(server.request(), body: nil)
                await body.discard()
            }
            #expect(server.log.entry.requests.count == 3)
            #expect(server.log.entry.accepted == 1)
        }
    }

    @Test(arguments: Adapter.allCases)
    func `each piece has the client's deadline`(adapter: Adapter) async throws {
        let clock = ManualClock()
        try await adapter.withServer({ _ in Self.begun }, deadline: .seconds(10), clock: clock) { server, client in
            let (_, body) = try await client.send(server.request(), body: nil)
            var reader = body.makeAsyncIterator()
            _ = try await reader.next()
            // The reader may take any time.
            clock.advance(by: .seconds(60))
            server.send("6")
            #expect(try await reader.next() == Data("6".utf8))
            let waiting = Task {
                while !Task.isCancelled {
                    clock.advance(by: .seconds(10))
                    await Task.yield()
                }
            }
            let error = await #expect(throws: HTTPClientError.self) { _ = try await reader.next() }
            waiting.cancel()
            #expect(error.map { FailureKind($0) } == .deadlineExceeded(after: .seconds(10)))
            await server.log.until { $0.open == 0 }
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a body larger than the client collects is read piece by piece`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in Self.begun }, maximumBodySize: 5) { server, client in
            let (_, answer) = try await client.send(server.request(), body: nil)
            var reader = answer.makeAsyncIterator()
            #expect(try await reader.next()?.count == 5)
            server.send("67890")
            #expect(try await reader.next()?.count == 5)
            #expect(try await reader.next() == nil)
        }
    }

    // On other systems the server has to wait for the reader; on Linux libcurl keeps reading.
    @Test(arguments: Adapter.allCases.filter(\.isURLSessionOnLinux), [100, 101])
    func `no more than the client's limit is held for a slow reader`(adapter: Adapter, size: Int) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
        try await adapter.withServer({ _ in [.text(head)] }, maximumBodySize: 100) { server, client in
            let (_, answer) = try await client.send(server.request(), body: nil)
            var reader = answer.makeAsyncIterator()
            #expect(try await reader.next()?.count == 1)
            server.send("\(String(size, radix: 16))\r\n\(String(repeating: "x", count: size))\r\n0\r\n\r\n")
            if size <= 100 {
                #expect(try await reader.next()?.count == size)
                #expect(try await reader.next() == nil)
            } else {
                let error = await #expect(throws: HTTPClientError.self) { _ = try await reader.next() }
                #expect(error.map { FailureKind($0) } == .bodyTooLarge(limit: 100))
            }
        }
    }
}
