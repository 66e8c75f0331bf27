import Duet
import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

/// Queries that are sent as POST, which sections 3 and 4.4 of RFC 9111 do not recognize as safe.
@Suite(.timeLimit(.minutes(5)))
struct PostQueryTests {
    /// All responses may be stored, and those to POST can serve GET (RFC 9110, section 9.3.3).
    private let scene = Scene { sent in
        .init(
            200,
            ["Cache-Control: max-age=60", "Content-Location: /likes", "Content-Type: application/json"],
            "\(sent.number)"
        )
    }

    private func dispatcher() throws -> HTTPDispatcher {
        HTTPDispatcher(baseURL: try #require(URL(string: "https://origin.example")), client: scene.client)
    }

    @Test func `a query that is sent as POST invalidates nothing`() async throws {
        let dispatcher = try dispatcher()
        #expect(try await dispatcher.dispatch(LoadLikes()) == 1)
        #expect(try await dispatcher.dispatch(CountLikes(user: "Ann")) == 2)
        #expect(try await dispatcher.dispatch(LoadLikes()) == 1)
    }

    @Test func `it is never served from the cache`() async throws {
        let dispatcher = try dispatcher()
        #expect(try await dispatcher.dispatch(LoadLikes()) == 1)
        #expect(try await dispatcher.dispatch(CountLikes(user: "Ann")) == 2)
        #expect(try await dispatcher.dispatch(CountLikes(user: "Ann")) == 3)
        #expect(try await dispatcher.dispatch(CountLikes(user: "Bob")) == 4)
    }

    @Test func `its response is not stored, not even for GET`() async throws {
        let dispatcher = try dispatcher()
        #expect(try await dispatcher.dispatch(CountLikes(user: "Ann")) == 1)
        #expect(try await dispatcher.dispatch(LoadLikes()) == 2)
    }

    @Test func `it bypasses the cache, and reports that`() async throws {
        let request = ask("/likes", [], .post)
        var options = HTTPRequestOptions()
        options.safeRequests = [request]
        let answer = try await options.use { try await scene.send(request) }
        #expect(answer.status?.forward == .method)
        #expect(answer.status?.stored == false)
    }

    @Test func `a request that a decorator sends for a query is not the query`() async throws {
        let dispatcher = try dispatcher()
        #expect(try await dispatcher.dispatch(LoadLikes()) == 1)
        // For example, the request for a token that a decorator sends for the query.
        var options = HTTPRequestOptions()
        options.safeRequests = [ask("/counts", [], .post)]
        _ = try await options.use { try await scene.send(ask("/likes", [], .delete)) }
        #expect(try await dispatcher.dispatch(LoadLikes()) == 3)
    }

    @Test func `a query sent as POST without a response invalidates nothing`() async throws {
        let scene = Scene { sent in
            guard sent.request.method == .get else { throw HTTPClientError.unplugged }
            return .init(200, ["Cache-Control: max-age=60"], "\(sent.number)")
        }
        _ = try await scene.send()
        var options = HTTPRequestOptions()
        options.safeRequests = [ask("/a", [], .post)]
        await #expect(throws: HTTPClientError.self) {
            _ = try await options.use { try await scene.send(ask("/a", [], .post)) }
        }
        #expect(try await scene.send().isHit)
    }
}

private struct LoadLikes: HTTPQuery {
    typealias Value = Int
    static let route: QueryRoute<Self> = .get("likes")
}

/// A query whose parameters are in its body.
private struct CountLikes: HTTPQuery {
    typealias Value = Int
    static let route: QueryRoute<Self> = .post("likes")

    let user: String
}
