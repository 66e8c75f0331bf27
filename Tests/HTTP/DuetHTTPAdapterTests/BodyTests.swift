import Duet
import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct BodyTests {
    @Test(arguments: Adapter.allCases, [HTTPRequest.Method.post, .put, .patch, .delete])
    func `bodies of any size are sent and received`(adapter: Adapter, method: HTTPRequest.Method) async throws {
        try await adapter.withServer({ [.answer(body: $0.body)] }) { server, client in
            for size in [0, 1, 65_536, 5_000_000] {
                let body = Data(repeating: UInt8(ascii: "x"), count: size)
                let (response, data) = try await client.data(for: server.request(method), body: body)
                #expect(response.status == .ok)
                #expect(data == body, "\(size) bytes")
            }
            let received = server.log.entry.requests
            #expect(received.map(\.body.utf8.count) == [0, 1, 65_536, 5_000_000])
            // A DELETE with an empty body may omit the length (RFC 9110, section 8.6).
            #expect(received.allSatisfy { ($0.fields["content-length"] ?? "0") == "\($0.body.utf8.count)" })
            #expect(received.allSatisfy { $0.fields["transfer-encoding"] == nil })
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a query reads a document that is stored compressed, also from a cache`(adapter: Adapter) async throws {
        let fields = "Content-Type: application/json\r\nContent-Encoding: gzip\r\nCache-Control: max-age=60\r\n"
        let head = "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(StoredTitles.compressed.count)\r\n\r\n"
        try await adapter.withServer({ _ in [.text(head), .bytes(StoredTitles.compressed)] }) { server, client in
            let dispatcher = HTTPDispatcher(
                baseURL: try BaseURL("http://127.0.0.1:\(server.port)"),
                client: client.caching(in: InMemoryHTTPCacheStore())
            )
            #expect(try await dispatcher.dispatch(StoredTitles()) == ["Emma"])
            #expect(try await dispatcher.dispatch(StoredTitles()) == ["Emma"])
            let received = server.log.entry.requests
            #expect(received.map { $0.fields["accept-encoding"] } == ["identity"])
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a body without a type is not sent as a form`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [.answer()] }) { server, client in
            _ = try await client.data(for: server.request(.post), body: Data("a=b".utf8))
            let type = server.log.entry.requests.first?.fields["content-type"]
            #expect(type == (adapter == .urlSession ? "application/octet-stream" : nil))
        }
    }

    @Test(arguments: Adapter.allCases)
    func `the type of a body reaches the server`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [.answer()] }) { server, client in
            let request = server.request(.post, fields: [.contentType: "text/plain; charset=utf-8"])
            _ = try await client.data(for: request, body: Data("a=b".utf8))
            #expect(server.log.entry.requests.first?.fields["content-type"] == "text/plain; charset=utf-8")
        }
    }

    @Test(arguments: Adapter.allCases)
    func `no body is announced where none is sent`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [.answer()] }) { server, client in
            _ = try await client.data(for: server.request())
            let received = try #require(server.log.entry.requests.first)
            #expect(received.fields["content-length"] == nil)
            #expect(received.fields["content-type"] == nil)
        }
    }
}

private struct StoredTitles: HTTPQuery {
    typealias Value = [String]
    static let route: QueryRoute<Self> = .get("titles")

    /// `["Emma"]` with gzip.
    static let compressed = Array(Data(base64Encoded: "H4sIAAAAAAACA4tWcs3NTVSKBQDP1Uo5CAAAAA==") ?? Data())
}
