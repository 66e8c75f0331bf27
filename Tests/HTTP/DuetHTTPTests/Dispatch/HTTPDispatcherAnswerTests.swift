import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

struct HTTPDispatcherAnswerTests {
    @Test(arguments: [(199, false), (200, true), (204, true), (299, true), (300, false), (404, false), (500, false)])
    func `a command succeeds when the status is an accepted one`(status: Int, isDone: Bool) async throws {
        let dispatcher = try dispatcher(SpyClient(.init(code: status), "not JSON", mediaType: "text/html"))
        if isDone {
            try await dispatcher.dispatch(OrderBook(id: 1))
        } else {
            await #expect(throws: HTTPFailure.self) { try await dispatcher.dispatch(OrderBook(id: 1)) }
        }
    }

    @Test(arguments: [(203, false), (204, true), (205, false)])
    func `a message's own statuses take precedence`(status: Int, isDone: Bool) async throws {
        let dispatcher = try dispatcher(SpyClient(.init(code: status)), HTTPSettings(acceptedStatuses: 100...599))
        #expect(((try? await dispatcher.dispatch(RemoveBook(id: 1))) != nil) == isDone)
    }

    @Test(arguments: [(200, true), (204, true), (205, false), (403, false), (404, true), (405, false), (410, true)])
    func `statuses are accepted by ranges and lists`(status: Int, isDone: Bool) async throws {
        let dispatcher = try dispatcher(SpyClient(.init(code: status)))
        #expect(((try? await dispatcher.dispatch(ReturnBook(id: 1))) != nil) == isDone)
    }

    @Test func `header fields of a response become part of a value`() async throws {
        let client = SpyClient(.ok, "[7]", [.contentType: "application/json", .contentRange: "0/9"])
        let found = try await dispatcher(client).dispatch(ListShelf())
        #expect(found == ListShelf.Value(books: [7], range: "0/9"))
        let failure = try await failure(ListShelf(), SpyClient(.ok, "[7]", [.contentType: "application/json"]))
        guard case .body(let error) = failure.reason else {
            Issue.record("\(failure)")
            return
        }
        #expect(error is ListShelf.NoRange)
    }

    @Test(arguments: [(299, false), (300, true), (301, false)])
    func `the API's statuses apply to messages without their own`(status: Int, isDone: Bool) async throws {
        let dispatcher = try dispatcher(SpyClient(.init(code: status)), HTTPSettings(acceptedStatuses: 300...300))
        #expect(((try? await dispatcher.dispatch(OrderBook(id: 1))) != nil) == isDone)
    }

    @Test(arguments: [("text/plain", false, false), ("text/plain", true, true), ("application/json", false, true)])
    func `the settings may accept any media type`(type: String, acceptsAny: Bool, isRead: Bool) async throws {
        let json = #"{"id": 1, "title": "Emma", "published": "1815-12-23T00:00:00Z"}"#
        let settings = HTTPSettings(acceptsAnyMediaType: acceptsAny)
        let dispatcher = try dispatcher(SpyClient(.ok, json, mediaType: type), settings)
        if isRead {
            #expect(try await dispatcher.dispatch(FindBook(id: 1)).title == "Emma")
        } else {
            let failure = await #expect(throws: HTTPFailure.self) { try await dispatcher.dispatch(FindBook(id: 1)) }
            guard case .mediaType? = failure?.reason else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }
    }

    @Test func `a failure keeps status, fields and body, and decodes the server's problem`() async throws {
        let body = #"{"title": "Gone for good", "shelf": 3}"#
        let client = SpyClient(
            .gone,
            body,
            [.contentType: "Application/Problem+JSON; charset=utf-8", .retryAfter: "9"]
        )
        let failure = try await failure(FindBook(id: 1), client)
        #expect(failure.message == "DuetHTTPTests.FindBook")
        #expect(failure.response.status == .gone)
        #expect(failure.response.headerFields[.retryAfter] == "9")
        #expect(failure.body == Data(body.utf8))
        #expect(failure.problem == ProblemDetails(title: "Gone for good", extensions: ["shelf": .integer(3)]))
        guard case .status = failure.reason else { throw failure }
    }

    @Test(
        arguments: [
            ("application/json", #"{"title": "T"}"#), ("application/problem+json", "[]"),
            ("application/problem+json", ""),
            ("application/problem+json", "<html>"), ("text/html", "<html>"),
        ]
    )
    func `a body that is not a problem is kept unchanged`(mediaType: String, body: String) async throws {
        let failure = try await failure(FindBook(id: 1), SpyClient(.notFound, body, mediaType: mediaType))
        #expect(failure.problem == nil)
        #expect(failure.body == Data(body.utf8))
    }

    @Test(arguments: [(-1, true), (0, true), (1, false)])
    func `a problem is read up to a maximum size`(beyond: Int, isRead: Bool) async throws {
        let frame = #"{"title":""}"#
        let title = String(repeating: "x", count: ProblemDetails.maximumSize - frame.utf8.count + beyond)
        let client = SpyClient(.notFound, #"{"title":"\#(title)"}"#, mediaType: "application/problem+json")
        #expect((try await failure(FindBook(id: 1), client).problem != nil) == isRead)
    }

    @Test(arguments: [30, 400, 512, 30_000])
    func `a problem of any depth does no harm`(levels: Int) async throws {
        let deep = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        for body in [
            deep, #"{"type": "t", "deep": \#(deep)}"#, #"{"type": "\#(OutOfStock.problemType)", "bookID": \#(deep)}"#,
        ] {
            let client = SpyClient(.conflict, body, mediaType: "application/problem+json")
            await #expect(throws: HTTPFailure.self) { try await dispatcher(client).dispatch(OrderBook(id: 1)) }
        }
    }

    @Test func `errors of the client are thrown unchanged`() async throws {
        await #expect(throws: HTTPClientError.self) {
            try await dispatcher(SpyClient(HTTPClientError.shutDown(url: "u"))).dispatch(OrderBook(id: 1))
        }
        await #expect(throws: CancellationError.self) {
            _ = try await dispatcher(SpyClient(CancellationError())).dispatch(FindOffer())
        }
    }
}
