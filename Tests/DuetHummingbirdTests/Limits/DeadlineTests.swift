import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DeadlineTests {
    private let notebook = Notebook()
    private let clock = ManualClock()

    private func client(_ maximum: Duration? = nil) throws -> RouterHTTPClient<RouterResponder<BasicRequestContext>> {
        RouterHTTPClient(try Router.notes(notebook, options: MountOptions(maximumDuration: maximum, clock: clock)))
    }

    @Test(arguments: [(100, nil), (100, 200), (200, 100)] as [(Int, Int?)])
    func `a handler is cancelled when the time is up that the client or the server gives it`(asked: Int, maximum: Int?)
        async throws
    {
        let client = try client(maximum.map { .milliseconds($0) })
        async let answer = client.ask(.get, "/v1/wait", [.requestTimeout: "\(asked)"])
        #expect(await clock.nextSleeper() == .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        let problem = try await answer
        #expect(problem.status == 504)
        #expect(problem.problem != nil)
        #expect(await notebook.events.first { $0 != "waiting" } == "cancelled")
    }

    @Test
    func `a long time is waited for in short naps`() async throws {
        let client = try client(.milliseconds(2_500))
        async let answer = client.ask(.get, "/v1/wait")
        for nap in [1_000, 1_000, 500] {
            #expect(await clock.nextSleeper() == .milliseconds(nap))
            clock.advance(by: .milliseconds(nap))
        }
        let status = try await answer.status
        #expect(status == 504)
    }

    @Test
    func `a handler that is in time is answered for`() async throws {
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
    func `no time at all is too little`() async throws {
        #expect(try await client().ask(.get, "/v1/notes", [.requestTimeout: "0"]).status == 504)
        #expect(notebook.dispatched == [])
    }

    @Test(arguments: ["", "x", "-1", "+1", "1.5", "1 s", "1234567890123456"])
    func `what is no number of milliseconds is a bad request`(value: String) async throws {
        #expect(try await client().ask(.get, "/v1/notes", [.requestTimeout: value]).status == 400)
        #expect(notebook.dispatched == [])
    }

    @Test
    func `the longest time that can be asked for is understood`() async throws {
        #expect(try await client().ask(.get, "/v1/notes", [.requestTimeout: "999999999999999"]).status == 200)
    }
}
