import Duet
import DuetAsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

extension HTTPBinTests {
    /// Responses that are not JSON with status 200.
    struct AnswerTests {
        private let url: URL

        init() throws {
            url = try #require(HTTPBinTrait.url)
        }

        @Test(arguments: [400, 401, 403, 404, 418, 500])
        func `a status that is not a success is a failure that keeps it`(status: Int) async throws {
            let failure = await #expect(throws: HTTPFailure.self) {
                try await withClient {
                    try await HTTPDispatcher(baseURL: url, client: $0).dispatch(Status(code: status))
                }
            }
            #expect(failure?.response.status.code == status)
        }

        @Test(arguments: [200, 201, 202, 204])
        func `a status of a success is a success`(status: Int) async throws {
            try await withClient { try await HTTPDispatcher(baseURL: url, client: $0).dispatch(Status(code: status)) }
        }

        @Test func `a picture has its media type`() async throws {
            let picture = try await withClient {
                try await HTTPDispatcher(baseURL: url, client: $0).dispatch(Picture())
            }
            #expect(picture.mediaType == "image/png")
            #expect(picture.data.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        }

        @Test func `a picture in place of JSON is a failure that names its media type`() async throws {
            let failure = await #expect(throws: HTTPFailure.self) {
                try await withClient { try await HTTPDispatcher(baseURL: url, client: $0).dispatch(PictureAsJSON()) }
            }
            #expect(failure.map { "\($0)" }?.contains("image/png") == true)
        }

        @Test(arguments: [999, 1000, 1001])
        func `a body up to the limit is read`(size: Int) async throws {
            try await withClient { client in
                let api = HTTPDispatcher(baseURL: url, client: client.limiting(bodySize: 1000))
                guard size > 1000 else {
                    let bytes = try await api.dispatch(Bytes(count: size))
                    #expect(bytes.data.count == size)
                    return
                }
                let error = await #expect(throws: HTTPClientError.self) {
                    _ = try await api.dispatch(Bytes(count: size))
                }
                guard case .bodyTooLarge(_, 1000)? = error else {
                    return _ = Issue.record("\(String(describing: error))")
                }
            }
        }

        @Test func `a body that drips is cut off at the deadline`() async throws {
            let error = await #expect(throws: HTTPClientError.self) {
                try await withClient { client in
                    _ = try await HTTPDispatcher(baseURL: url, client: client.deadline(.milliseconds(300)))
                        .dispatch(Drip(duration: 60, numbytes: 600))
                }
            }
            guard case .deadlineExceeded? = error else { return _ = Issue.record("\(String(describing: error))") }
        }

        @Test func `user and password of the address are sent`() async throws {
            var components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
            components.user = "ada"
            components.password = "secret"
            let address = try #require(components.url)
            let user = try await withClient {
                try await HTTPDispatcher(baseURL: address, client: $0).dispatch(BasicUser())
            }
            #expect(user == BasicUser.Value(authenticated: true, user: "ada"))
        }

        @Test func `an idempotent request is sent again, and the last response is returned`() async throws {
            let answers = Answers()
            let failure = await #expect(throws: HTTPFailure.self) {
                try await withClient { client in
                    let policy = HTTPRetryPolicy(
                        maximumAttempts: 3,
                        backoff: .constant(.milliseconds(1)),
                        budget: .unlimited
                    )
                    let client = RememberingClient(base: client, answers: answers).retrying(policy)
                    try await HTTPDispatcher(baseURL: url, client: client).dispatch(Status(code: 503))
                }
            }
            #expect(failure?.response.status == .serviceUnavailable)
            #expect(await answers.bodies.count == 3)
        }
    }
}

// DELETE status/{code}
private struct Status: HTTPCommand {
    static let route: CommandRoute<Self> = .delete("status/{code}")
    let code: Int
}

// GET image/png
private struct Picture: HTTPQuery {
    typealias Value = HTTPBytes
    static let route: QueryRoute<Self> = .get("image/png")
}

private struct PictureAsJSON: HTTPQuery {
    typealias Value = [String]
    static let route: QueryRoute<Self> = .get("image/png")
}

// GET bytes/{count}
private struct Bytes: HTTPQuery {
    typealias Value = HTTPBytes
    static let route: QueryRoute<Self> = .get("bytes/{count}")
    let count: Int
}

// GET drip?duration=…&numbytes=…
private struct Drip: HTTPQuery {
    typealias Value = HTTPBytes
    static let route: QueryRoute<Self> = .get("drip")
    let duration: Int
    let numbytes: Int
}

// GET basic-auth/ada/secret
private struct BasicUser: HTTPQuery {
    struct Value: Codable, Equatable {
        let authenticated: Bool
        let user: String
    }

    static let route: QueryRoute<Self> = .get("basic-auth/ada/secret")
}
