import DuetContext
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import ServiceContextModule
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LoginTokenSourceTests {
    private let server: BaseURL

    init() throws {
        server = try BaseURL(#require(URL(string: "https://api.example/v1")))
    }

    @Test func `two hundred first requests cause one login`() async throws {
        let (loggingIn, count) = (Gate(), Counter())
        let tokens = LoginTokenSource {
            let number = count.next()
            try await loggingIn.pass()
            return "t\(number)"
        }
        let stub = StubClient(statuses: 200)
        let client = stub.authenticated(by: tokens, at: server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...200 { group.addTask { _ = try await client.data(for: request()) } }
            await loggingIn.arrivals(1)
            loggingIn.open()
            try await group.waitForAll()
        }
        #expect(count.value == 1)
        #expect(stub.bearers == Array(repeating: "Bearer t1", count: 200))
    }

    @Test func `a rejected token leads to one login for all requests`() async throws {
        let count = Counter()
        let tokens = LoginTokenSource { "t\(count.next())" }
        let refused = Gate()
        let stub = StubClient { sent in
            if sent.request.headerFields[.authorization] == "Bearer t2" { return answer() }
            if sent.number == 50 { refused.open() }
            try await refused.pass()
            return answer(401)
        }
        let client = stub.authenticated(by: tokens, at: server)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...50 { group.addTask { try await client.data(for: request()).0.status.code } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(count.value == 2)
    }

    @Test func `one source serves several clients with one login`() async throws {
        let (loggingIn, count) = (Gate(), Counter())
        let tokens = LoginTokenSource {
            let number = count.next()
            try await loggingIn.pass()
            return "t\(number)"
        }
        let server = server
        let bearers = try await withThrowingTaskGroup(of: [String?].self) { group in
            for _ in 1...10 {
                group.addTask {
                    let stub = StubClient(statuses: 200)
                    _ = try await stub.authenticated(by: tokens, at: server).data(for: request())
                    return stub.bearers
                }
            }
            await loggingIn.arrivals(1)
            loggingIn.open()
            return try await group.reduce(into: [String?]()) { $0 += $1 }
        }
        #expect(bearers == Array(repeating: "Bearer t1", count: 10))
    }

    @Test func `after a failed login, the next request tries again`() async throws {
        let count = Counter()
        let tokens = LoginTokenSource {
            let number = count.next()
            guard number > 1 else { throw Unplugged(number: number) }
            return "t\(number)"
        }
        let stub = StubClient(statuses: 200)
        let client = stub.authenticated(by: tokens, at: server)
        let error = await #expect(throws: TokenUnavailable.self) { try await client.data(for: request()) }
        #expect(error?.underlying as? Unplugged == Unplugged(number: 1))
        #expect(try await client.data(for: request()).0.status == .ok)
        #expect(stub.bearers == ["Bearer t2"])
    }

    @Test func `a login has no options of the request, and continues when the request is canceled`() async throws {
        let loggingIn = Gate()
        let tokens = LoginTokenSource {
            try await loggingIn.pass()
            return Task.isCancelled || ServiceContext.current?.deadline != nil ? "t0" : "t1"
        }
        let stub = StubClient(statuses: 200)
        let client = stub.authenticated(by: tokens, at: server).deadline(.seconds(9), clock: ManualClock())
        let first = Task { try await client.data(for: request()).0.status }
        await loggingIn.arrivals(1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        loggingIn.open()
        #expect(try await client.data(for: request()).0.status == .ok)
        #expect(stub.bearers == ["Bearer t1"])
    }

    @Test func `no description shows a token`() async throws {
        let tokens = LoginTokenSource { "s3cret" }
        #expect(try await tokens.current() == "s3cret")
        var dumped = ""
        dump(tokens, to: &dumped)
        #expect(!"\(tokens) \(String(reflecting: tokens)) \(dumped)".contains("s3cret"))
    }
}

/// Counts its calls.
private final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
