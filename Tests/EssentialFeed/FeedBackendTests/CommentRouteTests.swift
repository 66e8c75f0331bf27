import FeedBackend
import FeedFeature
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite(.serialized) struct CommentRouteTests {
    private struct Comments: Decodable {
        let items: [Item]
    }

    private struct Item: Decodable {
        struct Author: Decodable {
            let username: String
        }

        let id: UUID
        let message: String
        let created_at: String
        let author: Author
    }

    private let backend: TestBackend
    private let uri = "/v1/image/\(UUID.number(1))/comments"

    init() async throws {
        backend = try await TestBackend()
        try await backend.publish(1...1)
    }

    private static func body(_ message: String = "Hello", id: UUID = .number(7)) -> String {
        #"{"id":"\#(id)","message":"\#(message)","username":"somebody","mood":"good"}"#
    }

    @Test func `a comment is created, and created again without a change`() async throws {
        try await backend.test { client in
            for _ in 1...2 {
                let response = try await client.post(uri, Self.body("Grüße 👋"))
                #expect(response.status == .created)
                #expect(response.data.isEmpty)
            }
            let comments: Comments = try await client.get(uri).json()
            #expect(comments.items.count == 1)
            let comment = try #require(comments.items.first)
            #expect(comment.id == .number(7))
            #expect(comment.message == "Grüße 👋")
            #expect(comment.author.username == "somebody")
            #expect(comment.created_at == "2026-02-25T06:13:20.250Z")
        }
    }

    @Test func `an image without comments has an empty list`() async throws {
        try await backend.test { client async throws in
            #expect(try await client.get(uri).text == #"{"has_earlier":false,"items":[]}"#)
        }
    }

    @Test func `comments on a missing image are not found`() async throws {
        try await backend.test { client async throws in
            let uri = "/v1/image/\(UUID.number(9))/comments"
            #expect(try await client.get(uri).problem(.notFound) == "There is no image \(UUID.number(9)).")
            #expect(
                try await client.post(uri, Self.body()).problem(.notFound) == "There is no image \(UUID.number(9))."
            )
        }
    }

    @Test(arguments: [
        (#"{"message":"a","username":"b"}"#, "id is missing."),
        (#"{"id":"x","message":"a","username":"b"}"#, nil),
        (#"{"id":7,"message":"a","username":"b"}"#, nil),
        (#"{"id":"\#(UUID.number(7))","message":7,"username":"b"}"#, "message must be a string."),
        (#"{"id":"\#(UUID.number(7))","message":null,"username":"b"}"#, "message must not be null."),
        (#"{"id":"\#(UUID.number(7))","message":" ","username":"b"}"#, "message must not be empty."),
        (#"{"id":"\#(UUID.number(7))","message":"a","username":""}"#, "username must not be empty."),
        (
            #"{"id":"\#(UUID.number(7))","message":"a","username":"ann\u202Enna"}"#,
            "username must not have characters that are invisible or change the direction of the text."
        ),
        (#"{"id":"\#(UUID.number(7))","message":"a"}"#, "username is missing."),
        (#"{"id":"\#(UUID.number(7))","message":"a\u0000","username":"b"}"#, nil),
        (#"[]"#, "body must be an object."),
        (#""text""#, "body must be an object."),
        (#"{"id":"#, nil),
        ("<html>", nil),
        ("", nil),
        (String(repeating: "[", count: 60_000), nil),
    ])
    func `a body that is not a comment is a bad request that names the fault`(body: String, named: String?) async throws
    {
        let before = try await backend.rows()
        try await backend.test { client in
            let detail = try await client.post(uri, body).problem(.badRequest)
            #expect(named == nil || detail == named)
            #expect(["id", "message", "username", "body"].contains { detail.hasPrefix($0) }, "\(detail)")
        }
        #expect(try await backend.rows() == before)
    }

    @Test func `text that is not UTF-8 is a bad request`() async throws {
        try await backend.test { client in
            let body = Data(Self.body("#").utf8.map { $0 == UInt8(ascii: "#") ? 0xFF : $0 })
            let response = try await client.execute(
                uri: uri,
                method: .post,
                headers: [.contentType: "application/json"],
                body: .init(bytes: body)
            )
            #expect(try response.problem(.badRequest).hasPrefix("body is not JSON"))
        }
        #expect(try await backend.comments(on: .number(1)).isEmpty)
    }

    @Test(arguments: [
        nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp",
    ])
    func `a media type other than JSON's is refused`(type: String?) async throws {
        try await backend.test { client in
            let detail = try await client.post(uri, Self.body(), type: type).problem(.unsupportedMediaType)
            #expect(detail == "The body must be sent as application/json.")
        }
        #expect(try await backend.comments(on: .number(1)).isEmpty)
    }

    @Test func `JSON's media type may have parameters and upper-case letters`() async throws {
        try await backend.test { client in
            let response = try await client.post(uri, Self.body(), type: "Application/JSON; charset=utf-8")
            #expect(response.status == .created)
        }
    }

    @Test(arguments: [(88_383, true), (88_384, true), (88_385, false)])
    func `a body has at most 88,384 bytes`(size: Int, isValid: Bool) async throws {
        let body = Self.body() + String(repeating: " ", count: size - Self.body().utf8.count)
        try await backend.test { client in
            let response = try await client.post(uri, body)
            if isValid {
                #expect(response.status == .created)
            } else {
                #expect(try response.problem(.contentTooLarge) == "The body must have at most 88384 bytes.")
            }
        }
        #expect(try await backend.comments(on: .number(1)).isEmpty != isValid)
    }

    @Test(arguments: [
        (PostImageComment.messageLimit - 1, true), (PostImageComment.messageLimit, true),
        (PostImageComment.messageLimit + 1, false),
    ])
    func `a message has at most 2,000 characters`(length: Int, isValid: Bool) async throws {
        let message = String(repeating: "ß", count: length)
        try await backend.test { client in
            let response = try await client.post(uri, Self.body(message))
            #expect(response.status == (isValid ? .created : .badRequest))
        }
        #expect(try await backend.comments(on: .number(1)).map(\.message) == (isValid ? [message] : []))
    }

    @Test func `an image's id that is not a UUID is a bad request`() async throws {
        try await backend.test { client async throws in
            let detail = "image_id must be a UUID, not “17”."
            #expect(try await client.get("/v1/image/17/comments").problem(.badRequest) == detail)
            #expect(try await client.post("/v1/image/17/comments", Self.body()).problem(.badRequest) == detail)
        }
    }

    @Test func `a sender receives the error that the handler threw`() async throws {
        try await backend.test { client in
            let response = try await client.post(uri, Self.body(" "))
            #expect(response.text.contains(#""type":"urn:essential-feed:invalid-message""#))
            #expect(response.text.contains(#""field":"message""#))
            let missing = try await client.get("/v1/image/\(UUID.number(9))/comments")
            #expect(missing.text.contains(#""type":"urn:essential-feed:image-not-found""#))
            #expect(missing.text.contains(#""id":"\#(UUID.number(9))""#))
        }
    }
}
