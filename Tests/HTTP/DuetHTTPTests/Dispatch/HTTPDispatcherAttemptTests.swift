import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

struct HTTPDispatcherAttemptTests {
    private let policy = HTTPRetryPolicy(backoff: .constant(.zero), budget: .unlimited)

    private func failure(_ client: any HTTPClient) async throws -> HTTPFailure {
        let dispatcher = HTTPDispatcher(baseURL: try #require(URL(string: "https://shop.example")), client: client)
        let error = await #expect(throws: HTTPFailure.self) { _ = try await dispatcher.dispatch(FindBook(id: 1)) }
        return try #require(error)
    }

    @Test func `a failure has all attempts that led to it`() async throws {
        let server = StubClient { sent in
            switch sent.number {
            case 1: answer(503, [.retryAfter: "0"])
            case 2: throw HTTPClientError.unplugged()
            default: answer(404)
            }
        }
        let failure = try await failure(server.retrying(policy))
        #expect(failure.response.status == .notFound)
        #expect(failure.attempts.map { $0.description.prefix(11) } == ["status 503", "No response", "status 404"])
        #expect(failure.attempts.map(\.delay) == [.zero, .zero, nil])
    }

    @Test func `the attempts of an unreadable response are listed too`() async throws {
        let server = StubClient { sent in
            sent.number < 3 ? answer(503) : answer(200, [.contentType: "text/html"], body: "<p>")
        }
        let failure = try await failure(server.retrying(policy))
        guard case .mediaType = failure.reason else {
            Issue.record("\(failure)")
            return
        }
        #expect(failure.attempts.map(\.description) == ["status 503", "status 503", "status 200"])
    }

    @Test(arguments: [500, 404])
    func `a single attempt is not listed`(status: Int) async throws {
        let server = StubClient(statuses: status)
        #expect(try await failure(server.retrying(policy)).attempts.isEmpty)
        #expect(try await failure(server).attempts.isEmpty)
    }

    @Test func `after a redirect the attempts are those of its target`() async throws {
        let server = StubClient { sent in
            switch sent.number {
            case 1: answer(503)
            case 2: answer(302, [.location: "/elsewhere"])
            default: answer(404)
            }
        }
        #expect(try await failure(server.retrying(policy).followingRedirects()).attempts.isEmpty)
    }
}
