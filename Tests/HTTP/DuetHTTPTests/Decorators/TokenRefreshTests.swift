import Duet
import DuetContext
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import ServiceContextModule
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TokenRefreshTests {
    private let tokens = Tokens()
    private let server: BaseURL

    init() throws {
        server = try BaseURL(#require(URL(string: "https://api.example/v1")))
    }

    @Test func `two hundred rejections cause one refresh and one replay each`() async throws {
        let gate = Gate()
        let stub = StubClient { sent in
            if sent.request.headerFields[.authorization] == "Bearer t2" { return answer() }
            // No request is refused before all have been sent.
            if sent.number == 200 { gate.open() }
            try await gate.pass()
            return answer(401)
        }
        let client = stub.authenticated(by: tokens, at: server)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...200 { group.addTask { try await client.data(for: request()).0.status.code } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 200))
        #expect(tokens.refreshes == ["t1"])
        #expect(stub.bearers.count { $0 == "Bearer t1" } == 200)
        #expect(stub.bearers.count { $0 == "Bearer t2" } == 200)
    }

    @Test func `a late rejection finds the newer token`() async throws {
        let gate = Gate()
        let stub = StubClient { sent in
            if sent.request.headerFields[.authorization] == "Bearer t2" { return answer() }
            if sent.number == 1 { try await gate.pass() }
            return answer(401)
        }
        let client = stub.authenticated(by: tokens, at: server)
        let late = Task { try await client.data(for: request()).0.status }
        await gate.arrivals(1)
        #expect(try await client.data(for: request()).0.status == .ok)
        gate.open()
        #expect(try await late.value == .ok)
        #expect(tokens.refreshes == ["t1"])
    }

    @Test func `a failed refresh fails all waiting requests once, and the next request tries again`() async throws {
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
                        _ = try await client.data(for: request())
                        return nil
                    } catch { return (error as? TokenUnavailable)?.underlying as? Unplugged }
                }
            }
            // No request is resumed before all wait.
            try await until { client.waiting == 50 }
            failing.open()
            return try await group.reduce(into: [Unplugged?]()) { $0.append($1) }
        }
        #expect(errors == Array(repeating: Unplugged(number: 1), count: 50))
        #expect(tokens.refreshes == ["t1"])
        // No request was sent again.
        #expect(stub.sent.count == 50)

        tokens.refreshing { _ in nil }
        #expect(try await client.data(for: request()).0.status == .unauthorized)
        #expect(tokens.refreshes == ["t1", "t1"])
    }

    @Test func `a canceled request leaves, and the refresh continues for the others`() async throws {
        let gate = Gate()
        tokens.refreshing { _ in
            try await gate.pass()
            return "t2"
        }
        let stub = StubClient.taking("t2")
        let client = stub.authenticated(by: tokens, at: server)
        let first = Task { try await client.data(for: request()).0.status }
        await gate.arrivals(1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { try await client.data(for: request()).0.status }
        try await until { client.waiting == 1 }
        gate.open()
        #expect(try await second.value == .ok)
        #expect(tokens.refreshes == ["t1"])
    }

    @Test func `a refresh without waiting requests is not lost`() async throws {
        let gate = Gate()
        tokens.refreshing { _ in
            try await gate.pass()
            return Task.isCancelled ? "canceled" : "t2"
        }
        let stub = StubClient.taking("t2")
        let client = stub.authenticated(by: tokens, at: server)
        let only = Task { try await client.data(for: request()).0.status }
        await gate.arrivals(1)
        only.cancel()
        await #expect(throws: CancellationError.self) { try await only.value }
        gate.open()
        #expect(try await client.data(for: request()).0.status == .ok)
        #expect(tokens.refreshes == ["t1"])
    }

    @Test func `a canceled request refreshes nothing`() async throws {
        let stub = StubClient(statuses: 401)
        let client = stub.authenticated(by: tokens, at: server)
        let result = await canceled { try await client.data(for: request()).0 }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(tokens.refreshes.isEmpty)
    }

    @Test func `a refresh has no options of the request that caused it`() async throws {
        let seen = Mutex<(String?, Bool)>(("", true))
        tokens.refreshing { _ in
            seen.withLock { $0 = (HTTPRequestOptions.current.messageName, ServiceContext.current?.deadline != nil) }
            return "t2"
        }
        var options = HTTPRequestOptions()
        options.messageName = "LikeVideo"
        let client = StubClient.taking("t2").authenticated(by: tokens, at: server).deadline(
            .seconds(9),
            clock: ManualClock()
        )
        #expect(try await options.use { try await client.data(for: request()).0.status } == .ok)
        #expect(seen.withLock { $0.0 } == nil)
        #expect(seen.withLock { $0.1 } == false)
    }

    @Test func `a source knows the principal of the request, for a token and for a refresh`() async throws {
        let seen = Mutex<[String?]>([])
        struct Source: TokenSource {
            let note: @Sendable () -> Void
            func current() async throws -> String? {
                note()
                return "t1"
            }
            func refresh(replacing rejected: String?) async throws -> String? {
                note()
                return "t2"
            }
        }
        let source = Source { seen.withLock { $0.append(Principal.current?.id) } }
        let client = StubClient.taking("t2").authenticated(by: source, at: server)
        let status = try await withPrincipal(Principal(id: "ada")) {
            try await client.data(for: request()).0.status
        }
        #expect(status == .ok)
        #expect(seen.withLock(\.self) == ["ada", "ada", "ada"])
    }

    @Test func `a failed refresh is not a failed attempt, so a retry sends nothing again and refreshes once`()
        async throws
    {
        let refused = Gate()
        let failing = Gate()
        tokens.refreshing { _ in
            try await failing.pass()
            throw HTTPClientError.unplugged()
        }
        let stub = StubClient { sent in
            if sent.number == 200 { refused.open() }
            try await refused.pass()
            return answer(401)
        }
        let client = stub.authenticated(by: tokens, at: server)
            .retrying(HTTPRetryPolicy(backoff: .constant(.zero), budget: .unlimited))
        // One after the other: all refused requests wait before the refresh may fail.
        let failures = await withTaskExecutorPreference(SerialTaskExecutor()) {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 1...200 {
                    group.addTask {
                        do {
                            _ = try await client.data(for: request())
                            return false
                        } catch { return error is TokenUnavailable }
                    }
                }
                await failing.arrivals(1)
                failing.open()
                return await group.reduce(into: 0) { if $1 { $0 += 1 } }
            }
        }
        #expect(failures == 200)
        #expect(stub.sent.count == 200)
        #expect(tokens.refreshes == ["t1"])
    }

    @Test func `a request that was rejected with the refreshed token gets another one`() async throws {
        let (refreshing, refused) = (Gate(), Gate())
        let tokens = tokens
        tokens.refreshing { rejected in
            guard rejected == "t1" else { return "t3" }
            // Stored before it is returned: a request may use it, and be refused, while others still wait for it.
            tokens.set("t2")
            try await refreshing.pass()
            return "t2"
        }
        let stub = StubClient { sent in
            switch sent.request.headerFields[.authorization] {
            case "Bearer t3": return answer()
            case "Bearer t2" where sent.request.path == "/second":
                try await refused.pass()
                return answer(401)
            default: return answer(401)
            }
        }
        let client = stub.authenticated(by: tokens, at: server)
        let executor = SerialTaskExecutor()
        let statuses = try await withTaskExecutorPreference(executor) {
            let first = Task(executorPreference: executor) {
                try await client.data(for: request(.get, "https://api.example/first")).0.status.code
            }
            await refreshing.arrivals(1)
            let second = Task(executorPreference: executor) {
                try await client.data(for: request(.get, "https://api.example/second")).0.status.code
            }
            await refused.arrivals(1)
            refused.open()
            // It waits together with the first when this returns.
            await Task.yield()
            refreshing.open()
            return [try await first.value, try await second.value]
        }
        #expect(statuses == [401, 200])
        #expect(tokens.refreshes == ["t1", "t2"])
    }

    @Test func `a source that returns the rejected token again has none`() async throws {
        tokens.refreshing { _ in "t1" }
        let stub = StubClient(statuses: 401)
        #expect(try await stub.authenticated(by: tokens, at: server).data(for: request()).0.status == .unauthorized)
        #expect(stub.sent.count == 1)
        #expect(tokens.refreshes == ["t1"])
    }
}
