import DuetContext
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import ServiceContextModule
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BearerAuthenticatingHTTPClientTests {
    private let tokens = Tokens()
    private let server: BaseURL

    init() throws {
        server = try BaseURL(#require(URL(string: "https://api.example/v1")))
    }

    @Test func `a request carries the current token`() async throws {
        let stub = StubClient(statuses: 200)
        _ = try await stub.authenticated(by: tokens, at: server).send(request(.post), body: Data("b".utf8))
        #expect(stub.bearers == ["Bearer t1"])
        #expect(stub.sent.first?.body == Data("b".utf8))
        #expect(tokens.refreshes.isEmpty)
    }

    @Test func `without a token nothing is sent in its place`() async throws {
        tokens.set(nil)
        let stub = StubClient(statuses: 200)
        _ = try await stub.authenticated(by: tokens, at: server).send(request())
        #expect(stub.bearers == [nil])
    }

    @Test(arguments: ["GET", "POST"])
    func `a refused token is replaced and the request sent once more`(method: String) async throws {
        let stub = taking("t2")
        let original = request(try #require(HTTPRequest.Method(method)))
        let answered = try await stub.authenticated(by: tokens, at: server).send(original, body: Data("b".utf8))
        #expect(answered.0.status == .ok)
        #expect(stub.bearers == ["Bearer t1", "Bearer t2"])
        #expect(stub.sent.map(\.body) == [Data("b".utf8), Data("b".utf8)])
        #expect(tokens.refreshes == ["t1"])
    }

    @Test func `a replay that is refused too is the answer`() async throws {
        let stub = StubClient(statuses: 401)
        let answered = try await stub.authenticated(by: tokens, at: server).send(request())
        #expect(answered.0.status == .unauthorized)
        #expect(stub.bearers == ["Bearer t1", "Bearer t2"])
        #expect(tokens.refreshes == ["t1"])
    }

    @Test func `where there is no new token the refusal stands`() async throws {
        tokens.refreshing { _ in nil }
        let stub = StubClient(statuses: 401)
        #expect(try await stub.authenticated(by: tokens, at: server).send(request()).0.status == .unauthorized)
        #expect(stub.sent.count == 1)
    }

    @Test(arguments: [403, 407, 200, 500])
    func `other answers refresh nothing`(status: Int) async throws {
        let stub = StubClient(statuses: status)
        _ = try await stub.authenticated(by: tokens, at: server).send(request())
        #expect(stub.sent.count == 1)
        #expect(tokens.refreshes.isEmpty)
    }

    @Test(arguments: [
        "http://api.example/a", "https://api.example:444/a", "https://other.example/",
        "https://api.example.evil.example/",
        "https://api.example@evil.example/", "https://evil.example/?https://api.example/", "https://api.example./",
    ])
    func `tokens go to no other origin`(url: String) async throws {
        let stub = StubClient(statuses: 401)
        _ = try await stub.authenticated(by: tokens, at: server).send(request(.get, url))
        #expect(stub.bearers == [nil])
        #expect(tokens.refreshes.isEmpty)
    }

    @Test(arguments: ["https://api.example:443/a", "HTTPS://API.EXAMPLE/other", "https://user@api.example/"])
    func `one origin can be written in several ways`(url: String) async throws {
        let stub = StubClient(statuses: 200)
        _ = try await stub.authenticated(by: tokens, at: server).send(request(.get, url))
        #expect(stub.bearers == ["Bearer t1"])
    }

    @Test func `credentials that a request has are its own affair`() async throws {
        let stub = StubClient(statuses: 401)
        let own = request(.get, "https://api.example/a", [.authorization: "Basic x"])
        _ = try await stub.authenticated(by: tokens, at: server).send(own)
        #expect(stub.bearers == ["Basic x"])
        #expect(tokens.refreshes.isEmpty)
    }

    @Test func `redirects outside of it take tokens to their origin only`() async throws {
        let stub = StubClient { sent in
            switch sent.number {
            case 1: answer(307, [.location: "https://api.example/b"])
            case 2: answer(307, [.location: "https://other.example/c"])
            default: answer()
            }
        }
        _ = try await stub.authenticated(by: tokens, at: server).followingRedirects().send(request())
        #expect(stub.bearers == ["Bearer t1", "Bearer t1", nil])
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a b", "", "ü", "a\u{0}"])
    func `a token that no field can carry is refused and not told`(token: String) async throws {
        tokens.set(token)
        let stub = StubClient(statuses: 200)
        let error = await #expect(throws: HTTPClientError.self) {
            try await stub.authenticated(by: tokens, at: server).send(request())
        }
        #expect(error?.name == "invalidRequest")
        #expect(token.isEmpty || error?.description.contains(token) == false)
        #expect(stub.sent.isEmpty)
    }

    @Test func `two hundred refusals make one refresh and one replay each`() async throws {
        let gate = Gate()
        let stub = StubClient { sent in
            if sent.request.headerFields[.authorization] == "Bearer t2" { return answer() }
            // None is refused before all have been sent.
            if sent.number == 200 { gate.open() }
            try await gate.pass()
            return answer(401)
        }
        let client = stub.authenticated(by: tokens, at: server)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...200 { group.addTask { try await client.send(request()).0.status.code } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 200))
        #expect(tokens.refreshes == ["t1"])
        #expect(stub.bearers.count { $0 == "Bearer t1" } == 200)
        #expect(stub.bearers.count { $0 == "Bearer t2" } == 200)
    }

    @Test func `a refusal that comes late finds the newer token`() async throws {
        let gate = Gate()
        let stub = StubClient { sent in
            if sent.request.headerFields[.authorization] == "Bearer t2" { return answer() }
            if sent.number == 1 { try await gate.pass() }
            return answer(401)
        }
        let client = stub.authenticated(by: tokens, at: server)
        let late = Task { try await client.send(request()).0.status }
        await gate.arrivals(1)
        #expect(try await client.send(request()).0.status == .ok)
        gate.open()
        #expect(try await late.value == .ok)
        #expect(tokens.refreshes == ["t1"])
    }

    @Test func `a refresh that fails fails all who wait, once, and the next request may try again`() async throws {
        let failing = Gate()
        tokens.refreshing { _ in
            try await failing.pass()
            throw Unplugged(number: 1)
        }
        let stub = StubClient(statuses: 401)
        let client = stub.authenticated(by: tokens, at: server)
        let errors = try await withThrowingTaskGroup(of: Unplugged?.self) { group in
            for _ in 1...50 {
                group.addTask {
                    do {
                        _ = try await client.send(request())
                        return nil
                    } catch { return error as? Unplugged }
                }
            }
            // None is told before all wait.
            try await until { client.waiting == 50 }
            failing.open()
            return try await group.reduce(into: [Unplugged?]()) { $0.append($1) }
        }
        #expect(errors == Array(repeating: Unplugged(number: 1), count: 50))
        #expect(tokens.refreshes == ["t1"])
        // None was sent again.
        #expect(stub.sent.count == 50)

        tokens.refreshing { _ in nil }
        #expect(try await client.send(request()).0.status == .unauthorized)
        #expect(tokens.refreshes == ["t1", "t1"])
    }

    @Test func `who is cancelled leaves, and the refresh goes on for the others`() async throws {
        let gate = Gate()
        tokens.refreshing { _ in
            try await gate.pass()
            return "t2"
        }
        let stub = taking("t2")
        let client = stub.authenticated(by: tokens, at: server)
        let first = Task { try await client.send(request()).0.status }
        await gate.arrivals(1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { try await client.send(request()).0.status }
        try await until { client.waiting == 1 }
        gate.open()
        #expect(try await second.value == .ok)
        #expect(tokens.refreshes == ["t1"])
    }

    @Test func `a refresh that nobody waits for any longer is not lost`() async throws {
        let gate = Gate()
        tokens.refreshing { _ in
            try await gate.pass()
            return Task.isCancelled ? "cancelled" : "t2"
        }
        let stub = taking("t2")
        let client = stub.authenticated(by: tokens, at: server)
        let only = Task { try await client.send(request()).0.status }
        await gate.arrivals(1)
        only.cancel()
        await #expect(throws: CancellationError.self) { try await only.value }
        gate.open()
        #expect(try await client.send(request()).0.status == .ok)
        #expect(tokens.refreshes == ["t1"])
    }

    @Test func `a cancelled request refreshes nothing`() async throws {
        let stub = StubClient(statuses: 401)
        let client = stub.authenticated(by: tokens, at: server)
        let result = await cancelled { try await client.send(request()).0 }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(tokens.refreshes.isEmpty)
    }

    @Test func `a refresh has nothing of the request that caused it`() async throws {
        let seen = Mutex<(String?, Bool)>(("", true))
        tokens.refreshing { _ in
            seen.withLock { $0 = (HTTPRequestOptions.current.messageName, ServiceContext.current?.deadline != nil) }
            return "t2"
        }
        var options = HTTPRequestOptions()
        options.messageName = "LikeVideo"
        let client = taking("t2").authenticated(by: tokens, at: server).deadline(.seconds(9), clock: ManualClock())
        #expect(try await options.use { try await client.send(request()).0.status } == .ok)
        #expect(seen.withLock { $0.0 } == nil)
        #expect(seen.withLock { $0.1 } == false)
    }

    @Test func `no description shows a token`() {
        let client = StubClient(statuses: 200).authenticated(by: FixedToken(token: "s3cret"), at: server)
        var dumped = ""
        dump(client, to: &dumped)
        for text in ["\(client)", String(reflecting: client), dumped, "\(client.layers)"] {
            #expect(!text.contains("s3cret"))
        }
    }

    private func taking(_ token: String) -> StubClient {
        StubClient { answer($0.request.headerFields[.authorization] == "Bearer \(token)" ? 200 : 401) }
    }
}

/// The tokens t1, t2, … one after the other.
private final class Tokens: TokenSource {
    typealias Refresh = @Sendable @concurrent (_ rejected: String?) async throws -> String?

    private struct State {
        var current: String? = "t1"
        var refreshes: [String?] = []
        var refresh: Refresh?
    }

    private let state = Mutex(State())

    var refreshes: [String?] { state.withLock { $0.refreshes } }

    func set(_ token: String?) { state.withLock { $0.current = token } }

    func refreshing(_ refresh: @escaping Refresh) { state.withLock { $0.refresh = refresh } }

    func current() async throws -> String? { state.withLock { $0.current } }

    func refresh(replacing rejected: String?) async throws -> String? {
        let refresh = state.withLock { state in
            state.refreshes.append(rejected)
            return state.refresh
        }
        let number = state.withLock { $0.refreshes.count + 1 }
        let token = if let refresh { try await refresh(rejected) } else { "t\(number)" as String? }
        set(token)
        return token
    }
}

private struct FixedToken: TokenSource {
    let token: String

    func current() async throws -> String? { token }
    func refresh(replacing rejected: String?) async throws -> String? { nil }
}

extension StubClient {
    fileprivate var bearers: [String?] { sent.map { $0.request.headerFields[.authorization] } }
}
