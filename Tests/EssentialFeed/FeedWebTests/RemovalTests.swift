import Duet
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
        #expect(site.messages == [.remove(image(1).id), .forget([image(1).id])])
        #expect(site.senders.last == "feed_secret")
    }

    @Test func `a removed image is gone at once, even if an older page of the feed has it`() async throws {
        let site = Site {
            $0.feed = { _ in FeedPage(images: [image(1), image(2)], source: .remote) }
            $0.cached = { [image(1)] }
        }
        _ = try await site.get("/")
        #expect(try await site.get("\(page)/data").status == .ok)
        _ = try await site.post("\(page)/remove", cookie: cookie)
        _ = try await site.get("/")

        #expect(try await site.get("\(page)/data").status == .gone)
        #expect(try await site.get(page).status == .gone)
        #expect(try await site.get("/images/\(image(2).id)/data").status == .ok)
    }

    @Test func `images that others remove are forgotten, each once`() async throws {
        let ids = (1...3).map { image($0).id }
        let site = Site(removals: [[ids[0]], [ids[1], ids[0]], [ids[1], ids[0]]]) {
            $0.feed = { _ in FeedPage(images: (1...3).map { image($0) }, source: .remote) }
        }
        _ = try await site.get("/")
        try await site.forgetRemovedImages()

        #expect(site.messages == [.loadFeed(after: nil), .forget([ids[0]]), .forget([ids[1]])])
        for (id, status) in zip(ids, [HTTPResponse.Status.gone, .gone, .ok]) {
            #expect(try await site.get("/images/\(id)/data").status == status)
        }
    }

    @Test(arguments: [(98, false), (99, false), (100, true)])
    func `if removals may have been missed, everything is forgotten`(_ new: UInt8, _ isGap: Bool) async throws {
        let first = (1...100).map { image($0).id }
        let second = (101..<101 + new).map { image($0).id } + first.prefix(100 - Int(new))
        let site = Site(removals: [first, second]) {
            $0.feed = { _ in FeedPage(images: [image(0)], source: .remote) }
        }
        _ = try await site.get("/")
        try await site.forgetRemovedImages()

        #expect(site.messages.contains(.clearCache) == isGap)
        #expect(try await site.get("/images/\(image(0).id)/data").status == (isGap ? .notFound : .ok))
    }

    @Test(arguments: [
        ("en", "Browsers that have shown the image may keep it for up to a day."),
        ("el", "μπορεί να την κρατήσουν έως μία ημέρα."), ("pt-BR", "podem guardá-la por até um dia."),
    ])
    func `the page says what a removal does not reach`(_ language: String, _ sentence: String) async throws {
        #expect(try await site.get("\(page)/remove", language: language, cookie: cookie).text.contains(sentence))
    }

    @Test(
        arguments: [
            (AuthorizationError.forbidden, 403, "Your token does not permit this"),
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
