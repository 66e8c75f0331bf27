import Duet
import DuetHTTP
import DuetTesting
import FeedBackend
import FeedFeature
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// How many comments one sender may post.
@Suite(.serialized) struct CommentQuotaTests {
    private static let other = AccessToken(seed: 31)

    private let clock = ManualClock()
    private let backend: TestBackend

    init() async throws {
        backend = try await TestBackend(comments: ClientQuota(2, per: .seconds(60), clock: clock))
        try await backend.publish(1...2)
        try await backend.keepTestToken()
        try await backend.dispatcher.dispatch(KeepToken(Self.other, name: "other", permissions: [.comment]))
    }

    private func post(
        _ number: Int,
        on image: Int = 1,
        by token: AccessToken? = nil,
        from address: String? = nil,
        message: String = "Hello",
        _ client: any TestClientProtocol
    ) async throws -> TestResponse {
        var headers = token.map(HTTPFields.bearing) ?? [:]
        headers[.contentType] = "application/json"
        if let field = HTTPField.Name("X-Forwarded-For") { headers[field] = address }
        return try await client.execute(
            uri: "/v1/image/\(UUID.number(image))/comments",
            method: .post,
            headers: headers,
            body: ByteBuffer(string: #"{"id":"\#(UUID.number(number))","message":"\#(message)","username":"me"}"#)
        )
    }

    private func test(
        publicURL: String? = nil,
        pageServers: Set<String> = [],
        _ body: @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        try await backend.backend
            .application(publicURL: publicURL.flatMap { URL(string: $0) }, pageServers: pageServers, logger: .silent)
            .test(.live, body)
    }

    @Test func `an address that posts too fast must wait, and is told how long`() async throws {
        try await test { client async throws in
            #expect(try await post(1, client).status == .created)
            #expect(try await post(2, on: 2, client).status == .created)
            let refused = try await post(3, client)
            #expect(refused.headers[.retryAfter] == "30")
            #expect(
                try refused.problem(.tooManyRequests) == "You have posted too many comments. Try again in 30 s."
            )
            #expect(refused.text.contains(#""type":"urn:essential-feed:too-many-comments""#))
            clock.advance(by: .milliseconds(29_100))
            #expect(try await post(3, client).headers[.retryAfter] == "1")
            clock.advance(by: .milliseconds(900))
            #expect(try await post(3, client).status == .created)
        }
        #expect(try await backend.comments(on: .number(1)).map(\.id) == [.number(1), .number(3)])
    }

    @Test func `a comment that was accepted before does not count again`() async throws {
        try await test { client async throws in
            for _ in 1...5 { #expect(try await post(1, client).status == .created) }
            #expect(try await post(2, client).status == .created)
            #expect(try await post(3, client).status == .tooManyRequests)
            #expect(try await post(2, client).status == .created)
        }
    }

    @Test func `an attempt that is refused counts`() async throws {
        try await test { client async throws in
            #expect(try await post(1, client).status == .created)
            #expect(try await post(1, message: "Other", client).status == .conflict)
            #expect(try await post(1, message: "Other", client).status == .tooManyRequests)
            #expect(try await post(1, client).status == .created)

            clock.advance(by: .seconds(60))
            try await backend.dispatcher.dispatch(RemoveImageComment(imageID: .number(1), id: .number(1)))
            for _ in 1...2 { #expect(try await post(1, client).status == .gone) }
            #expect(try await post(1, client).status == .tooManyRequests)

            for _ in 1...2 { #expect(try await post(2, on: 3, by: .test, client).status == .notFound) }
            #expect(try await post(2, on: 3, by: .test, client).status == .tooManyRequests)
        }
    }

    @Test func `the addresses of a household are one client, and a token is none of them`() async throws {
        let token = AccessToken(seed: 32)
        try await backend.dispatcher.dispatch(KeepToken(token, name: "192.0.2.1", permissions: [.comment]))
        try await test(publicURL: "http://127.0.0.1") { client async throws in
            #expect(try await post(1, from: "2001:db8:1:2::1", client).status == .created)
            #expect(try await post(2, from: "2001:DB8:1:2::2", client).status == .created)
            #expect(try await post(3, from: "2001:db8:1:2:ffff::3", client).status == .tooManyRequests)
            #expect(try await post(3, from: "2001:db8:1:3::1", client).status == .created)
            for number in 4...5 { #expect(try await post(number, from: "192.0.2.1", client).status == .created) }
            #expect(try await post(6, from: "::ffff:c000:201", client).status == .tooManyRequests)
            #expect(try await post(6, by: token, from: "192.0.2.1", client).status == .created)
        }
    }

    @Test func `a token has a quota of its own`() async throws {
        try await test { client async throws in
            for number in 1...2 { #expect(try await post(number, client).status == .created) }
            #expect(try await post(3, client).status == .tooManyRequests)
            for number in 3...4 { #expect(try await post(number, by: .test, client).status == .created) }
            #expect(try await post(5, by: .test, client).status == .tooManyRequests)
            #expect(try await post(5, by: Self.other, client).status == .created)
        }
    }

    @Test func `a page server limits its readers itself`() async throws {
        try await test(pageServers: ["127.0.0.1"]) { client async throws in
            for number in 1...5 { #expect(try await post(number, client).status == .created) }
        }
    }

    @Test func `behind a proxy the addresses are the ones that it states`() async throws {
        try await test(publicURL: "http://127.0.0.1", pageServers: ["192.0.2.9"]) { client async throws in
            for number in 1...2 { #expect(try await post(number, from: "192.0.2.1", client).status == .created) }
            #expect(try await post(3, from: "192.0.2.2, 192.0.2.1", client).status == .tooManyRequests)
            for number in 3...5 { #expect(try await post(number, from: "192.0.2.9", client).status == .created) }
        }
    }

    @Test(arguments: [
        ("2001:DB8::1", "2001:db8:0:0::1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("192.0.2.1", "::FFFF:192.0.2.1"),
    ])
    func `the address of a page server is known however it is written`(server: String, stated: String) async throws {
        try await test(publicURL: "http://127.0.0.1", pageServers: [server]) { client async throws in
            for number in 1...4 { #expect(try await post(number, from: stated, client).status == .created) }
        }
    }

    @Test func `without a proxy nobody can state another address`() async throws {
        try await test { client async throws in
            for number in 1...2 {
                #expect(try await post(number, from: "192.0.2.\(number)", client).status == .created)
            }
            #expect(try await post(3, from: "192.0.2.3", client).status == .tooManyRequests)
        }
    }

    @Test func `messages within the process have no quota`() async throws {
        for number in 1...5 {
            try await backend.dispatcher.dispatch(
                PostImageComment(id: .number(number), imageID: .number(1), message: "m", username: "u")
            )
        }
    }
}
