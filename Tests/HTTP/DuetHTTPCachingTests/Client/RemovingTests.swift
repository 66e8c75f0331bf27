import Duet
import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RemovingTests {
    // GET v1/items/{id}?language=…
    struct LoadItem: HTTPQuery {
        typealias Value = String
        static let route: QueryRoute<Self> = .get("v1/items/{id}")

        let id: String
        let language: String
    }

    static let cacheable = ["Cache-Control: max-age=60"]

    private let store = FaultyStore()
    private let scene: Scene

    init() {
        scene = Scene(in: store) { .init(200, Self.cacheable + ["Content-Type: application/json"], "\"\($0.number)\"") }
    }

    @Test func `responses to a message are removed, and others stay`() async throws {
        let server = try BaseURL("https://origin.example/api")
        let settings = HTTPSettings(parameterNames: ["language": "lang"])
        let api = HTTPDispatcher(baseURL: server, client: scene.client, settings: settings)
        let (meant, other) = (LoadItem(id: "a/b", language: "de"), LoadItem(id: "a/b", language: "en"))
        _ = try await (api.dispatch(meant), api.dispatch(other))
        try await scene.client.removeAll(answering: meant, at: server, settings: settings)
        #expect(try await api.dispatch(meant) == "3")
        #expect(try await api.dispatch(other) == "2")
        #expect(scene.origin.count == 3)
    }

    @Test(arguments: [
        "https://origin.example/feed", "https://origin.example/feed?x=y", "https://ORIGIN.example:443/feed",
    ])
    func `responses below a URL are removed with any query, and others stay`(text: String) async throws {
        let under = ["/feed", "/feed?", "/feed?page=2", "/feed/", "/feed/7", "/feed/7?x"]
        let beside = ["/feeds", "/feed%2F7", "/fee", "/", "/other/feed"]
        for path in under + beside { _ = try await scene.send(ask(path)) }
        try await scene.client.removeAll(under: try #require(URL(string: text)))
        for path in under { #expect(try await !scene.send(ask(path)).isHit, "\(path)") }
        for path in beside { #expect(try await scene.send(ask(path)).isHit, "\(path)") }
    }

    @Test func `URLs below a folder begin with it, and all URLs are below a host`() async throws {
        let paths = ["/feed", "/feed/", "/feed/?x", "/feed/7"]
        for path in paths { _ = try await scene.send(ask(path)) }
        try await scene.client.removeAll(under: try #require(URL(string: "https://origin.example/feed/")))
        #expect(try await scene.send(ask("/feed")).isHit)
        for path in paths.dropFirst() { #expect(try await !scene.send(ask(path)).isHit, "\(path)") }
        try await scene.client.removeAll(under: try #require(URL(string: "https://origin.example")))
        for path in paths { #expect(try await !scene.send(ask(path)).isHit, "\(path)") }
    }

    @Test func `an arriving response below a URL is not stored after a removal`() async throws {
        let held = HeldBody()
        let scene = Scene(in: store) { sent in
            sent.number == 1 ? .init(200, Self.cacheable, held.body) : .init(200, Self.cacheable, "new")
        }
        let early = Task.startingHere { try await scene.send(ask("/feed/7")) }
        try await held.begun.pass()
        try await scene.client.removeAll(under: try #require(URL(string: "https://origin.example/feed")))
        held.send("old")
        held.end()
        #expect(try await early.value.body == "old")
        #expect(try await scene.send(ask("/feed/7")).body == "new")
    }

    @Test func `a failed removal is reported, and nothing is served`() async throws {
        _ = try await scene.send(ask("/feed/7"))
        store.fail(.removePrefix)
        try await scene.client.removeAll(under: try #require(URL(string: "https://origin.example/feed")))
        #expect(scene.reports.lines == ["write failed"])
        store.fail()
        #expect(try await !scene.send(ask("/feed/7")).isHit)
        #expect(try await scene.send(ask("/feed/7")).isHit)
    }

    @Test func `removal for a URI without a key throws`() async throws {
        let relative = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/a")
        for request in [relative, ask("/a#b")] {
            let error = await #expect(throws: HTTPCacheError.self) {
                try await scene.client.removeAll(answering: request)
            }
            #expect("\(try #require(error))".contains("Use an http or https URL with a host"))
        }
        for text in ["file:///tmp/a", "/feed", "origin.example/feed", "mailto:a@b.example", "//origin.example/feed"] {
            let url = try #require(URL(string: text))
            await #expect(throws: HTTPCacheError.self, "\(text)") { try await scene.client.removeAll(under: url) }
        }
    }
}
