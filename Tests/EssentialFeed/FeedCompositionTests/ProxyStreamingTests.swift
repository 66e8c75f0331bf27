import DuetAsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

/// The content that a proxy forwards as it arrives, in both directions.
@Suite(.timeLimit(.minutes(5)))
struct ProxyStreamingTests {
    @Test func `content of a request arrives at the origin before it is complete`() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: String.self)
        let origin = OriginStub { _, body in
            if let body {
                for try await piece in body { arrival.yield(String(decoding: piece, as: UTF8.self)) }
            }
            return (HTTPResponse(status: .ok), HTTPBody(Data("done".utf8)))
        }
        let (pieces, piece) = AsyncStream.makeStream(of: Data.self)
        try await withProxy(to: origin) { port in
            try await withNIOHTTPClient { client in
                async let response = client.send(request(.post, port), body: HTTPBody(pieces))
                for text in ["one", "two"] {
                    piece.yield(Data(text.utf8))
                    #expect(await arrivals.first { _ in true } == text)
                }
                piece.finish()
                let (head, body) = try await response
                #expect(head.status == .ok)
                #expect(try await body.text() == "done")
            }
        }
    }

    @Test func `content of a response arrives at the client before it is complete`() async throws {
        let (pieces, piece) = AsyncStream.makeStream(of: Data.self)
        let origin = OriginStub { _, _ in (HTTPResponse(status: .ok), HTTPBody(pieces)) }
        try await withProxy(to: origin) { port in
            try await withNIOHTTPClient { client in
                let (_, body) = try await client.send(request(.get, port))
                var reader = body.makeAsyncIterator()
                for text in ["one", "two"] {
                    piece.yield(Data(text.utf8))
                    #expect(try await reader.next() == Data(text.utf8))
                }
                piece.finish()
                #expect(try await reader.next() == nil)
            }
        }
    }

    @Test func `a client that expects 100 receives it before it sends its content`() async throws {
        let origin = OriginStub { _, body in
            (HTTPResponse(status: .ok), HTTPBody(Data(try await body?.text().utf8 ?? "".utf8)))
        }
        try await withProxy(to: origin) { port in
            try await ProxyConnection.open(port) { connection in
                try await connection.send(
                    "POST / HTTP/1.1\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
                )
                #expect(await connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 Continue\r\n"))
                try await connection.send("abc")
                #expect(await connection.read(until: "abc").hasPrefix("HTTP/1.1 200 OK\r\n"))
            }
        }
    }

    /// AsyncHTTPClient waits for the next piece in a separate task, which continues after an early response.
    @Test func `after an early response the rest of the request is discarded, and the next one is read`() async throws {
        let origin = OriginStub { _, body in
            guard let body else { return (HTTPResponse(status: .ok), HTTPBody(Data("next".utf8))) }
            let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
            Task {
                for try await _ in body { arrival.yield() }
            }
            _ = await arrivals.first { _ in true }
            return (HTTPResponse(status: .contentTooLarge), HTTPBody(Data("too large".utf8)))
        }
        try await withProxy(to: origin) { port in
            try await ProxyConnection.open(port) { connection in
                try await connection.send("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 6\r\n\r\nabc")
                #expect(await connection.read(until: "too large").hasPrefix("HTTP/1.1 413 "))
                try await connection.send("defGET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
                #expect(await connection.read(until: "next").hasPrefix("HTTP/1.1 200 OK\r\n"))
            }
        }
    }

    private func request(_ method: HTTPRequest.Method, _ port: Int) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: "/")
    }
}
