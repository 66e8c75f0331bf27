import Duet
import DuetDependencies
import FeedComposition
import FeedFeature
import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import Synchronization
import Testing

/// The container's HTTP client with an unreliable server.
@Suite struct HTTPClientTests {
    /// Runs `body` with the client's dispatcher; `respond` creates the server's response to the nth request.
    private func withServer(
        _ respond: @escaping @Sendable (_ number: Int) -> Response,
        body: @Sendable @escaping (any Dispatcher) async throws -> Void
    ) async throws -> [String] {
        let requests = Log()
        let router = Router()
        router.add(middleware: Answering { request in respond(requests.add("\(request.method) \(request.uri)")) })
        try await Application(router: router, logger: .silent).test(.live) { server in
            let port = try #require(server.port)
            let remote = try #require(URL(string: "http://localhost:\(port)/"))
            try await FeedClient.withDispatcher(
                ClientOptions(remote: remote, cache: nil),
                environment: Environment(logger: .silent),
                onWarning: { _ in },
                body: body
            )
        }
        return requests.entries
    }

    private static let feed = Response(
        status: .ok,
        headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"items":[]}"#))
    )

    @Test func `a query that fails temporarily is retried`() async throws {
        let requests = try await withServer {
            $0 < 3 ? Response(status: .serviceUnavailable) : Self.feed
        } body: {
            let page = try await $0.dispatch(LoadFeed())
            #expect(page.source == .remote)
            #expect(page.failure == nil)
        }
        #expect(requests == Array(repeating: "GET /v1/feed?limit=10", count: 3))
    }

    @Test func `after three attempts the failure is final`() async throws {
        let requests = try await withServer { _ in
            Response(status: .serviceUnavailable)
        } body: {
            let page = try await $0.dispatch(LoadFeed())
            #expect(page.failure?.kind == .connectivity)
        }
        #expect(requests.count == 3)
    }

    @Test func `a comment is retried, because it has an id`() async throws {
        let id = try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000001"))
        let requests = try await withServer {
            Response(status: $0 < 2 ? .badGateway : .created)
        } body: {
            try await $0.dispatch(PostImageComment(id: id, imageID: id, message: "m", username: "u"))
        }
        #expect(requests == Array(repeating: "POST /v1/image/\(id)/comments", count: 2))
    }

    @Test func `an unchanged feed is not sent again`() async throws {
        let requests = try await withServer { number in
            var answer = number < 2 ? Self.feed : Response(status: .notModified)
            answer.headers[.eTag] = #""1""#
            return answer
        } body: {
            for _ in 1...2 {
                let page = try await $0.dispatch(LoadFeed())
                #expect(page.source == .remote)
                #expect(page.failure == nil)
            }
        }
        #expect(requests.count == 2)
    }

    @Test func `a response without a lifetime is requested again`() async throws {
        var answer = Self.feed
        answer.headers[.lastModified] = "Sun, 06 Nov 1994 08:49:37 GMT"
        let requests = try await withServer { [answer] _ in
            answer
        } body: {
            for _ in 1...2 { _ = try await $0.dispatch(LoadFeed()) }
        }
        #expect(requests.count == 2)
    }

    @Test func `a failing server is not hidden by its earlier response`() async throws {
        _ = try await withServer { number in
            var answer = number < 2 ? Self.feed : Response(status: .internalServerError)
            answer.headers[.eTag] = #""1""#
            return answer
        } body: {
            _ = try await $0.dispatch(LoadFeed())
            let page = try await $0.dispatch(LoadFeed())
            #expect(page.source != .remote)
            #expect(page.failure != nil)
        }
    }

    @Test func `a redirect is followed`() async throws {
        let requests = try await withServer { number in
            number < 2 ? Response(status: .temporaryRedirect, headers: [.location: "/v2/feed"]) : Self.feed
        } body: {
            let page = try await $0.dispatch(LoadFeed())
            #expect(page.source == .remote)
        }
        #expect(requests == ["GET /v1/feed?limit=10", "GET /v2/feed"])
    }

    @Test func `a redirected command is not repeated when its target fails`() async throws {
        let id = try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000001"))
        let requests = try await withServer { number in
            switch number {
            case 1: Response(status: .seeOther, headers: [.location: "/v1/thanks"])
            case 2: Response(status: .badGateway)
            default: Response(status: .ok)
            }
        } body: {
            try await $0.dispatch(PostImageComment(id: id, imageID: id, message: "m", username: "u"))
        }
        #expect(requests == ["POST /v1/image/\(id)/comments", "GET /v1/thanks", "GET /v1/thanks"])
    }

    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        var entries: [String] { lines.withLock { $0 } }

        func add(_ line: String) -> Int {
            lines.withLock { lines in
                lines.append(line)
                return lines.count
            }
        }
    }

    private struct Answering: RouterMiddleware {
        let answer: @Sendable (Request) -> Response

        func handle(
            _ request: Request,
            context: BasicRequestContext,
            next: @concurrent (Request, BasicRequestContext) async throws -> Response
        ) async throws -> Response {
            answer(request)
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost", "2130706433"])
    func `an image on this machine is loaded only from the backend itself`(host: String) async throws {
        let others = Log()
        try await withRouter { request in
            _ = others.add("\(request.uri)")
            return Self.image
        } body: { other in
            let address = "http://\(host):\(other)/image.jpg"
            try await withRouter { request in
                request.uri.path == "/image.jpg"
                    ? Self.image : Response(status: .found, headers: [.location: address])
            } body: { backend in
                let remote = try #require(URL(string: "http://127.0.0.1:\(backend)/"))
                let foreign = try #require(URL(string: address))
                try await FeedClient.withDispatcher(
                    ClientOptions(remote: remote, cache: nil),
                    environment: Environment(logger: .silent),
                    onWarning: { _ in }
                ) { dispatcher in
                    let own = try await dispatcher.dispatch(LoadImageData(url: remote.appending(path: "image.jpg")))
                    #expect(!own.isEmpty)
                    for url in [foreign, remote.appending(path: "redirected")] {
                        let failure = await #expect(throws: RemoteFailure.self) {
                            try await dispatcher.dispatch(LoadImageData(url: url))
                        }
                        #expect(failure.map { "\($0)".contains("is not public") } == true)
                    }
                }
            }
        }
        #expect(others.entries.isEmpty)
    }

    private static let image = Response(
        status: .ok,
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: [0xFF, 0xD8, 0xFF, 0xE0]))
    )

    private func withRouter(
        _ respond: @escaping @Sendable (Request) -> Response,
        body: @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        let router = Router()
        router.add(middleware: Answering(answer: respond))
        try await Application(router: router, logger: .silent).test(.live) { client in
            let port = try #require(client.port)
            try await body(port)
        }
    }
}
