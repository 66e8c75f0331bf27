import Duet
import DuetHTTP
import FeedAPI
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import Testing

/// The values and errors of an exchange with the server.
struct RemoteDispatcherTests {
    private let post = PostImageComment(id: otherID, imageID: anyID, message: "m", username: "u")
    private let publish = PublishImage(id: anyID, description: "d", data: .tinyImage)
    private let remove = RemoveImage(id: anyID)

    /// A server that responds to every request with the same problem.
    private func problem(_ status: Int, _ members: String) throws -> RemoteDispatcher {
        try RemoteDispatcher(
            answering: HTTPClientSpy(status: status, contentType: "application/problem+json", body: "{\(members)}")
        )
    }

    @Test func `comments are loaded with one request`() async throws {
        let client = HTTPClientSpy(
            status: 299,
            body: "{\"items\":[{\"id\":\"\(otherID)\",\"message\":\"m\",\"created_at\":\"1970-01-01T00:00:01Z\","
                + "\"author\":{\"username\":\"u\"}}]}"
        )
        let comments = try await RemoteDispatcher(answering: client).dispatch(LoadImageComments(imageID: anyID))
            .comments

        let date = Date(timeIntervalSince1970: 1)
        #expect(comments == [ImageComment(id: otherID, message: "m", createdAt: date, username: "u")])
        #expect(client.messages.count == 1)
    }

    @Test(arguments: [200, 201, 204, 299])
    func `a command is sent once, and ends with the server's response`(status: Int) async throws {
        let client = HTTPClientSpy(status: status)
        let dispatcher = try RemoteDispatcher(answering: client)
        try await dispatcher.dispatch(post)
        try await dispatcher.dispatch(publish)
        try await dispatcher.dispatch(remove)
        #expect(client.requests.map(\.method) == [.post, .put, .delete])
    }

    @Test(arguments: [199, 300, 400, 404, 500])
    func `an undeclared refusal is invalid data, with the reason`(status: Int) async throws {
        let dispatcher = try problem(status, "\"detail\":\"d\"")
        for work in [
            { try await dispatcher.dispatch(post) }, { try await dispatcher.dispatch(publish) },
            { try await dispatcher.dispatch(remove) },
            { _ = try await dispatcher.dispatch(LoadImageComments(imageID: anyID)) },
        ] as [() async throws -> Void] {
            let reason = try await invalidDataReason { try await work() }
            #expect(reason.contains("the server responded with \(status)"))
            #expect(reason.hasSuffix(": d."), "\(reason)")
        }
    }

    @Test(arguments: [(400, false), (408, true), (429, true), (500, true), (502, true), (503, true), (504, true)])
    func `a failure is temporary for a queue of commands if the response is`(status: Int, isTemporary: Bool)
        async throws
    {
        let response = HTTPResponse(status: .init(code: status), headerFields: [.retryAfter: "60"])
        let client = HTTPClientSpy(.success((response, Data())))
        let error = await #expect(throws: RemoteFailure.self) {
            try await RemoteDispatcher(answering: client).dispatch(post)
        }
        #expect(error?.isTemporary == isTemporary)
        #expect(error?.retryAfter == .seconds(60))
    }

    @Test func `a missing image is reported as missing`() async throws {
        let dispatcher = try problem(404, "\"type\":\"urn:essential-feed:image-not-found\",\"id\":\"\(anyID)\"")
        await #expect(throws: ImageNotFound(id: anyID)) { try await dispatcher.dispatch(post) }
        await #expect(throws: ImageNotFound(id: anyID)) {
            try await dispatcher.dispatch(LoadImageComments(imageID: anyID))
        }
    }

    @Test func `a removed image is reported as removed`() async throws {
        let dispatcher = try problem(410, "\"type\":\"urn:essential-feed:image-removed\",\"id\":\"\(anyID)\"")
        await #expect(throws: ImageRemoved(id: anyID)) { try await dispatcher.dispatch(publish) }
    }

    @Test func `a message that the server rejects is reported as invalid`() async throws {
        let dispatcher = try problem(
            400,
            "\"type\":\"urn:essential-feed:invalid-message\",\"field\":\"message\",\"reason\":\"must not be empty\""
        )
        await #expect(throws: InvalidMessage(field: "message", reason: "must not be empty")) {
            try await dispatcher.dispatch(post)
        }
    }

    @Test(arguments: [(401, AuthorizationError.unauthenticated), (403, .forbidden)])
    func `without a required token, a command is denied and a query gets invalid data`(
        status: Int,
        error: AuthorizationError
    ) async throws {
        let dispatcher = try problem(status, "\"detail\":\"d\"")
        await #expect(throws: error) { try await dispatcher.dispatch(publish) }
        _ = try await invalidDataReason { try await dispatcher.dispatch(LoadFeed()) }
    }

    @Test func `a client's error is a connectivity failure`() async throws {
        let error = HTTPClientError.tooManyRedirects(url: "http://a.example/")
        let dispatcher = try RemoteDispatcher(answering: HTTPClientSpy(.failure(error)))
        let failure = RemoteFailure.connectivity("\(error)")
        await #expect(throws: failure) { try await dispatcher.dispatch(post) }
        await #expect(throws: failure) { try await dispatcher.dispatch(publish) }
        await #expect(throws: failure) { try await dispatcher.dispatch(remove) }
        await #expect(throws: failure) { try await dispatcher.dispatch(LoadImageComments(imageID: anyID)) }
    }

    @Test func `a cancellation stays a cancellation`() async throws {
        let dispatcher = try RemoteDispatcher(answering: HTTPClientSpy(.failure(CancellationError())))
        await #expect(throws: CancellationError.self) { try await dispatcher.dispatch(post) }
        await #expect(throws: CancellationError.self) {
            try await dispatcher.dispatch(LoadImageComments(imageID: anyID))
        }
    }

    @Test func `the permissions of a token are loaded with it, and unknown ones are left out`() async throws {
        let client = HTTPClientSpy(status: 200, body: #"{"permissions":["comment","administer","publish"]}"#)
        let base = try BaseURL(#require(URL(string: "https://feed.example/")))
        let dispatcher = try RemoteDispatcher(baseURL: base, client: client).authenticated(by: "feed_secret")

        #expect(try await dispatcher.dispatch(LoadPermissions()) == [.publish, .comment])
        #expect(client.requests.map { $0.headerFields[.authorization] } == ["Bearer feed_secret"])
        #expect(client.requests.map(\.path) == ["/v1/permissions"])
    }

    @Test func `an unknown token is denied, also for a query`() async throws {
        let dispatcher = try RemoteDispatcher(answering: HTTPClientSpy(status: 401))

        await #expect(throws: AuthorizationError.unauthenticated) { try await dispatcher.dispatch(LoadPermissions()) }
    }
}
