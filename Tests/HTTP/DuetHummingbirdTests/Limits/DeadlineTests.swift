import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import InMemoryLogging
import Logging
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DeadlineTests {
    private let notebook = Notebook()
    private let clock = ManualClock()

    private func client(_ maximum: Duration? = nil) throws -> RouterHTTPClient<RouterResponder<BasicRequestContext>> {
        RouterHTTPClient(try Router.notes(notebook, options: MountOptions(maximumDuration: maximum, clock: clock)))
    }

    @Test(arguments: [(100, nil), (100, 200), (200, 100)] as [(Int, Int?)])
    func `a handler is canceled when the time that the client or the server allows is up`(asked: Int, maximum: Int?)
        async throws
    {
        let client = try client(maximum.map { .milliseconds($0) })
        async let answer = client.ask(.get, "/v1/wait", [.requestTimeout: "\(asked)"])
        #expect(await clock.nextSleeper() == .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        let problem = try await answer
        #expect(problem.status == 504)
        #expect(problem.problem != nil)
        #expect(await notebook.events.first { $0 != "waiting" } == "canceled")
    }

    @Test
    func `a handler that is in time provides the response`() async throws {
        let client = try client(.seconds(1))
        async let answer = client.ask(.get, "/v1/wait")
        _ = await clock.nextSleeper()
        clock.advance(by: .milliseconds(999))
        notebook.gate.open()
        let status = try await answer.status
        #expect(status == 200)
    }

    @Test
    func `handlers know the deadline`() async throws {
        #expect(try await client().ask(.get, "/v1/me", [.requestTimeout: "1000"]).text.contains(#""hasDeadline":true"#))
        #expect(try await client(.seconds(1)).ask(.get, "/v1/me").text.contains(#""hasDeadline":true"#))
        #expect(try await client().ask(.get, "/v1/me").text.contains(#""hasDeadline":false"#))
    }

    @Test
    func `a timeout of zero is 504`() async throws {
        #expect(try await client().ask(.get, "/v1/notes", [.requestTimeout: "0"]).status == 504)
        #expect(notebook.dispatched == [])
    }

    @Test(arguments: ["", "x", "-1", "+1", "1.5", "1 s", "1234567890123456"])
    func `a timeout that is not a number of milliseconds is a bad request`(value: String) async throws {
        #expect(try await client().ask(.get, "/v1/notes", [.requestTimeout: value]).status == 400)
        #expect(notebook.dispatched == [])
    }

    @Test
    func `the longest possible timeout is accepted`() async throws {
        #expect(try await client().ask(.get, "/v1/notes", [.requestTimeout: "999999999999999"]).status == 200)
    }

    @Test
    func `the time includes the check of the token`() async throws {
        let (router, authenticator) = (Router(), GatedAuthenticator())
        let options = MountOptions(maximumDuration: .milliseconds(100), clock: clock)
        try router.mount(.notes, notebook, authenticator: authenticator, options: options)
        let client = RouterHTTPClient(router)
        async let answer = client.ask(.get, "/v1/me", [.authorization: "Bearer x"])
        #expect(await clock.nextSleeper() == .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        let status = try await answer.status
        #expect(status == 504)
        #expect(await authenticator.events.first { $0 != "waiting" } == "canceled")
    }

    @Test
    func `the time includes the creation of the dispatcher`() async throws {
        let (router, gate) = (Router(), Gate())
        let options = MountOptions(maximumDuration: .milliseconds(100), clock: clock)
        try router.mount(.notes, authenticator: Tokens(), options: options) { [notebook] _, _ in
            try await gate.pass()
            return notebook
        }
        let client = RouterHTTPClient(router)
        async let answer = client.ask(.get, "/v1/notes")
        #expect(await clock.nextSleeper() == .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        let status = try await answer.status
        #expect(status == 504)
    }

    @Test
    func `an error after the time is up is logged, and a cancellation is not`() async throws {
        for (error, lines) in [(Inside(), 1), (CancellationError(), 0)] as [(any Error, Int)] {
            let (router, log) = (Router(), InMemoryLogHandler())
            let options = MountOptions(maximumDuration: .milliseconds(100), clock: clock)
            try router.mount(.notes, authenticator: Tokens(), options: options) { _, _ in
                do { try await Gate().pass() } catch { /* It was canceled, and fails with this: */  }
                throw error
            }
            let client = RouterHTTPClient(router, logger: Logger(label: "test") { _ in log })
            async let answer = client.ask(.get, "/v1/notes")
            _ = await clock.nextSleeper()
            clock.advance(by: .milliseconds(100))
            let status = try await answer.status
            #expect(status == 504)
            #expect(log.entries.count == lines)
        }
    }

    @Test(arguments: [nil, 1_000])
    func `a handler that throws CancellationError without being canceled is at fault`(milliseconds: Int?) async throws {
        let (router, log) = (Router(), InMemoryLogHandler())
        let options = MountOptions(maximumDuration: milliseconds.map { .milliseconds($0) }, clock: clock)
        try router.mount(.notes, authenticator: Tokens(), options: options) { _, _ in throw CancellationError() }
        let client = RouterHTTPClient(router, logger: Logger(label: "test") { _ in log })
        #expect(try await client.ask(.get, "/v1/notes").status == 500)
        #expect(log.entries.count == 1)
    }
}
