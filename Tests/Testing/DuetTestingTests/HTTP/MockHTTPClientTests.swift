import Duet
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MockHTTPClientTests {
    private let client = MockHTTPClient()

    @Test
    func `the response to an expected request has its status, fields and content`() async throws {
        client.expect(.get, "/notes?after=7", headers: [.eTag: "\"1\""], json: #"["one"]"#)
        client.expect(.post, "/notes", status: .created, body: Data([1, 2]))
        client.expect(.delete, "/notes/1", status: .noContent)
        let (notes, json) = try await client.data(for: request(.get, "/notes?after=7"))
        #expect(notes.status == .ok)
        #expect(notes.headerFields == [.eTag: "\"1\"", .contentType: "application/json"])
        #expect(json == Data(#"["one"]"#.utf8))
        let (created, bytes) = try await client.data(for: request(.post, "/notes"), body: Data("two".utf8))
        #expect(created == HTTPResponse(status: .created))
        #expect(bytes == Data([1, 2]))
        let (removed, nothing) = try await client.data(for: request(.delete, "/notes/1"))
        #expect(removed == HTTPResponse(status: .noContent))
        #expect(nothing.isEmpty)
    }

    @Test
    func `a media type that the test names is kept`() async throws {
        client.expect(.get, "/", headers: [.contentType: "application/problem+json"], json: "{}")
        let (response, _) = try await client.data(for: request(.get, "/"))
        #expect(response.headerFields[values: .contentType] == ["application/problem+json"])
    }

    private struct SoldOut: HTTPProblem, Hashable {
        static let problemType = "https://notes.example/sold-out"
        var status = HTTPResponse.Status.conflict
        var detail: String? { "None left" }
        var bookID = 7

        enum CodingKeys: CodingKey { case bookID }
    }

    private struct OrderNote: HTTPCommand {
        static let route: CommandRoute<Self> = .post("notes").throwing(SoldOut.self)
    }

    @Test(arguments: [HTTPCoding.Keys.asWritten, .snakeCase])
    func `a problem is encoded as by a server, and arrives as its type`(keys: HTTPCoding.Keys) async throws {
        let coding = HTTPCoding(keys: keys)
        client.expect(.post, "/notes", times: 2, problem: SoldOut(), coding: coding)
        let (response, body) = try await client.data(for: request(.post, "/notes"))
        let name = keys == .snakeCase ? "book_id" : "bookID"
        let members = [
            #""\#(name)":7,"detail":"None left","status":409,"title":"Conflict","#,
            #""type":"https://notes.example/sold-out""#,
        ]
        #expect(response.status == .conflict)
        #expect(response.headerFields == [.contentType: "application/problem+json"])
        #expect(String(decoding: body, as: UTF8.self) == "{\(members.joined())}")
        let settings = HTTPSettings(coding: coding)
        let dispatcher = HTTPDispatcher(baseURL: try BaseURL("http://server"), client: client, settings: settings)
        await #expect(throws: SoldOut()) { try await dispatcher.dispatch(OrderNote()) }
    }

    @Test
    func `a problem that no server can send fails the request`() async throws {
        client.expect(.post, "/notes", problem: SoldOut(status: .ok))
        await #expect(throws: UnsendableProblem.self) { try await client.data(for: request(.post, "/notes")) }
    }

    @Test
    func `requests are recorded in the order of their arrival, expected or not`() async throws {
        client.expect(.get, "/a")
        client.expect(.put, "/b")
        _ = try await client.data(for: request(.put, "/b"), body: Data("b".utf8))
        _ = try? await client.data(for: request(.get, "/c"))
        _ = try await client.data(for: request(.get, "/a"))
        #expect(client.requestLines == ["PUT /b", "GET /c", "GET /a"])
        #expect(client.received.map(\.body) == [Data("b".utf8), nil, nil])
        #expect(client.received.map(\.request.authority) == ["server", "server", "server"])
    }

    @Test
    func `a new client has no requests and expects none`() {
        #expect(client.received == [])
        #expect(client.requestLines == [])
        #expect(client.missing == [])
    }

    @Test
    func `the error of an unexpected request names it, the expected ones, and the line to add`() async throws {
        client.expect(.get, "/a")
        client.expect(.post, "/b")
        let error = await #expect(throws: UnexpectedRequest.self) {
            try await client.data(for: request(.put, "/a?x=1"))
        }
        #expect(error?.request == "PUT /a?x=1")
        #expect(error?.expected == ["GET /a", "POST /b"])
        let text = """
            Unexpected request PUT /a?x=1; expected: GET /a, POST /b. \
            If it is correct, expect it: client.expect(.put, "/a?x=1", …)
            """
        #expect(error.map { "\($0)" } == text)
    }

    @Test
    func `method, path and query must all be as expected`() async throws {
        client.expect(.get, "/a?x=1")
        for other in [request(.head, "/a?x=1"), request(.get, "/a"), request(.get, "/a?x=2"), request(.get, "/A?x=1")] {
            await #expect(throws: UnexpectedRequest.self) { try await client.data(for: other) }
        }
        _ = try await client.data(for: request(.get, "/a?x=1"))
    }

    @Test(arguments: [1, 2, 3])
    func `a request is expected as often as the test says`(times: Int) async throws {
        client.expect(.get, "/a", times: times)
        for left in (1...times).reversed() {
            #expect(client.missing == [times == 1 ? "GET /a" : "GET /a, \(left) of \(times) times"])
            _ = try await client.data(for: request(.get, "/a"))
        }
        #expect(client.missing == [])
        let error = await #expect(throws: UnexpectedRequest.self) { try await client.data(for: request(.get, "/a")) }
        #expect(error?.expected == [])
        #expect(error.map { "\($0)" }?.contains("expected: no further request") == true)
    }

    @Test
    func `a request may come any number of times`() async throws {
        client.expect(.get, "/a", times: nil)
        #expect(client.missing == [])
        for _ in 0..<3 { _ = try await client.data(for: request(.get, "/a")) }
        #expect(client.missing == [])
    }

    @Test
    func `the first of several expectations of one request applies first`() async throws {
        client.expect(.get, "/a", status: .serviceUnavailable)
        client.expect(.get, "/a", throwing: Offline())
        client.expect(.get, "/a", times: nil, json: "1")
        let (first, _) = try await client.data(for: request(.get, "/a"))
        #expect(first.status == .serviceUnavailable)
        await #expect(throws: Offline()) { try await client.data(for: request(.get, "/a")) }
        let (_, third) = try await client.data(for: request(.get, "/a"))
        #expect(third == Data("1".utf8))
    }

    @Test
    func `a response can depend on the request and its body`() async throws {
        let client = client
        client.expect(.post, "/a", times: 2) { request, body in
            // The closure may use the client, because nothing is locked while it runs.
            client.expect(.get, "/b")
            return (HTTPResponse(status: .ok, headerFields: request.headerFields), Data((body ?? Data()).reversed()))
        }
        var sent = request(.post, "/a")
        sent.headerFields[.accept] = "text/plain"
        let (response, data) = try await client.data(for: sent, body: Data([1, 2, 3]))
        #expect(response.headerFields[.accept] == "text/plain")
        #expect(data == Data([3, 2, 1]))
        #expect(client.missing == ["POST /a, 1 of 2 times", "GET /b"])
    }

    @Test
    func `an unexpected request is reported even if the code under test swallows the error`() async throws {
        let heard = Mutex<[String]>([])
        let client = MockHTTPClient { unexpected in heard.withLock { $0.append(unexpected.request) } }
        client.expect(.get, "/a")
        _ = try? await client.data(for: request(.get, "/b"))
        _ = try await client.data(for: request(.get, "/a"))
        #expect(heard.withLock(\.self) == ["GET /b"])
    }

    @Test
    func `a report can fail the test`() async {
        await withKnownIssue {
            let client = MockHTTPClient { Issue.record($0) }
            _ = try? await client.data(for: request(.get, "/a"))
        } matching: { issue in
            issue.error as? UnexpectedRequest != nil
        }
    }

    @Test
    func `a request in a canceled task is not recorded`() async {
        let client = client
        client.expect(.get, "/a")
        let result = await canceled { try await client.data(for: request(.get, "/a")).1 }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(client.received == [])
    }

    @Test
    func `many tasks can send concurrently, and each request uses up one expectation`() async throws {
        let client = client
        client.expect(.get, "/a", times: 99)
        let failures = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { (try? await client.data(for: request(.get, "/a"))) == nil } }
            return await group.reduce(into: 0) { count, failed in count += failed ? 1 : 0 }
        }
        #expect(failures == 1)
        #expect(client.received.count == 100)
        #expect(client.missing == [])
    }
}

private struct Offline: Error, Equatable {}

private func request(_ method: HTTPRequest.Method, _ path: String) -> HTTPRequest {
    HTTPRequest(method: method, scheme: "http", authority: "server", path: path)
}
