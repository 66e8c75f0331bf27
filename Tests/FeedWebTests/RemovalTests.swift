import FeedFeature
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct RemovalTests {
    private let page = "/images/\(image(1).id)"
    private let cookie = "session=feed_secret"
    private let site = Site { $0.cached = { [image(1, description: "A <cat>")] } }

    @Test func `guests are asked to sign in`() async throws {
        let answer = try await site.get("\(page)/remove")

        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == "/sign-in?return=%2Fimages%2F\(image(1).id)%2Fremove")
    }

    @Test func `the page asks first, and looking at it removes nothing`() async throws {
        let answer = try await site.get("\(page)/remove?after=\(image(7).id)", cookie: cookie)

        #expect(answer.status == .ok)
        #expect(answer.text.contains("<h1>Remove this image?</h1>"))
        #expect(answer.text.contains("A &lt;cat&gt;"))
        #expect(answer.text.contains(#"method="post" action="\#(page)/remove?after=\#(image(7).id)""#))
        #expect(answer.text.contains(#"href="\#(page)?after=\#(image(7).id)""#))
        #expect(site.messages == [.loadFeedCacheSummary])
    }

    @Test func `removing leads to the feed`() async throws {
        let answer = try await site.post("\(page)/remove", cookie: cookie)

        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == "/")
        #expect(site.messages == [.remove(image(1).id)])
        #expect(site.senders.last == "feed_secret")
    }

    @Test(
        arguments: [
            (AccessDenied.notPermitted, 403, "Your token does not permit this"),
            (RemoteFailure.connectivity("refused"), 502, "Couldn&#39;t connect to server"),
        ] as [(any Error, Int, String)]
    )
    func `a failure shows the page again with the reason`(_ error: any Error, _ status: Int, _ message: String)
        async throws
    {
        let site = Site { $0.command = { _ in throw error } }
        let answer = try await site.post("\(page)/remove", cookie: cookie)

        #expect(answer.status.code == status)
        #expect(answer.banner == message)
        #expect(answer.text.contains("<h1>Remove this image?</h1>"))
    }
}
