import DuetTesting
import FeedFeature
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// Commands that another site makes a reader's browser send.
@Suite struct OriginTests {
    private let action = "/images/\(image(1).id)/comments"
    private let fields = ["id": image(42).id.uuidString, "username": "Ann", "message": "Nice"]

    @Test(
        arguments: [
            ("Sec-Fetch-Site", "same-origin", 303), ("Sec-Fetch-Site", "same-site", 403),
            ("Sec-Fetch-Site", "cross-site", 403), ("Sec-Fetch-Site", "none", 403),
            ("Origin", "http://localhost", 303), ("Origin", "http://LOCALHOST", 303), ("Origin", "null", 403),
            ("Origin", "http://localhost:81", 403), ("Origin", "http://evil.example", 403),
            ("Origin", "http://localhost.evil.example", 403), ("Origin", "localhost", 403), ("Origin", "", 403),
            ("Referer", "http://localhost/", 403),
        ]
    )
    func `only a page of this site can send commands`(_ field: String, _ value: String, _ status: Int) async throws {
        let site = Site()
        let answer = try await site.post(action, fields, sender: (field, value))

        #expect(answer.status.code == status)
        #expect(site.spy.messages(of: PostImageComment.self).count == (status == 303 ? 1 : 0))
    }

    @Test(arguments: ["/publish", "/sign-in", "/sign-out", "/images/\(image(1).id)/remove"])
    func `every command needs to know its sender`(_ path: String) async throws {
        let site = Site()
        let answer = try await site.post(path, fields, cookie: "session=feed_secret", sender: nil)

        #expect(answer.status == .forbidden)
        #expect(answer.text.contains("This request did not come from this page"))
        #expect(site.messages.isEmpty)
    }

    @Test func `behind another server the public address counts`() async throws {
        let publicURL = try #require(URL(string: "https://feed.example:8443/"))
        for (origin, status) in [("https://feed.example:8443", 303), ("https://feed.example", 403)] {
            let answer = try await Site().post(action, fields, sender: ("Origin", origin), publicURL: publicURL)
            #expect(answer.status.code == status, "\(origin)")
        }
    }

    @Test func `pages tell the browser to name this site in their forms`() async throws {
        #expect(try await Site().get("/sign-in").text.contains(#"<meta name="referrer" content="same-origin">"#))
    }

    @Test(arguments: [HTTPRequest.Method.put, .delete, .patch, .options])
    func `the addresses of commands allow no other methods`(_ method: HTTPRequest.Method) async throws {
        for path in [action, "/publish", "/sign-in", "/sign-out", "/images/\(image(1).id)/remove"] {
            let answer = try await Site().get(path, method: method)
            #expect(answer.status == .methodNotAllowed, "\(path)")
            #expect(answer.headers[.allow] == "GET, HEAD, POST", "\(path)")
        }
    }
}
