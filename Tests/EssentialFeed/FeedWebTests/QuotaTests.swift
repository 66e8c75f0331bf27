import Duet
import DuetHTTP
import DuetTesting
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

/// How many comments one reader may post.
struct QuotaTests {
    private let clock = ManualClock()

    private func post(
        _ client: any TestClientProtocol,
        _ id: UUID = UUID(),
        from address: String? = nil,
        message: String = "Hello"
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .acceptLanguage: "en"]
        if let name = HTTPField.Name("Sec-Fetch-Site") { headers[name] = "same-origin" }
        if let name = HTTPField.Name("X-Forwarded-For") { headers[name] = address }
        let body = ByteBuffer(string: "id=\(id)&message=\(message)&username=me")
        let path = "/images/\(image(1).id)/comments"
        return try await client.execute(uri: path, method: .post, headers: headers, body: body) { $0 }
    }

    @Test func `a reader who posts too fast must wait, and others need not`() async throws {
        let site = Site(comments: ClientQuota(3, per: .seconds(60), clock: clock))
        try await site.application(publicURL: URL(string: "http://127.0.0.1")).test(.live) { client in
            for _ in 1...3 { #expect(try await post(client, from: "192.0.2.1").status == .seeOther) }
            let refused = try await post(client, from: "198.51.100.1, 192.0.2.1")
            #expect(refused.status == .tooManyRequests)
            #expect(refused.headers[.retryAfter] == "20")
            #expect(refused.text.contains("You have posted too many comments. Try again in 20 seconds."))
            // The comment stays in the form, and the reader's browser keeps it.
            #expect(refused.text.contains("\nHello</textarea>"))
            #expect(refused.headers[.contentLanguage] == "en")
            #expect(try await post(client, from: "192.0.2.2").status == .seeOther)
            clock.advance(by: .seconds(20))
            #expect(try await post(client, from: "192.0.2.1").status == .seeOther)
            #expect(try await post(client, from: "192.0.2.1").status == .tooManyRequests)
        }
        #expect(site.spy.messages(of: PostImageComment.self).count == 5)
    }

    @Test func `a comment that is sent again does not count`() async throws {
        let site = Site(comments: ClientQuota(2, per: .seconds(60), clock: clock))
        try await site.application().test(.live) { client in
            var statuses: [HTTPResponse.Status] = []
            for number in [1, 1, 1, 2, 3, 1, 3] {
                statuses.append(try await post(client, .fixture(number)).status)
            }
            // A refused comment has not been counted.
            let refused = HTTPResponse.Status.tooManyRequests
            #expect(statuses == [.seeOther, .seeOther, .seeOther, .seeOther, refused, .seeOther, refused])
        }
        #expect(site.spy.messages(of: PostImageComment.self).count == 5)
    }

    private static let refusals: [any Error & Sendable] = [
        AuthorizationError.forbidden, AuthorizationError.unauthenticated, ImageNotFound(id: image(1).id),
        ImageRemoved(id: image(1).id), CommentRemoved(id: .fixture(1)), IDReused(id: .fixture(1)),
        RemoteFailure.connectivity("refused"), RemoteFailure.invalidData("garbled"),
    ]

    @Test(arguments: refusals)
    func `an attempt that is refused counts each time`(_ refusal: any Error & Sendable) async throws {
        let site = Site(comments: ClientQuota(2, per: .seconds(60), clock: clock)) {
            $0.command = { _ in throw refusal }
        }
        try await site.application().test(.live) { client async throws in
            for _ in 1...2 {
                let status = try await post(client, .fixture(1)).status
                #expect(status.kind != .redirection && status != .tooManyRequests)
            }
            #expect(try await post(client, .fixture(1)).status == .tooManyRequests)
        }
        #expect(site.spy.messages(of: PostImageComment.self).count == 2)
    }

    @Test func `a comment that waits during an outage counts each time`() async throws {
        let site = Site(comments: ClientQuota(2, per: .seconds(60), clock: clock)) {
            $0.cached = { [image(1)] }
            $0.command = { _ in throw RemoteFailure.connectivity("refused") }
        }
        try await site.application().test(.live) { client async throws in
            for _ in 1...2 { #expect(try await post(client, .fixture(1)).status == .seeOther) }
            #expect(try await post(client, .fixture(1)).status == .tooManyRequests)
        }
    }

    @Test(arguments: ["Other", "Jose%CC%81"])
    func `another text under the id of an accepted comment counts`(_ other: String) async throws {
        let site = Site(comments: ClientQuota(2, per: .seconds(60), clock: clock))
        try await site.application().test(.live) { client async throws in
            for _ in 1...3 { #expect(try await post(client, .fixture(1), message: "Jos%C3%A9").status == .seeOther) }
            #expect(try await post(client, .fixture(1), message: other).status == .seeOther)
            #expect(try await post(client, .fixture(1), message: "Third").status == .tooManyRequests)
        }
    }

    @Test func `an accepted comment counts again once its repeat is refused`() async throws {
        let isRemoved = Mutex(false)
        let site = Site(comments: ClientQuota(2, per: .seconds(60), clock: clock)) {
            $0.command = { _ in if isRemoved.withLock(\.self) { throw CommentRemoved(id: .fixture(1)) } }
        }
        try await site.application().test(.live) { client async throws in
            for _ in 1...2 { #expect(try await post(client, .fixture(1)).status == .seeOther) }
            isRemoved.withLock { $0 = true }
            for _ in 1...2 { #expect(try await post(client, .fixture(1)).status == .gone) }
            #expect(try await post(client, .fixture(1)).status == .tooManyRequests)
        }
    }

    @Test(arguments: [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"),
        ("2001:db8::1", "[2001:DB8:0:0::1]:5000"), ("192.0.2.1", "::ffff:192.0.2.1"), ("192.0.2.1", "192.0.2.1:80"),
    ])
    func `an address is one reader, however a proxy writes it`(first: String, second: String) async throws {
        let site = Site(comments: ClientQuota(1, per: .seconds(60), clock: clock))
        try await site.application(publicURL: URL(string: "http://127.0.0.1")).test(.live) { client in
            let (posted, refused) = (try await post(client, from: first), try await post(client, from: second))
            #expect(posted.status == .seeOther)
            #expect(refused.status == .tooManyRequests)
        }
    }

    @Test func `without a public address a reader is the other end of the connection`() async throws {
        let site = Site(comments: ClientQuota(1, per: .seconds(60), clock: clock))
        try await site.application().test(.live) { client in
            let first = try await post(client, from: "192.0.2.1")
            let second = try await post(client, from: "192.0.2.2")
            #expect(first.status == .seeOther)
            #expect(second.status == .tooManyRequests)
        }
    }
}
