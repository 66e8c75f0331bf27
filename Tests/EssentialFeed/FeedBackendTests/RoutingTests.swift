import Duet
import DuetDependencies
import FeedBackend
import FeedFeature
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

@Suite(.serialized) struct RoutingTests {
    private let backend: TestBackend

    init() async throws {
        backend = try await TestBackend()
    }

    @Test(arguments: [
        "/", "/v1", "/v1/feed/x", "/v1/image", "/v2/feed", "/v1/Feed", "/v1/image/1/comments/2/x", "/health/x",
    ])
    func `an unknown path is not found`(path: String) async throws {
        try await backend.test { client async throws in
            let detail = try await client.get(path).problem(.notFound)
            #expect(detail.hasPrefix("There is nothing at \(path)."), "\(detail)")
        }
    }

    @Test(arguments: [
        ("/health", "BREW", "GET, HEAD, OPTIONS"),
        ("/ready", "DELETE", "GET, HEAD, OPTIONS"),
        ("/v1/feed", "POST", "GET, HEAD, OPTIONS"),
        ("/v1/feed?limit=1", "BREW", "GET, HEAD, OPTIONS"),
        ("/v1/image/x", "POST", "GET, HEAD, PUT, DELETE, OPTIONS"),
        ("/v1/image/x/comments", "DELETE", "GET, HEAD, POST, OPTIONS"),
    ])
    func `a method that a path does not have is not allowed`(path: String, method: String, allowed: String)
        async throws
    {
        try await backend.test { client in
            let method = try #require(HTTPRequest.Method(method))
            let response = try await client.execute(uri: path, method: method)
            #expect(response.headers[.allow] == allowed)
            #expect(
                try response.problem(.methodNotAllowed).contains("supports \(allowed), not \(method.rawValue)")
            )
        }
    }

    @Test func `each method that a path allows is handled`() async throws {
        try await backend.test { client in
            for path in ["/health", "/ready", "/v1/feed", "/v1/image/x", "/v1/image/x/comments"] {
                let response = try await client.execute(uri: path, method: .trace)
                let allowed = try #require(response.headers[.allow]).split(separator: ", ")
                for name in allowed {
                    let method = try #require(HTTPRequest.Method(String(name)))
                    #expect(try await client.execute(uri: path, method: method).status != .methodNotAllowed)
                }
            }
        }
    }

    @Test func `HEAD responds like GET, without the body`() async throws {
        try await backend.publish(1...1)
        let image = "/v1/image/\(UUID.number(1))"
        try await backend.test { client in
            for path in ["/health", "/ready", "/v1/feed", image, "\(image)/comments", "/v1/feed?limit=0", "/nothing"] {
                let get = try await client.get(path)
                let head = try await client.execute(uri: path, method: .head)
                #expect(head.status == get.status)
                #expect(head.headers == get.headers)
                #expect(head.data.isEmpty)
            }
        }
    }

    @Test func `OPTIONS returns the methods`() async throws {
        try await backend.test { client in
            let response = try await client.execute(uri: "/v1/image/x", method: .options)
            #expect(response.status == .noContent)
            #expect(response.headers[.allow] == "GET, HEAD, PUT, DELETE, OPTIONS")
        }
    }

    @Test(arguments: ["/health", "/ready"])
    func `the server is healthy when the database responds`(path: String) async throws {
        try await backend.test { client in
            let response = try await client.get(path)
            #expect(response.status == .noContent)
            #expect(response.headers[.cacheControl] == "no-store")
        }
    }

    @Test func `an internal error reveals no details`() async throws {
        let builder = ContainerBuilder()
        builder.singleton((any Dispatcher).self) { BrokenDispatcher() }
        builder.singleton { MessageOrigin() }
        let backend = FeedBackend(container: try builder.build())
        try await backend.application(logger: .silent).test(.router) { client in
            for path in ["/v1/feed", "/v1/image/\(UUID.number(1))"] {
                let detail = try await client.get(path).problem(.internalServerError)
                #expect(detail == "The server could not complete the request. Its log has the reason.")
            }
            #expect(try await client.get("/ready").problem(.serviceUnavailable) == "Not ready: database.")
            #expect(try await client.get("/health").status == .noContent)
        }
    }
}

private struct BrokenDispatcher: Dispatcher {
    struct Secret: Error {}

    func dispatch<M: Message>(_ message: M) async throws -> M.Value { throw Secret() }
}
