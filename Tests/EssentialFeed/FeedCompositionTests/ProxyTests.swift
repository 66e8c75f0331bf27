import DuetHTTP
import DuetTesting
import FeedComposition
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// The requests and responses that a proxy forwards, and those that it does not.
@Suite(.timeLimit(.minutes(5)))
struct ProxyTests {
    @Test func `method, path, query, fields and content arrive at the origin`() async throws {
        let origin = MockHTTPClient { Issue.record($0) }
        origin.expect(.post, "/a%2Fb//c?x=%20&y=1", body: Data())
        var fields: HTTPFields = [.contentType: "text/plain", .cookie: "a=1; b=2"]
        fields.append(HTTPField(name: .odd, value: "a  b"))
        fields.append(HTTPField(name: .odd, value: "C"))
        let response = try await forward(.to(.post, "/a%2Fb//c?x=%20&y=1", fields, content: "hello"), to: origin).first
        #expect(response?.status == .ok)
        let received = try #require(origin.received.first)
        #expect(received.request.authority == "a.test")
        #expect(received.request.headerFields[values: .odd] == ["a  b", "C"])
        #expect(received.request.headerFields[.contentType] == "text/plain")
        #expect(received.request.headerFields[.cookie] == "a=1; b=2")
        #expect(received.body == Data("hello".utf8))
    }

    @Test func `status, fields and content of a response arrive at the client`() async throws {
        var fields: HTTPFields = [.contentType: "text/plain", .date: "Sat, 21 Nov 2026 12:00:00 GMT"]
        fields.append(HTTPField(name: .setCookie, value: "a=1"))
        fields.append(HTTPField(name: .setCookie, value: "b=2"))
        let origin = OriginStub(status: .init(code: 418), fields: fields, content: "hello")
        let response = try #require(try await forward(.to(), to: origin).first)
        #expect(response.status.code == 418)
        #expect(response.headers[values: .setCookie] == ["a=1", "b=2"])
        #expect(response.headers[values: .date] == ["Sat, 21 Nov 2026 12:00:00 GMT"])
        #expect(response.text == "hello")
        // A size that is known is announced, and the content is not sent in chunks.
        #expect(response.headers[.contentLength] == "5")
        #expect(response.headers[.transferEncoding] == nil)
    }

    @Test func `fields of one connection are not forwarded, and Via is added, in both directions`() async throws {
        var fields: HTTPFields = [
            .connection: "X-Mine, Cache-Control", .te: "trailers", .upgrade: "h2c", .cacheControl: "no-store",
            .proxyAuthorization: "x", .proxyAuthenticate: "x", .via: "1.0 jane",
        ]
        for (name, value) in [("Keep-Alive", "1"), ("Proxy-Connection", "x"), ("X-Mine", "1"), ("X-Other", "2")] {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let origin = OriginStub(fields: fields)
        let response = try #require(try await forward(.to(.get, "/", fields), to: origin).first)
        for forwarded in [try #require(origin.received.first).headerFields, response.headers] {
            #expect(forwarded[values: .via] == ["1.0 jane", "1.1 feed"])
            // Connection cannot remove a field that decides about caching.
            #expect(forwarded[.cacheControl] == "no-store")
            let names = Set(forwarded.map(\.name.canonicalName)).subtracting(["content-length", "x-forwarded-for"])
            #expect(names == ["via", "cache-control", "x-other"])
        }
    }

    @Test func `the origin learns the address of the client last, whatever the client says`() async throws {
        let field = try #require(HTTPField.Name("X-Forwarded-For"))
        let origin = OriginStub()
        _ = try await forward(.to(.get, "/"), .to(.get, "/", [field: "192.0.2.1"]), to: origin)
        let received = origin.received.map { $0.headerFields[values: field] }
        #expect(received.map(\.last) == ["127.0.0.1", "127.0.0.1"])
        #expect(received.map { $0.dropLast() } == [[], ["192.0.2.1"]])
    }

    @Test func `a request without a Host gets the origin's, and a complete URL overrides the field`() async throws {
        let origin = OriginStub(content: "done")
        for head in ["GET / HTTP/1.0", "GET http://b.test:8/p?q HTTP/1.1\r\nHost: a.test"] {
            try await withProxy(to: origin) { port in
                try await ProxyConnection.open(port) { connection in
                    try await connection.send("\(head)\r\n\r\n")
                    #expect(await connection.read(until: "done").hasPrefix("HTTP/1.1 200 OK\r\n"))
                }
            }
        }
        #expect(origin.received.map(\.authority) == ["origin.test", "b.test:8"])
        #expect(origin.received.map(\.path) == ["/", "/p?q"])
    }

    @Test(arguments: ["a.test/x", "a?q", "u@a", "a b", "a:65536", "[::1"])
    func `an invalid Host is refused, because responses are stored under it`(host: String) async throws {
        let origin = OriginStub()
        let text = try await withProxy(to: origin) { port in
            try await ProxyConnection.open(port) { connection in
                try await connection.send("GET /y HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
                return await connection.read()
            }
        }
        #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(origin.received == [])
    }

    // MARK: Responses without content

    @Test func `a response to HEAD has the length of GET and no content`() async throws {
        let origin = OriginStub(fields: [.contentLength: "5"])
        // The connection can be used again, so nothing but the head was sent.
        let responses = try await forward(.to(.head), .to(.head), to: origin)
        for response in responses {
            #expect(response.status == .ok)
            #expect(response.headers[.contentLength] == "5")
            #expect(response.text == "")
        }
        #expect(responses.count == 2)
    }

    @Test func `a response to HEAD without a length ends with its head and its connection`() async throws {
        let text = try await withProxy(to: OriginStub()) { port in
            try await ProxyConnection.open(port) { connection in
                try await connection.send("HEAD / HTTP/1.1\r\nHost: a.test\r\n\r\n")
                return await connection.read()
            }
        }
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(text.lowercased().contains("connection: close\r\n"))
        #expect(text.firstRange(of: "\r\n\r\n")?.upperBound == text.endIndex)
    }

    @Test(arguments: [204, 304])
    func `content that a status does not allow is read to its end and not sent`(status: Int) async throws {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let origin = OriginStub { _, _ in
            let (pieces, piece) = AsyncStream.makeStream(of: Data.self)
            piece.yield(Data("hello".utf8))
            piece.finish()
            return (HTTPResponse(status: .init(code: status)), HTTPBody(pieces).ending { end.yield($1 == nil) })
        }
        let responses = try await forward(.to(), .to(), to: origin)
        #expect(responses.map(\.status.code) == [status, status])
        #expect(responses.map(\.text) == ["", ""])
        #expect(await ends.first { _ in true } == true)
    }

    // MARK: Requests that are not forwarded

    @Test func `a request that the proxy has forwarded before is refused`() async throws {
        let origin = OriginStub()
        let responses = try await forward(
            .to(.get, "/", [.via: "1.0 fred, 1.1 feed (loop)"]),
            .to(.get, "/", [.via: "1.1 feedback"]),
            to: origin
        )
        #expect(responses.map(\.status.code) == [508, 200])
        #expect(origin.received.count == 1)
    }

    @Test func `tunnels are refused`() async throws {
        let origin = OriginStub()
        #expect(try await forward(.to(.connect), to: origin).map(\.status) == [.notImplemented])
        #expect(origin.received == [])
    }

    @Test(arguments: [HTTPRequest.Method.options, .trace])
    func `Max-Forwards counts down for OPTIONS and TRACE`(method: HTTPRequest.Method) async throws {
        let origin = OriginStub()
        let responses = try await forward(
            .to(method, "/", [.maxForwards: "1"]),
            .to(method, "/", [.maxForwards: "0"]),
            to: origin
        )
        #expect(responses.map(\.status) == [.ok, method == .options ? .ok : .methodNotAllowed])
        #expect(responses.map { $0.headers.contains(.allow) } == [false, method == .trace])
        #expect(origin.received.map { $0.headerFields[.maxForwards] } == ["0"])
    }

    @Test func `Max-Forwards has no meaning for GET`() async throws {
        let origin = OriginStub()
        #expect(try await forward(.to(.get, "/", [.maxForwards: "0"]), to: origin).map(\.status) == [.ok])
        #expect(origin.received.map { $0.headerFields[.maxForwards] } == ["0"])
    }

    // MARK: Failures

    @Test(
        arguments: [
            (.connectionFailed(url: originURL, underlying: CancellationError()), 502),
            (.shutDown(url: originURL), 502),
            (.deadlineExceeded(url: originURL, after: .seconds(30)), 504),
            (.invalidRequest(reason: "\(originURL) is not a URL"), 400),
        ] as [(HTTPClientError, Int)]
    )
    func `a failure has a status, and does not name the origin`(error: HTTPClientError, status: Int) async throws {
        let origin = OriginStub { _, _ in throw error }
        let responses = try await forward(.to(), .to(.head), .to(), to: origin)
        #expect(responses.map(\.status.code) == [status, status, status])
        #expect(responses[0].text.hasSuffix(".\n"))
        #expect(!responses[0].text.contains("10.0.0.7"))
        #expect(responses[1].text == "")
    }

    @Test func `content that breaks off does not look complete`() async throws {
        let (pieces, piece) = AsyncThrowingStream.makeStream(of: Data.self)
        piece.yield(Data("hel".utf8))
        piece.finish(throwing: HTTPClientError.connectionFailed(url: originURL, underlying: CancellationError()))
        let origin = OriginStub { _, _ in (HTTPResponse(status: .ok), HTTPBody(pieces)) }
        let text = try await withProxy(to: origin) { port in
            try await ProxyConnection.open(port) { connection in
                try await connection.send("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
                return await connection.read()
            }
        }
        #expect(text.hasSuffix("3\r\nhel\r\n"))
    }
}

extension HTTPField.Name {
    fileprivate static let odd = known("X-Odd")
}

/// An address that no client may see.
private let originURL = "http://10.0.0.7:8080/"
