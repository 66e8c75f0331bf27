import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// The field `Idempotency-Key` of requests, and the responses to their repeats.
@Suite(.serialized) struct IdempotencyRouteTests {
    private let backend: TestBackend
    private let image = "/v1/image/\(UUID.number(3))"

    init() async throws {
        backend = try await TestBackend()
        try await backend.publish(1...2)
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ uri: String,
        key: String?,
        _ body: Data? = nil,
        type: String? = nil,
        to client: any TestClientProtocol
    ) async throws -> TestResponse {
        var headers = HTTPFields.publisher
        headers[.contentType] = type
        if let key, let name = HTTPField.Name("Idempotency-Key") { headers[name] = key }
        return try await client.execute(uri: uri, method: method, headers: headers, body: body.map(ByteBuffer.init))
    }

    private func comment(_ id: Int, _ message: String = "Hello") -> Data {
        Data(#"{"id":"\#(UUID.number(id))","message":"\#(message)","username":"me"}"#.utf8)
    }

    @Test func `a repeated publication has the response of the first, and another request that of a known image`()
        async throws
    {
        try await backend.test { client in
            for _ in 1...3 {
                let first = try await send(.put, image, key: "k", .tinyImage, type: "image/jpeg", to: client)
                #expect(first.status == .created)
            }
            for key in [nil, "other", "other"] {
                let again = try await send(.put, image, key: key, .tinyImage, type: "image/jpeg", to: client)
                #expect(again.status == .noContent)
            }
            #expect(try await backend.page() == .numbers(3, 2, 1))
        }
    }

    @Test func `a repeated upload with metadata is the same command`() async throws {
        let upload = JPEGBytes.file([JPEGBytes.segment(0xFE, "Ann")], trailing: [1])
        try await backend.test { client async throws in
            for _ in 1...2 {
                let response = try await send(.put, image, key: "k", upload, type: "image/jpeg", to: client)
                #expect(response.status == .created)
            }
            #expect(try await client.get(image).data == JPEGBytes.file())
        }
    }

    @Test func `repeated comments and removals have the response of the first`() async throws {
        let uri = "/v1/image/\(UUID.number(1))"
        try await backend.test { client in
            for _ in 1...2 {
                let post = try await send(
                    .post,
                    "\(uri)/comments",
                    key: "c",
                    comment(1),
                    type: "application/json",
                    to: client
                )
                #expect(post.status == .created)
                #expect(post.data.isEmpty)
            }
            for _ in 1...2 {
                #expect(try await send(.delete, uri, key: "d", to: client).status == .noContent)
            }
            // The image is gone, and the comment was posted before.
            let late = try await send(
                .post,
                "\(uri)/comments",
                key: "c",
                comment(1),
                type: "application/json",
                to: client
            )
            #expect(late.status == .created)
        }
    }

    @Test func `the key of another command is unprocessable, and the problem names the key`() async throws {
        let uri = "/v1/image/\(UUID.number(1))"
        try await backend.test { client in
            #expect(try await send(.delete, uri, key: "k", to: client).status == .noContent)
            let responses = [
                try await send(.delete, "/v1/image/\(UUID.number(2))", key: "k", to: client),
                try await send(.put, image, key: "k", .tinyImage, type: "image/jpeg", to: client),
            ]
            for response in responses {
                #expect(
                    try response.problem(.unprocessableContent)
                        == "The idempotency key k was used for another command. Send this command with a new key."
                )
                #expect(response.text.contains(#""urn:essential-feed:idempotency-key-reused""#))
            }
            #expect(try await backend.page() == .numbers(2))
        }
    }

    @Test func `concurrent repeats over sockets have one effect and one response`() async throws {
        let uri = "/v1/image/\(UUID.number(1))/comments"
        try await backend.test(.live) { client in
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await send(.post, uri, key: "k", comment(1), type: "application/json", to: client).status
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(statuses == [.created])
            #expect(try await backend.comments(on: .number(1)).count == 1)
        }
    }
}
