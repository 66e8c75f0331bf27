import Duet
import DuetCaching
import DuetHTTP
import DuetHTTPCaching
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization
import TestSupport
import Testing

/// What caches between a server and its clients may do with the responses of mounted messages.
@Suite(.timeLimit(.minutes(5)))
struct SharedCacheTests {
    enum Server: CaseIterable {
        case router, service
    }

    static let open = "max-age=0, proxy-revalidate"
    static let personal = "private, max-age=0"

    private let notebook = Notebook()

    private func client(_ server: Server) throws -> any HTTPClient {
        let options = MountOptions(live: LiveOptions(streamsPerClient: 0))
        let dispatcher = try StandardDispatcher {
            RefuseHandler()
            OwnHandler<Brief>()
            OwnHandler<Shared>()
            OwnHandler<Expiring>()
            OwnHandler<Unstored>()
            OwnHandler<Watched>()
        }
        .caching(in: .memory(limit: .entries(10))) { Cache(Watched.self, .untilInvalidated) }
        switch server {
        case .router:
            let router = Router()
            try router.mount(.notes, notebook, authenticator: Tokens(), options: options)
            try router.mount(.own, dispatcher, at: "/own", authenticator: Tokens(), options: options)
            return RouterHTTPClient(router)
        case .service:
            let service = try HTTPService(.notes, notebook, authenticator: Tokens(), options: options) { _ in }
            let own = try HTTPService(.own, dispatcher, at: "/own", authenticator: Tokens(), options: options) { _ in }
            return ServiceClient { $0.path?.hasPrefix("/own") == true ? own : service }
        }
    }

    /// The status and `Cache-Control`.
    private func head(
        _ path: String,
        _ fields: HTTPFields = [:],
        _ method: HTTPRequest.Method = .get,
        from server: Server
    ) async throws -> Head {
        let request = HTTPRequest(
            method: method,
            scheme: "http",
            authority: "notes.example",
            path: path,
            headerFields: fields
        )
        let (response, _) = try await client(server).data(for: request)
        return Head(response.status.code, response.headerFields[.cacheControl])
    }

    @Test(arguments: Server.allCases)
    func `a value is validated each time, and is private to a sender with credentials`(server: Server) async throws {
        let token: HTTPFields = [.authorization: "Bearer reader"]
        for method in [HTTPRequest.Method.get, .head] {
            for path in ["/v1/notes", "/v1/me", "/v1/picture"] {
                #expect(try await head(path, [:], method, from: server) == Head(200, Self.open))
                #expect(try await head(path, token, method, from: server) == Head(200, Self.personal))
                #expect(try await head(path, [.cookie: "a=b"], method, from: server) == Head(200, Self.personal))
                #expect(try await head(path, [.ifNoneMatch: "*"], method, from: server) == Head(304, Self.open))
                let known: HTTPFields = [.authorization: "Bearer reader", .ifNoneMatch: "*"]
                #expect(try await head(path, known, method, from: server) == Head(304, Self.personal))
            }
        }
        #expect(try await head("/v1/picture", [.range: "bytes=1-2"], from: server) == Head(206, Self.open))
    }

    @Test(arguments: Server.allCases)
    func `no shared cache reuses an error for a default time`(server: Server) async throws {
        let refused: [(String, HTTPFields, Int)] = [
            ("/v1/notes/7", [:], 404), ("/v1/notes/x", [:], 400), ("/v1/me", [.authorization: "Bearer wrong"], 401),
            ("/own/brief", [:], 401), ("/own/brief", [.authorization: "Bearer reader"], 403), ("/v1/fail", [:], 500),
            ("/v1/me", [.authorization: "Bearer broken"], 503), ("/v1/notes", [.accept: "text/html"], 406),
            ("/v1/picture", [.range: "bytes=9-"], 416), ("/v1/notes", [.requestTimeout: "x"], 400),
            ("/v1/secret", [:], 405), ("/v1/none", [:], 404), ("/own", [:], 404), ("/own/refuse/404", [:], 404),
            ("/own/refuse/410", [:], 410), ("/own/refuse/429", [:], 429), ("/own/refuse/501", [:], 501),
            ("/own/watched", [.accept: "text/event-stream"], 429),
        ]
        for (path, fields, status) in refused {
            let isPersonal = fields.contains(.authorization) || path == "/v1/me" || path == "/own/brief"
            for method in [HTTPRequest.Method.get, .head] where !fields.contains(.range) || method == .get {
                // A response to `HEAD` has no events.
                if fields[.accept] == "text/event-stream", method == .head { continue }
                let expected = Head(status, isPersonal ? Self.personal : Self.open)
                #expect(try await head(path, fields, method, from: server) == expected, "\(path)")
            }
        }
    }

    @Test(arguments: Server.allCases)
    func `a route decides about its values, which stay private to a principal unless it says otherwise`(server: Server)
        async throws
    {
        let token: HTTPFields = [.authorization: "Bearer editor"]
        try await notebook.dispatch(AddNote(note: Note(id: 1, text: "one")))
        #expect(try await head("/v1/notes/1", from: server) == Head(200, "max-age=60"))
        #expect(try await head("/v1/notes/1", token, from: server) == Head(200, "private, max-age=60"))
        #expect(try await head("/v1/notes/1", [.ifNoneMatch: "*"], from: server) == Head(304, "max-age=60"))
        #expect(try await head("/own/brief", token, from: server) == Head(200, "private, max-age=30"))
        #expect(try await head("/own/shared", token, from: server) == Head(200, "max-age=30, Public"))
        #expect(try await head("/own/unstored", token, from: server) == Head(200, "no-store"))
        #expect(try await head("/own/expiring", token, from: server) == Head(200, "private"))
        #expect(try await head("/own/expiring", from: server) == Head(200, nil))
    }

    @Test(arguments: Server.allCases)
    func `only responses to GET and HEAD say anything`(server: Server) async throws {
        #expect(try await head("/v1/notes", [:], .options, from: server) == Head(204, nil))
        #expect(try await head("/v1/secret", [:], .post, from: server) == Head(401, nil))
        #expect(
            try await head("/v1/notes/7", [.authorization: "Bearer editor"], .delete, from: server) == Head(404, nil)
        )
    }

    @Test(arguments: Server.allCases)
    func `a client's cache validates each value, and has it while the server fails`(server: Server) async throws {
        let origin = Origin(base: try client(server))
        let cache = origin.caching()
        func get(_ fields: HTTPFields = [:]) async throws -> (HTTPResponse, String) {
            let url = try #require(URL(string: "http://notes.example/v1/notes"))
            let (response, body) = try await cache.data(for: HTTPRequest(method: .get, url: url, headerFields: fields))
            return (response, String(decoding: body, as: UTF8.self))
        }
        #expect(try await get().0.cacheStatus?.stored == true)
        let (validated, _) = try await get()
        #expect((validated.status, validated.cacheStatus?.forwardStatus) == (.ok, 304))
        try await notebook.dispatch(AddNote(note: Note(id: 1, text: "one")))
        let changed = #"[{"id":1,"text":"one"}]"#
        #expect(try await get().1 == changed)
        let (refused, _) = try await get([.accept: "text/html"])
        #expect((refused.status, refused.cacheStatus?.stored) == (.notAcceptable, false))
        origin.fails.withLock { $0 = true }
        #expect(try await get().1 == changed)
    }
}

/// The part of a response that concerns caches.
private struct Head: Equatable {
    let status: Int
    let caching: String?

    init(_ status: Int, _ caching: String?) {
        (self.status, self.caching) = (status, caching)
    }
}

// MARK: Messages

private struct Refuse: HTTPQuery {
    typealias Value = Int
    static let route: QueryRoute<Self> = .get("refuse/{status}").throwing(Refused.self)
    let status: Int
}

private struct Refused: HTTPProblem {
    static let problemType = "tag:notes.example,2026:refused"
    let code: Int
    var status: HTTPResponse.Status { HTTPResponse.Status(code: code) }
}

private struct RefuseHandler: QueryHandler {
    func handle(_ query: Refuse) async throws -> Int { throw Refused(code: query.status) }
}

/// A query whose route says what caches may do.
private protocol OwnQuery: HTTPQuery where Value == Int {}

private struct OwnHandler<Own: OwnQuery>: QueryHandler {
    func handle(_ query: Own) async throws -> Int { 1 }
}

private struct Brief: OwnQuery {
    static let route: QueryRoute<Self> = .get("brief").responseHeaders([.cacheControl: "max-age=30"])
}

private struct Shared: OwnQuery {
    static let route: QueryRoute<Self> = .get("shared").responseHeaders([.cacheControl: "max-age=30, Public"])
}

private struct Unstored: OwnQuery {
    static let route: QueryRoute<Self> = .get("unstored").responseHeaders([.cacheControl: "no-store"])
}

private struct Expiring: OwnQuery {
    static let route: QueryRoute<Self> =
        .get("expiring").responseHeaders([.expires: "Sat, 28 Nov 2026 00:00:00 GMT"])
}

private struct Watched: OwnQuery, Hashable {
    static let route: QueryRoute<Self> = .get("watched").live()
}

extension MessageAPI {
    fileprivate static let own = MessageAPI("own") {
        Refuse.authorized(.open)
        Brief.authorized(.scope("notes:remove"))
        Shared.authorized(.principal)
        Unstored.authorized(.principal)
        Expiring.authorized(.open)
        Watched.authorized(.open)
    }
}

// MARK: Clients

private struct ServiceClient: HTTPClient {
    let service: @Sendable (HTTPRequest) -> HTTPService

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        await service(request).respond(to: request, body: body)
    }
}

/// A server that can fail.
private final class Origin: HTTPClient {
    let fails = Mutex(false)
    private let base: any HTTPClient

    init(base: any HTTPClient) {
        self.base = base
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        guard !fails.withLock({ $0 }) else { throw HTTPClientError.connectionFailed(url: "", underlying: Inside()) }
        return try await base.send(request, body: body)
    }
}
