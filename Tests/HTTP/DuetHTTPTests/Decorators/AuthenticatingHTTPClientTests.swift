import Duet
import DuetContext
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import ServiceContextModule
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AuthenticatingHTTPClientTests {
    private let tokens = Tokens()
    private let server: BaseURL

    init() throws {
        server = try BaseURL(#require(URL(string: "https://api.example/v1")))
    }

    @Test func `a request carries the current token`() async throws {
        let stub = StubClient(statuses: 200)
        _ = try await stub.authenticated(by: tokens, at: server).data(for: request(.post), body: Data("b".utf8))
        #expect(stub.bearers == ["Bearer t1"])
        #expect(stub.sent.first?.body == Data("b".utf8))
        #expect(tokens.refreshes.isEmpty)
    }

    // The first two are the examples of RFC 7617; the last is the decomposed form of the one before.
    @Test(arguments: [
        ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123\u{A3}", "dGVzdDoxMjPCow=="),
        ("", ":", "Ojo="), ("\u{E9}", "", "w6k6"), ("e\u{301}", "", "w6k6"),
    ])
    func `a user and a password are sent for Basic authentication, to one origin`(
        user: String,
        password: String,
        credentials: String
    ) async throws {
        let stub = StubClient(statuses: 401)
        let client = stub.authenticated(by: .basic(user: user, password: password), at: server)
        #expect(try await client.data(for: request()).0.status == .unauthorized)
        var foreign = request()
        foreign.authority = "other.example"
        _ = try await client.data(for: foreign)
        #expect(stub.bearers == ["Basic \(credentials)", nil])
        #expect(client.summary == "basic token")
        #expect(!"\(client)\(String(reflecting: client))".contains(credentials))
    }

    @Test(arguments: [("a:b", "c", "a colon"), ("a", "b\nc", "control characters"), ("a\u{7F}", "b", "control")])
    func `a user and a password that cannot be sent fail the request`(
        user: String,
        password: String,
        fault: String
    ) async throws {
        let stub = StubClient(statuses: 200)
        let client = stub.authenticated(by: .basic(user: user, password: password), at: server)
        let error = await #expect(throws: TokenUnavailable.self) { try await client.data(for: request()) }
        #expect(error?.description.contains(fault) == true)
        #expect(error?.description.contains(user) == false || user.count == 1)
        #expect(stub.sent.isEmpty)
    }

    @Test func `without a token nothing is sent in its place`() async throws {
        tokens.set(nil)
        let stub = StubClient(statuses: 200)
        _ = try await stub.authenticated(by: tokens, at: server).data(for: request())
        #expect(stub.bearers == [nil])
    }

    @Test(arguments: ["GET", "POST"])
    func `a rejected token is replaced, and the request is sent once more`(method: String) async throws {
        let stub = StubClient.taking("t2")
        let original = request(try #require(HTTPRequest.Method(method)))
        let answered = try await stub.authenticated(by: tokens, at: server).data(for: original, body: Data("b".utf8))
        #expect(answered.0.status == .ok)
        #expect(stub.bearers == ["Bearer t1", "Bearer t2"])
        #expect(stub.sent.map(\.body) == [Data("b".utf8), Data("b".utf8)])
        #expect(tokens.refreshes == ["t1"])
    }

    @Test func `a second rejection is the response`() async throws {
        let stub = StubClient(statuses: 401)
        let answered = try await stub.authenticated(by: tokens, at: server).data(for: request())
        #expect(answered.0.status == .unauthorized)
        #expect(stub.bearers == ["Bearer t1", "Bearer t2"])
        #expect(tokens.refreshes == ["t1"])
    }

    @Test func `without a new token the rejection is the response`() async throws {
        tokens.refreshing { _ in nil }
        let stub = StubClient(statuses: 401)
        #expect(try await stub.authenticated(by: tokens, at: server).data(for: request()).0.status == .unauthorized)
        #expect(stub.sent.count == 1)
    }

    @Test(arguments: [403, 407, 200, 500])
    func `other responses refresh nothing`(status: Int) async throws {
        let stub = StubClient(statuses: status)
        _ = try await stub.authenticated(by: tokens, at: server).data(for: request())
        #expect(stub.sent.count == 1)
        #expect(tokens.refreshes.isEmpty)
    }

    @Test(arguments: [(401, true), (403, true), (400, false)])
    func `an API can reject a token with other statuses`(status: Int, isRefreshed: Bool) async throws {
        let stub = StubClient { answer($0.request.headerFields[.authorization] == "Bearer t2" ? 200 : status) }
        let client = stub.authenticated(by: tokens, at: server, refreshingOn: [401, 403])
        #expect(try await client.data(for: request()).0.status.code == (isRefreshed ? 200 : status))
        #expect(tokens.refreshes == (isRefreshed ? ["t1"] : []))
    }

    @Test func `a failed source fails the request before it is sent, with a separate error`() async throws {
        let stub = StubClient(statuses: 200)
        let failing = FailingTokens(error: HTTPClientError.unplugged())
        let client = stub.authenticated(by: failing, at: server).retrying(HTTPRetryPolicy(backoff: .constant(.zero)))
        let error = await #expect(throws: TokenUnavailable.self) { try await client.data(for: request()) }
        #expect((error?.underlying as? HTTPClientError)?.name == "connectionFailed")
        #expect(error?.description.hasPrefix("No token for the request: No response from") == true)
        #expect(error?.description.contains("..") == false)
        let cancelled = stub.authenticated(by: FailingTokens(error: CancellationError()), at: server)
        await #expect(throws: CancellationError.self) { try await cancelled.data(for: request()) }
        #expect(stub.sent.isEmpty)
    }

    @Test func `a token source has no options of the request`() async throws {
        let source = NosyTokens()
        var options = HTTPRequestOptions()
        options.messageName = "LikeVideo"
        options.maximumBodySize = 10
        let stub = StubClient(statuses: 200)
        let client = stub.authenticated(by: source, at: server).deadline(.seconds(9), clock: ManualClock())
        _ = try await options.use { try await client.data(for: request()).0 }
        #expect(source.seen == [NosyTokens.Seen(message: nil, bodyLimit: nil, hasDeadline: false)])
        #expect(stub.sent.map(\.options.messageName) == ["LikeVideo"])
        #expect(stub.sent.map(\.timeLeft) == [.seconds(9)])
    }

    @Test(arguments: [
        "http://api.example/a", "https://api.example:444/a", "https://other.example/",
        "https://api.example.evil.example/",
        "https://api.example@evil.example/", "https://evil.example/?https://api.example/", "https://api.example./",
    ])
    func `tokens go to no other origin`(url: String) async throws {
        let stub = StubClient(statuses: 401)
        _ = try await stub.authenticated(by: tokens, at: server).data(for: request(.get, url))
        #expect(stub.bearers == [nil])
        #expect(tokens.refreshes.isEmpty)
    }

    @Test(arguments: ["https://api.example:443/a", "HTTPS://API.EXAMPLE/other", "https://user@api.example/"])
    func `one origin can be written in several ways`(url: String) async throws {
        let stub = StubClient(statuses: 200)
        _ = try await stub.authenticated(by: tokens, at: server).data(for: request(.get, url))
        #expect(stub.bearers == ["Bearer t1"])
    }

    @Test func `credentials that a request already has are kept`() async throws {
        let stub = StubClient(statuses: 401)
        let own = request(.get, "https://api.example/a", [.authorization: "Basic x"])
        _ = try await stub.authenticated(by: tokens, at: server).data(for: own)
        #expect(stub.bearers == ["Basic x"])
        #expect(tokens.refreshes.isEmpty)
    }

    @Test(arguments: [ConstantTokenSource.bearer("t1"), .basic(user: "ada", password: "secret")], [true, false])
    func `redirects take credentials to their origin only`(source: ConstantTokenSource, isOutside: Bool) async throws {
        let stub = StubClient { sent in
            switch sent.number {
            case 1: answer(307, [.location: "https://api.example/b"])
            case 2: answer(307, [.location: "https://other.example/c"])
            default: answer(401)
            }
        }
        let client: any HTTPClient =
            isOutside
            ? stub.authenticated(by: source, at: server).followingRedirects()
            : stub.followingRedirects().authenticated(by: source, at: server)
        #expect(try await client.data(for: request()).0.status == .unauthorized)
        let credentials = source.scheme == "Basic" ? "Basic YWRhOnNlY3JldA==" : "Bearer t1"
        #expect(stub.bearers == [credentials, credentials, nil])
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a b", "", "ü", "a\u{0}"])
    func `a token that is not a valid field value is refused and not shown`(token: String) async throws {
        tokens.set(token)
        let stub = StubClient(statuses: 200)
        let error = await #expect(throws: HTTPClientError.self) {
            try await stub.authenticated(by: tokens, at: server).data(for: request())
        }
        #expect(error?.name == "invalidRequest")
        #expect(token.isEmpty || error?.description.contains(token) == false)
        #expect(stub.sent.isEmpty)
    }

    @Test func `without a named server, tokens go to the server of the dispatcher`() async throws {
        let stub = StubClient(statuses: 200)
        let client = stub.authenticated(by: .bearer("s3cret"))
        _ = try await HTTPDispatcher(baseURL: server, client: client).dispatch(Ping())
        #expect(stub.bearers == ["Bearer s3cret"])
        let error = await #expect(throws: HTTPClientError.self) { try await client.data(for: request()) }
        #expect(error?.description.contains("no dispatcher sends it") == true)
        #expect(stub.sent.count == 1)
    }

    @Test func `without a named server, tokens go to one dispatcher's server only`() async throws {
        let stub = StubClient(statuses: 200)
        let client = stub.authenticated(by: .bearer("s3cret"))
        let other = try BaseURL("https://elsewhere.example")
        _ = try await HTTPDispatcher(baseURL: server, client: client).dispatch(Ping())
        let error = await #expect(throws: HTTPClientError.self) {
            _ = try await HTTPDispatcher(baseURL: other, client: client).dispatch(Ping())
        }
        #expect(error?.description.contains("for the server of another dispatcher") == true)
        _ = try await HTTPDispatcher(baseURL: server, client: client).dispatch(Ping())
        #expect(stub.sent.map(\.request.authority) == ["api.example", "api.example"])
    }

    @Test func `without a named server, tokens do not follow a redirect to another origin`() async throws {
        let stub = StubClient { sent in
            sent.number == 1 ? answer(307, [.location: "https://elsewhere.example/"]) : answer()
        }
        let client = stub.authenticated(by: .bearer("s3cret")).followingRedirects()
        _ = try await HTTPDispatcher(baseURL: server, client: client).dispatch(Ping())
        #expect(stub.sent.map(\.request.authority) == ["api.example", "elsewhere.example"])
        #expect(stub.bearers == ["Bearer s3cret", nil])
    }

    @Test func `a rejected constant token is the server's response`() async throws {
        let stub = StubClient(statuses: 401)
        let (response, _) = try await stub.authenticated(by: .bearer("s3cret"), at: server).data(for: request())
        #expect(response.status == .unauthorized)
        #expect(stub.bearers == ["Bearer s3cret"])
    }

    @Test func `no description shows a token`() {
        let source = ConstantTokenSource("s3cret")
        let client = StubClient(statuses: 200).authenticated(by: source, at: server)
        var dumped = ""
        dump(client, to: &dumped)
        dump(source, to: &dumped)
        let texts = ["\(client)", String(reflecting: client), dumped, "\(client.layers)"]
        for text in texts + ["\(source)", String(reflecting: source)] { #expect(!text.contains("s3cret")) }
    }
}

/// A message for the server of the dispatcher.
private struct Ping: HTTPQuery {
    typealias Value = HTTPBytes
    static let route: QueryRoute<Self> = .get("ping")
}

private struct FailingTokens: TokenSource {
    let error: any Error

    func current() async throws -> String? { throw error }
    func refresh(replacing rejected: String?) async throws -> String? { throw error }
}

/// Records the values of the task that calls it.
private final class NosyTokens: TokenSource {
    struct Seen: Equatable {
        let message: String?
        let bodyLimit: Int?
        let hasDeadline: Bool
    }

    private let notes = Mutex<[Seen]>([])

    var seen: [Seen] { notes.withLock { $0 } }

    func current() async throws -> String? {
        let options = HTTPRequestOptions.current
        let seen = Seen(
            message: options.messageName,
            bodyLimit: options.maximumBodySize,
            hasDeadline: ServiceContext.current?.deadline != nil
        )
        notes.withLock { $0.append(seen) }
        return "t"
    }

    func refresh(replacing rejected: String?) async throws -> String? { nil }
}
