import DuetHTTP
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite
struct RedirectingHTTPClientTests {
    @Test(arguments: [301, 302, 303, 307, 308])
    func `a chain of redirects is followed to its end`(status: Int) async throws {
        let server = redirecting(status, to: "next?x=1#part")
        let (response, data) = try await server.followingRedirects().data(
            for: request(.get, "https://api.example/a/b?y=2")
        )
        #expect(response.status == .ok)
        #expect(data == Data("end".utf8))
        #expect(server.sent.map(\.request.path) == ["/a/b?y=2", "/a/next?x=1"])
    }

    @Test(arguments: [
        (301, "PUT"), (302, "DELETE"), (301, "GET"), (303, "HEAD"), (307, "POST"), (308, "POST"), (307, "PUT"),
    ])
    func `method, body and key are kept`(status: Int, method: String) async throws {
        let server = redirecting(status, to: "/next")
        let original = request(try #require(HTTPRequest.Method(method)), "https://api.example/a", Self.content)
        _ = try await server.followingRedirects().data(for: original, body: Data("body".utf8))
        let last = try #require(server.sent.last)
        #expect(last.request.method.rawValue == method)
        #expect(last.body == Data("body".utf8))
        #expect(last.request.headerFields == original.headerFields)
    }

    @Test(arguments: [(301, "POST"), (302, "POST"), (303, "POST"), (303, "PUT"), (303, "DELETE")])
    func `the GET after a command has neither body nor key`(status: Int, method: String) async throws {
        let server = redirecting(status, to: "/next")
        let original = request(try #require(HTTPRequest.Method(method)), "https://api.example/a", Self.content)
        _ = try await server.followingRedirects().data(for: original, body: Data("body".utf8))
        let last = try #require(server.sent.last)
        #expect(last.request.method == .get)
        #expect(last.body == nil)
        #expect(last.request.headerFields == [.accept: "text/html"])
    }

    @Test(arguments: ["/next", "https://api.example:443/next", "HTTPS://API.example/next", "//api.example/next"])
    func `credentials stay within an origin`(location: String) async throws {
        let server = redirecting(307, to: location)
        let original = request(.post, "https://api.example/a", Self.credentials)
        _ = try await server.followingRedirects().data(for: original)
        #expect(server.sent.last?.request.headerFields == original.headerFields)
    }

    @Test(arguments: [
        "https://other.example/next", "https://api.example:444/next", "https://api.example.:443/next",
        "https://user:password@other.example/", "//other.example/next", "https://api.example@other.example/",
    ])
    func `credentials do not cross to another origin`(location: String) async throws {
        let server = redirecting(307, to: location)
        let mine = try #require(HTTPField.Name("X-Mine"))
        var original = request(.post, "https://api.example/a", Self.credentials)
        original.headerFields[mine] = "secret"
        original.headerFields[.idempotencyKey] = "k"
        _ = try await server.followingRedirects(secrets: [mine]).data(for: original, body: Data("b".utf8))
        let last = try #require(server.sent.last)
        #expect(last.request.headerFields == [.accept: "text/plain", .idempotencyKey: "k"])
        #expect(last.request.authority?.contains("@") == false)
        #expect(last.body == Data("b".utf8))
    }

    @Test func `dropped credentials do not return with a redirect back`() async throws {
        let server = StubClient { sent in
            switch sent.number {
            case 1: answer(307, [.location: "https://other.example/"])
            case 2: answer(307, [.location: "https://api.example/b"])
            default: answer()
            }
        }
        _ = try await server.followingRedirects().data(for: request(.get, "https://api.example/a", Self.credentials))
        #expect(server.sent.map { $0.request.headerFields.contains(.authorization) } == [true, false, false])
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://api.example/", "https:///nowhere", "data:,x", "http+unix://%2Ftmp/x", "",
        "http://api.example/a", "HTTP://api.example/", "javascript:alert(1)",
    ])
    func `a redirect to an unsafe target is refused`(location: String) async throws {
        let server = redirecting(302, to: location)
        let error = await #expect(throws: HTTPClientError.self) {
            try await server.followingRedirects().data(for: request(.get, "https://api.example/a?token=secret"))
        }
        #expect(error?.name == "redirectRefused")
        #expect(error?.description.contains("secret") == false)
        #expect(server.sent.count == 1)
    }

    @Test func `a redirect from http to https is followed`() async throws {
        let server = redirecting(301, to: "https://api.example/a")
        let answered = try await server.followingRedirects().data(for: request(.get, "http://api.example/a"))
        #expect(answered.0.status == .ok)
    }

    @Test func `a redirect without a location is the response`() async throws {
        let server = StubClient { _ in answer(302, body: "?") }
        let (response, data) = try await server.followingRedirects().data(for: request())
        #expect(response.status == .found)
        #expect(data == Data("?".utf8))
    }

    @Test(arguments: [200, 201, 300, 304, 305, 400])
    func `other responses are not followed`(status: Int) async throws {
        let server = redirecting(status, to: "/next")
        #expect(try await server.followingRedirects().data(for: request()).0.status.code == status)
        #expect(server.sent.count == 1)
    }

    @Test(arguments: [
        (limit: 5, redirects: 4, arrives: true), (5, 5, true), (5, 6, false), (1, 1, true), (1, 2, false), (0, 0, true),
        (0, 1, false), (-1, 1, false),
    ])
    func `as many redirects are followed as allowed`(limit: Int, redirects: Int, arrives: Bool) async throws {
        let server = StubClient { sent in
            sent.number > redirects ? answer() : answer(302, [.location: "/\(sent.number)"])
        }
        let client = server.followingRedirects(atMost: limit)
        if arrives {
            #expect(try await client.data(for: request()).0.status == .ok)
        } else {
            let error = await #expect(throws: HTTPClientError.self) { try await client.data(for: request()) }
            #expect(error?.name == "tooManyRedirects")
        }
        #expect(server.sent.count == min(redirects, max(0, limit)) + 1)
    }

    @Test func `a loop is left as soon as it closes`() async throws {
        let server = StubClient { sent in answer(302, [.location: sent.number == 1 ? "/b" : "/a"]) }
        let error = await #expect(throws: HTTPClientError.self) {
            try await server.followingRedirects().data(for: request())
        }
        #expect(error?.name == "tooManyRedirects")
        #expect(server.sent.count == 2)
    }

    @Test func `a form whose response redirects to its page is not a loop`() async throws {
        let server = redirecting(303, to: "/a")
        #expect(try await server.followingRedirects().data(for: request(.post)).1 == Data("end".utf8))
    }

    @Test(arguments: 1...3)
    func `a failure after a redirect is the failure of the request`(failing: Int) async throws {
        let server = StubClient { sent in
            guard sent.number != failing else {
                throw HTTPClientError.connectionFailed(url: "", underlying: NotConnected(Unplugged(number: failing)))
            }
            return sent.number == 3 ? answer() : answer(302, [.location: "/\(sent.number)"])
        }
        let error = await #expect(throws: HTTPClientError.self) {
            try await server.followingRedirects().data(for: request())
        }
        #expect(error?.name == "connectionFailed")
        // The request before the redirect may have been handled.
        #expect(error?.isUnsent == (failing == 1))
        #expect(server.sent.count == failing)
    }

    @Test func `redirects of a canceled request are not followed`() async throws {
        let server = redirecting(302, to: "/next")
        let result = await canceled { try await server.followingRedirects().data(for: request()).0 }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(server.sent.count == 1)
    }

    private static let content: HTTPFields = [
        .accept: "text/html", .contentType: "text/plain", .contentLanguage: "pt", .idempotencyKey: "k",
    ]

    private static let credentials: HTTPFields = [
        .authorization: "Bearer secret", .cookie: "a=secret", .proxyAuthorization: "Basic c2VjcmV0",
        .accept: "text/plain",
    ]

    private func redirecting(_ status: Int, to location: String) -> StubClient {
        StubClient { sent in sent.number == 1 ? answer(status, [.location: location]) : answer(body: "end") }
    }
}
