import Duet
import DuetContext
import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import ServiceContextModule
import Synchronization
import Testing

/// A decorator between the cache and the network adds credentials.
@Suite(.timeLimit(.minutes(5)))
struct HiddenCredentialsTests {
    private let user = User()

    private func scene(
        _ configuration: CachingHTTPClient.Configuration = .init()
    ) -> Scene {
        Scene(configuration: configuration, through: { Login(base: $0, user: user).logging { _ in } }) {
            sent in
            .init(200, ["Cache-Control: max-age=60", "Content-Location: /a"], sent.field(.authorization) ?? "nobody")
        }
    }

    @Test func `without an identified user, requests bypass the cache, and that is reported once`() async throws {
        let scene = scene()
        for name in ["alice", "bob"] {
            user.name = name
            for method in [HTTPRequest.Method.post, .get, .get, .head] {
                let answer = try await scene.send(ask("/a", [], method))
                #expect(answer.body == name)
                #expect(method != .get || answer.line == "Duet; fwd=bypass; detail=hidden-credentials")
            }
        }
        #expect(scene.origin.count == 8)
        #expect(scene.reports.lines == ["hidden by login"])
    }

    @Test func `a principal identifies the user`() async throws {
        let scene = scene()
        for _ in 1...2 {
            for name in ["alice", "bob"] {
                user.name = name
                #expect(try await withPrincipal(Principal(id: name)) { try await scene.send().body } == name)
            }
        }
        #expect(scene.origin.count == 2)
        #expect(scene.reports.lines.isEmpty)
    }

    @Test func `a configured partition identifies the user`() async throws {
        var configuration = CachingHTTPClient.Configuration()
        configuration.partition = { [user] _ in user.name }
        let scene = scene(configuration)
        for _ in 1...2 {
            for name in ["alice", "bob"] {
                user.name = name
                #expect(try await scene.send().body == name)
            }
        }
        #expect(scene.origin.count == 2)
    }

    @Test func `a change also invalidates when it bypasses the cache`() async throws {
        let store = InMemoryHTTPCacheStore()
        let open = Scene(in: store) { .init(200, ["Cache-Control: max-age=60"], "\($0.number)") }
        _ = try await open.send()
        let closed = Scene(in: store, through: { Login(base: $0, user: user) }) { _ in .init(204) }
        _ = try await closed.send(ask("/a", [], .delete))
        #expect(try await open.send().body == "2")
    }

    @Test func `bearer tokens are credentials that are added, behind other decorators too`() async throws {
        let origin = ScriptedOrigin { .init(200, ["Cache-Control: max-age=60"], $0.field(.authorization) ?? "nobody") }
        let tokens = Tokens(user: user)
        let server = try BaseURL(#require(URL(string: "https://origin.example")))
        let client = origin.authenticated(by: tokens, at: server).retrying().caching()
        _ = try await client.data(for: ask())
        #expect(try await client.data(for: ask()).0.cacheStatus?.forward == .bypass)
        // A cache nearer to the network sees them.
        let seeing = origin.caching().authenticated(by: tokens, at: server)
        for name in ["alice", "alice"] {
            user.name = name
            #expect(try await seeing.data(for: ask()).1 == "Bearer \(name)".data)
        }
        #expect(origin.count == 3)
    }
}

private final class User: Sendable {
    private let text = Mutex("nobody")

    var name: String {
        get { text.withLock { $0 } }
        set { text.withLock { $0 = newValue } }
    }
}

private struct Login: HTTPClientDecorator {
    let base: any HTTPClient
    let user: User
    var summary: String { "login" }
    var addsCredentials: Bool { true }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var request = request
        request.headerFields[.authorization] = user.name
        return try await base.send(request, body: body)
    }
}

private struct Tokens: TokenSource {
    let user: User

    func current() async throws -> String? { user.name }
    func refresh(replacing rejected: String?) async throws -> String? { nil }
}
