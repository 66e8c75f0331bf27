import Duet
import DuetCaching
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// Tests of answers at a client, with and without a cache.
@Suite struct RemoteAnswerTests {
    private let press = Press()

    private func client(
        _ dispatcher: (any Dispatcher)? = nil,
        changing change: @escaping @Sendable (HTTPRequest, HTTPResponse, Data) -> (HTTPResponse, Data) = { ($1, $2) }
    ) throws -> PressClient {
        PressClient(service: try press.service(dispatcher), change: change)
    }

    private func remote(_ client: PressClient, listed: Bool = true) throws -> HTTPDispatcher {
        let url = try #require(URL(string: "http://press.example/api"))
        guard listed else { return HTTPDispatcher(baseURL: url, client: client) }
        return try HTTPDispatcher(Press.api, baseURL: BaseURL(url), client: client)
    }

    private func caching(_ base: some Dispatcher) throws -> CachingDispatcher {
        try base.caching(in: .memory(limit: .entries(10))) {
            Cache(GetArticle.self, .maxAge(.minutes(5)))
        }
    }

    @Test(arguments: [true, false])
    func `one request carries the command and its answer`(listed: Bool) async throws {
        let client = try client()
        let api = try remote(client, listed: listed)
        #expect(try await api.answer(to: CreateArticle(title: "First")) == Article(slug: "first"))
        #expect(try await api.answer(to: Favorite(slug: "first")).favorites == 1)
        #expect(try await api.answer(to: SetNote(slug: "first")) == nil)
        #expect(try await api.answer(to: DrawPicture(slug: "first")).mediaType == "image/png")
        try await api.dispatch(Favorite(slug: "first"))
        #expect(
            client.requests == [
                "POST articles", "POST articles/first/favorite", "POST articles/first/note", "POST pictures/first",
                "POST articles/first/favorite",
            ]
        )
    }

    @Test func `a response is used for one dispatch of its query`() async throws {
        let client = try client()
        let api = try remote(client)
        #expect(try await api.answer(to: Favorite(slug: "a")).favorites == 1)
        #expect(try await api.dispatch(GetArticle(slug: "a")).favorites == 1)
        #expect(client.requests == ["POST articles/a/favorite", "GET articles/a"])
    }

    @Test(arguments: ["", "not JSON", "{}"])
    func `content that cannot be read is no error of the command, and the query is sent`(_ content: String) async throws
    {
        let client = try client { request, head, data in
            request.method == .get ? (head, data) : (head, Data(content.utf8))
        }
        let api = try remote(client).retrying(RetryPolicy(maximumAttempts: 3))
        #expect(try await api.answer(to: Favorite(slug: "a")).favorites == 1)
        try await api.dispatch(CreateArticle())
        #expect(client.requests == ["POST articles/a/favorite", "GET articles/a", "POST articles"])
    }

    @Test(
        arguments: [
            ("/api/articles/a%20b", "a b"), ("http://press.example/api/articles/x?y=1", "x"), ("articles/x", "x"),
            ("http://elsewhere.example/api/articles/x", nil), ("/articles/x", nil), ("/api/pictures/x", nil), ("", nil),
            ("/api/articles/", nil),
        ] as [(String, String?)]
    )
    func `without content, the location of a new record is the query`(_ location: String, _ slug: String?) async throws
    {
        let client = try client { request, head, data in
            guard request.method == .post else { return (head, data) }
            return (HTTPResponse(status: .created, headerFields: [.location: location]), Data())
        }
        press.state.withLock { state in
            for slug in ["a b", "x"] { state.articles[slug] = Article(slug: slug) }
        }
        for listed in [true, false] {
            let api = try remote(client, listed: listed)
            if let slug {
                #expect(try await api.answer(to: CreateArticle()).slug == slug)
            } else {
                await #expect(throws: AnswerUnavailable.self) { try await api.answer(to: CreateArticle()) }
            }
        }
    }

    @Test func `a query that nobody knows is no error of the command`() async throws {
        let client = try client { _, head, _ in (head, Data("[]".utf8)) }
        let api = try remote(client)
        let error = await #expect(throws: AnswerUnavailable.self) { try await api.answer(to: CreateArticle()) }
        #expect(error?.reason is HTTPFailure)
        #expect(error?.description.contains("CreateArticle has succeeded, and must not be dispatched again") == true)
        #expect(client.requests == ["POST articles"])
        let other = try remote(self.client { _, head, _ in (HTTPResponse(status: head.status), Data()) })
        let unknown = await #expect(throws: AnswerUnavailable.self) { try await other.answer(to: CreateArticle()) }
        #expect(unknown?.description.contains("no query is known") == true)
    }

    @Test func `a query that can only be an answer is not sent`() async throws {
        let client = try client { _, head, _ in (head, Data()) }
        let api = try remote(client)
        let error = await #expect(throws: AnswerUnavailable.self) { try await api.answer(to: SetNote(slug: "a")) }
        #expect(error?.reason is MessageAPIError)
        #expect(client.requests == ["POST articles/a/note"])
    }

    @Test func `an error of the command stays as it is`() async throws {
        let client = try client { _, _, data in (HTTPResponse(status: .conflict), data) }
        let api = try remote(client)
        await #expect(throws: HTTPFailure.self) { try await api.answer(to: Favorite(slug: "a")) }
    }

    @Test func `a server passes on the response of another one`() async throws {
        let client = try client()
        let gateway = try press.service(remote(client, listed: false))
        let outer = PressClient(service: gateway) { ($1, $2) }
        #expect(try await remote(outer).answer(to: CreateArticle()) == Article(slug: "first"))
        #expect(client.requests == ["POST articles"])
        #expect(outer.requests == ["POST articles"])
    }

    @Test func `a response whose body is lost is a success of its command`() async throws {
        let client = try client()
        client.loseBodies()
        let api = HTTPDispatcher(
            baseURL: try #require(URL(string: "http://press.example/api")),
            client: client.retrying(clock: ManualClock())
        )
        try await api.dispatch(RenameArticle(slug: "a"))
        #expect(try await api.answer(to: Favorite(slug: "a")).favorites == 1)
        let error = await #expect(throws: AnswerUnavailable.self) { try await api.answer(to: CreateArticle()) }
        #expect(error?.reason is HTTPClientError)
        #expect(client.requests == ["PUT articles/a", "POST articles/a/favorite", "GET articles/a", "POST articles"])
    }

    // MARK: Caches

    @Test func `an answer renews the value of the cache`() async throws {
        let client = try client()
        let api = try caching(remote(client))
        #expect(try await api.dispatch(GetArticle(slug: "a")).favorites == 0)
        try await api.dispatch(Favorite(slug: "a"))
        #expect(try await api.dispatch(GetArticle(slug: "a")).favorites == 1)
        #expect(try await api.answer(to: Favorite(slug: "a")).favorites == 2)
        #expect(try await api.dispatch(GetArticle(slug: "a")).favorites == 2)
        #expect(try await api.answer(to: CreateArticle()) == Article(slug: "first"))
        #expect(try await api.dispatch(GetArticle(slug: "first")) == Article(slug: "first"))
        #expect(
            client.requests == [
                "GET articles/a", "POST articles/a/favorite", "POST articles/a/favorite", "POST articles",
            ]
        )
    }

    @Test func `observers see the answer, and nothing else is sent`() async throws {
        let client = try client()
        let api = try remote(client).caching(in: .memory(limit: .entries(10))) {
            Cache(GetArticle.self, .maxAge(.minutes(5)))
            Invalidate(GetArticle.self, after: Favorite.self) { $0.slug == $1.slug }
            OptimisticUpdate(GetArticle.self, by: Favorite.self) { article, query, command in
                if query.slug == command.slug { article.favorites = 1 }
            }
        }
        var states = api.observe(GetArticle(slug: "a")).makeAsyncIterator()
        while try #require(await states.next()).value == nil {}
        #expect(try await api.answer(to: Favorite(slug: "a")).favorites == 1)
        var shown: [Int] = []
        while let state = await states.next() {
            if let value = state.value?.favorites { shown.append(value) }
            if !state.isOptimistic, !state.isLoading, state.value?.favorites == 1 { break }
        }
        #expect(Set(shown) == [1])
        #expect(client.requests == ["GET articles/a", "POST articles/a/favorite"])
    }

    @Test func `a cache in memory and one before the handlers answer alike`() async throws {
        let client = try client(caching(press.dispatcher()))
        let api = try caching(caching(remote(client)))
        #expect(try await api.dispatch(GetArticle(slug: "a")).favorites == 0)
        #expect(try await api.answer(to: Favorite(slug: "a")).favorites == 1)
        #expect(try await api.dispatch(GetArticle(slug: "a")).favorites == 1)
        #expect(client.requests == ["GET articles/a", "POST articles/a/favorite"])
    }

    @Test func `a failed command leaves no value that it may have changed`() async throws {
        let client = try client { ($0.method == .get ? $1 : HTTPResponse(status: .badGateway), $2) }
        let api = try caching(remote(client))
        #expect(try await api.dispatch(GetArticle(slug: "a")).favorites == 0)
        await #expect(throws: HTTPFailure.self) { try await api.dispatch(Favorite(slug: "a")) }
        #expect(try await api.dispatch(GetArticle(slug: "a")).favorites == 1)
    }

    @Test(arguments: [true, false])
    func `two commands whose responses cross leave the newest value`(hasVersions: Bool) async throws {
        let gate = Gate()
        let isFirst = Mutex(true)
        let server: any Dispatcher = hasVersions ? try caching(press.dispatcher()) : try press.dispatcher()
        let client = try client(server)
        client.hold { request in
            guard request.method == .post, isFirst.withLock({ $0.take() }) else { return }
            try await gate.pass()
        }
        let api = try caching(remote(client))
        async let late = api.answer(to: Favorite(slug: "a"))
        await gate.arrivals(1)
        #expect(try await api.answer(to: Favorite(slug: "a")).favorites == 2)
        gate.open()
        #expect(try await late.favorites == (hasVersions ? 2 : 1))
        #expect(try await api.dispatch(GetArticle(slug: "a")).favorites == 2)
        let posts = Array(repeating: "POST articles/a/favorite", count: 2)
        #expect(client.requests == posts + ["GET articles/a"])
    }

    @Test func `a gateway's answer that may be late has no version, and is kept by nobody`() async throws {
        let gate = Gate()
        let isFirst = Mutex(true)
        let upstream = try client()
        upstream.hold { request in
            guard request.method == .post, isFirst.withLock({ $0.take() }) else { return }
            try await gate.pass()
        }
        let gateway = PressClient(service: try press.service(caching(remote(upstream, listed: false)))) { ($1, $2) }
        let versions = Mutex<[Bool]>([])
        let outer = PressClient(service: gateway.service) { _, head, data in
            versions.withLock { $0.append(head.headerFields.contains(.version)) }
            return (head, data)
        }
        let api = try caching(remote(outer))
        async let late = api.answer(to: Favorite(slug: "a"))
        await gate.arrivals(1)
        #expect(try await api.answer(to: Favorite(slug: "a")).favorites == 2)
        gate.open()
        _ = try await late
        #expect(try await api.dispatch(GetArticle(slug: "a")).favorites == 2)
        #expect(versions.withLock { $0.prefix(2) } == [true, false])
    }

    @Test func `a value is not for another principal`() async throws {
        let client = try client()
        let api = try caching(remote(client))
        _ = try await withPrincipal(Principal(id: "ada")) { try await api.answer(to: Favorite(slug: "a")) }
        _ = try await withPrincipal(Principal(id: "bob")) { try await api.dispatch(GetArticle(slug: "a")) }
        #expect(client.requests == ["POST articles/a/favorite", "GET articles/a"])
    }
}

extension Bool {
    /// Returns whether it was true, and makes it false.
    fileprivate mutating func take() -> Bool {
        defer { self = false }
        return self
    }
}

/// Calls a service, and records the requests.
private final class PressClient: HTTPClient {
    let service: HTTPService
    private let change: @Sendable (HTTPRequest, HTTPResponse, Data) -> (HTTPResponse, Data)
    private let sent = Mutex<[String]>([])
    private let held = Mutex<(@Sendable (HTTPRequest) async throws -> Void)?>(nil)

    init(
        service: HTTPService,
        change: @escaping @Sendable (HTTPRequest, HTTPResponse, Data) -> (HTTPResponse, Data)
    ) {
        self.service = service
        self.change = change
    }

    private let losesBodies = Mutex(false)

    var requests: [String] { sent.withLock(\.self) }

    /// Breaks off the bodies of the responses to commands.
    func loseBodies() { losesBodies.withLock { $0 = true } }

    /// Runs a function before each response is returned.
    func hold(_ body: @escaping @Sendable (HTTPRequest) async throws -> Void) { held.withLock { $0 = body } }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        sent.withLock { $0.append("\(request.method) \(request.path?.dropFirst(5) ?? "")") }
        var signed = request
        signed.headerFields[.authorization] = Press.editor
        let (head, content) = await service.respond(to: signed, body: body)
        let changed = change(request, head, try await content.collectToSend())
        try await held.withLock(\.self)?(request)
        guard losesBodies.withLock(\.self), request.method != .get else { return (changed.0, HTTPBody(changed.1)) }
        let loss = HTTPClientError.connectionFailed(
            url: "http://press.example",
            underlying: CocoaError(.fileReadUnknown)
        )
        return (changed.0, HTTPBody(AsyncThrowingStream { $0.finish(throwing: loss) }))
    }
}
