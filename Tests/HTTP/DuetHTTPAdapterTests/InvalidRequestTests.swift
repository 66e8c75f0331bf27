import DuetHTTP
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct InvalidRequestTests {
    @Test(
        arguments: Adapter.allCases,
        [
            HTTPRequest(method: .get, scheme: nil, authority: "a.example", path: "/"),
            HTTPRequest(method: .get, scheme: "ftp", authority: "a.example", path: "/"),
            HTTPRequest(method: .get, scheme: "http+unix", authority: "a.example", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "user:secret@a.example", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "a.example", path: "no-slash"),
            HTTPRequest(method: .get, scheme: "http", authority: "a.example", path: ""),
            HTTPRequest(method: .get, scheme: "http", authority: ":80", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "a.example:port", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "a.example", path: "/items/.."),
            HTTPRequest(method: .get, scheme: "http", authority: "a.example", path: "/./items?x=1"),
            HTTPRequest(method: .get, scheme: "http", authority: "a.example", path: "/items/%2e%2E/x"),
        ]
    )
    func `a request that cannot be sent is an invalid request`(adapter: Adapter, request: HTTPRequest) async throws {
        try await adapter.withClient { client in
            let error = try await expect(.invalidRequest) { try await client.data(for: request) }
            #expect(!error.description.contains("secret"))
        }
    }

    @Test(arguments: Adapter.allCases, [HTTPRequest.Method.get, .head, .trace])
    func `a method that takes no body is not sent with one`(adapter: Adapter, method: HTTPRequest.Method) async throws {
        try await adapter.withServer({ _ in [.answer()] }) { server, client in
            let request = server.request(method)
            try await expect(.invalidRequest) { try await client.data(for: request, body: Data("x".utf8)) }
            #expect(server.log.entry.accepted == 0)
        }
    }

    @Test(arguments: Adapter.allCases, ["/a/.../b", "/a..b/.c", "/a?x=/../y"])
    func `dots that are not a segment are sent as they are`(adapter: Adapter, path: String) async throws {
        try await adapter.withServer({ _ in [.answer()] }) { server, client in
            _ = try await client.data(for: server.request(.get, path))
            #expect(server.log.entry.requests.first?.target == path)
        }
    }
}
