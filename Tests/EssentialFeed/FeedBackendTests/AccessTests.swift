import Duet
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// Authorization: reading is open, publishing and removing require a token, and comments may require one.
@Suite(.serialized) struct AccessTests {
    private let backend: TestBackend
    private let uri = "/v1/image/\(UUID.number(1))"
    private let comment = #"{"id":"\#(UUID.number(7))","message":"Hello","username":"somebody"}"#

    init() async throws {
        backend = try await TestBackend()
    }

    private func keep(_ seed: UInt64, _ permissions: Set<Permission>) async throws -> HTTPFields {
        let token = AccessToken(seed: seed)
        try await backend.dispatcher.dispatch(KeepToken(token, permissions: permissions))
        return .bearing(token)
    }

    private func put(_ client: any TestClientProtocol, _ headers: HTTPFields) async throws -> TestResponse {
        var headers = headers
        headers[.contentType] = "image/jpeg"
        return try await client.execute(
            uri: uri,
            method: .put,
            headers: headers,
            body: ByteBuffer(bytes: Data.tinyImage)
        )
    }

    private func post(_ client: any TestClientProtocol, _ headers: HTTPFields) async throws -> TestResponse {
        var headers = headers
        headers[.contentType] = "application/json"
        return try await client.execute(
            uri: "\(uri)/comments",
            method: .post,
            headers: headers,
            body: ByteBuffer(string: comment)
        )
    }

    @Test func `reading requires no token`() async throws {
        try await backend.publish(1...1)
        try await backend.test { client async throws in
            for path in ["/v1/feed", uri, "\(uri)/comments"] {
                #expect(try await client.get(path).status == .ok, "\(path)")
            }
        }
    }

    @Test(arguments: [
        nil, "Bearer", "Bearer feed_nonsense", "Basic dXNlcjpzZWNyZXQ=", "Bearer \(AccessToken(seed: 99).text)",
    ])
    func `publishing and removing require a valid token`(authorization: String?) async throws {
        try await backend.publish(2...2)
        var headers = HTTPFields()
        headers[.authorization] = authorization
        try await backend.test { [headers] client in
            let refused = try await put(client, headers)
            _ = try refused.problem(.unauthorized)
            #expect(refused.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
            let image = "/v1/image/\(UUID.number(2))"
            _ = try await client.execute(uri: image, method: .delete, headers: headers).problem(.unauthorized)
        }
        #expect(try await backend.page() == [.number(2)])
    }

    @Test func `a token without the permission is refused`() async throws {
        try await backend.publish(2...2)
        let commenter = try await keep(1, [.comment])
        try await backend.test { client in
            _ = try await put(client, commenter).problem(.forbidden)
            let image = "/v1/image/\(UUID.number(2))"
            _ = try await client.execute(uri: image, method: .delete, headers: commenter).problem(.forbidden)
        }
        #expect(try await backend.page() == [.number(2)])
    }

    @Test func `a token that permits it publishes and removes`() async throws {
        let publisher = try await keep(1, [.publish])
        try await backend.test { client async throws in
            #expect(try await put(client, publisher).status == .created)
            #expect(try await put(client, publisher).status == .noContent)
            #expect(try await client.execute(uri: uri, method: .delete, headers: publisher).status == .noContent)
        }
        #expect(try await backend.page() == [])
    }

    @Test func `comments are open unless they are closed`() async throws {
        try await backend.publish(1...1)
        try await backend.test { client async throws in
            #expect(try await post(client, [:]).status == .created)
        }
        #expect(try await backend.comments(on: .number(1)).count == 1)
    }

    @Test func `closed comments require a token for comments`() async throws {
        try await backend.publish(1...1)
        let publisher = try await keep(1, [.publish])
        let commenter = try await keep(2, [.comment])
        try await backend.test(closedComments: true) { client in
            _ = try await post(client, [:]).problem(.unauthorized)
            _ = try await post(client, publisher).problem(.forbidden)
            #expect(try await client.get("\(uri)/comments").text == #"{"has_earlier":false,"items":[]}"#)
            #expect(try await post(client, commenter).status == .created)
        }
        #expect(try await backend.comments(on: .number(1)).count == 1)
    }

    @Test func `a running server accepts new tokens and refuses revoked ones immediately`() async throws {
        try await backend.test(.live) { client in
            let headers = HTTPFields.bearing(AccessToken(seed: 1))
            #expect(try await put(client, headers).status == .unauthorized)
            try await backend.dispatcher.dispatch(KeepToken(AccessToken(seed: 1), name: "ann", permissions: [.publish]))
            #expect(try await put(client, headers).status == .created)
            try await backend.dispatcher.dispatch(RevokeToken(name: "ann"))
            #expect(try await put(client, headers).status == .unauthorized)
        }
    }

    @Test func `a sender without the permission is refused before the image is read`() async throws {
        try await backend.test { client in
            let response = try await client.execute(
                uri: uri,
                method: .put,
                headers: [.contentType: "text/html"],
                body: ByteBuffer(bytes: Data.image(ofSize: 16_777_217))
            )
            _ = try response.problem(.unauthorized)
        }
    }

    @Test(arguments: [[.publish], [.comment], [.publish, .comment], []] as [Set<Permission>])
    func `a sender learns the permissions of the token, and nobody may store them`(
        permissions: Set<Permission>
    ) async throws {
        let headers = try await keep(1, permissions)
        try await backend.test { client async throws in
            let answer = try await client.execute(uri: "/v1/permissions", method: .get, headers: headers)
            #expect(answer.status == .ok)
            #expect(answer.headers[.cacheControl] == "no-store")
            let names = permissions.map { "\"\($0.rawValue)\"" }.sorted().joined(separator: ",")
            #expect(String(buffer: answer.body) == "{\"permissions\":[\(names)]}")
        }
    }

    @Test(arguments: [nil, "Bearer feed_nonsense", "Bearer \(AccessToken(seed: 99).text)"])
    func `without a valid token there are no permissions to load`(authorization: String?) async throws {
        var headers = HTTPFields()
        headers[.authorization] = authorization
        try await backend.test { [headers] client async throws in
            let answer = try await client.execute(uri: "/v1/permissions", method: .get, headers: headers)
            #expect(answer.status == .unauthorized)
        }
    }
}
