import FeedFeature
import FeedWeb
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct FeedPageTests {
    @Test func `the page shows the images in the feed's order`() async throws {
        let site = Site {
            $0.feed = { _ in
                FeedPage(images: [image(2, description: "A cat", location: "A sofa"), image(1)], source: .remote)
            }
        }
        let page = try await site.get("/")

        #expect(page.status == .ok)
        #expect(page.headers[.contentType] == "text/html; charset=utf-8")
        #expect(page.text.contains("<h1>My Feed</h1>"))
        #expect(page.cards == [image(2).id.uuidString, image(1).id.uuidString])
        #expect(page.text.contains(#"<a href="/images/\#(image(2).id)">A cat</a></h2>"#))
        #expect(page.text.contains(#"<p class="location" dir="auto">A sofa</p>"#))
        #expect(page.text.contains(#" src="/images/\#(image(2).id)/data?v="#))
        #expect(page.banner == nil)
        #expect(!page.text.contains(#"class="age""#))
        #expect(site.messages == [.loadFeed(after: nil)])
    }

    @Test(arguments: [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        (#"" onerror="alert(1)"#, "&quot; onerror=&quot;alert(1)"),
        ("' &amp;", "&#39; &amp;amp;"),
        ("{{title}} {{{text}}} {{>layout}}", "{{title}} {{{text}}} {{&gt;layout}}"),
        ("שלום \u{202E}abc", "שלום \u{202E}abc"),
        (String(repeating: "x", count: 10_000), String(repeating: "x", count: 10_000)),
        ("👩\u{200D}🚀\u{200D}\u{200D}", "👩\u{200D}🚀\u{200D}\u{200D}"),
    ])
    func `hostile text is shown as text`(_ hostile: String, _ shown: String) async throws {
        let site = Site {
            $0.feed = { _ in
                FeedPage(images: [image(1, description: hostile, location: hostile)], source: .remote)
            }
        }
        let page = try await site.get("/")

        #expect(page.text.contains(#"<h2 class="description" dir="auto">"#))
        #expect(page.text.contains(#">\#(shown)</a></h2>"#))
        #expect(page.text.contains(#"<p class="location" dir="auto">\#(shown)</p>"#))
        #expect(page.text.contains(#"alt="\#(shown)""#))
        #expect(!page.text.contains(hostile + "</") || hostile == shown)
    }

    @Test func `a cached feed shows its images and its age, and no failure`() async throws {
        let site = Site {
            $0.feed = { _ in
                let savedAt = Site.now.addingTimeInterval(-300)
                return FeedPage(images: [image(1)], source: .cache(savedAt: savedAt), failure: .connectivity("refused"))
            }
        }
        let page = try await site.get("/")

        #expect(page.status == .ok)
        #expect(page.cards.count == 1)
        #expect(page.banner == nil)
        #expect(
            page.text.contains(#"data-text="You see the feed saved %@">You see the feed saved 5 minutes ago</time>"#)
        )
        #expect(page.text.contains(#"<p class="age"><time datetime="2023-11-14T22:08:20Z""#))
        #expect(!page.text.contains("refused"))
    }

    @Test func `with nothing usable the list is empty and the banner shows the reason`() async throws {
        let site = Site {
            $0.feed = { _ in FeedPage(images: [], source: .nowhere, failure: .connectivity("refused")) }
        }
        let page = try await site.get("/")

        #expect(page.status == .ok)
        #expect(page.cards.isEmpty)
        #expect(page.banner == "Couldn&#39;t connect to server")
        #expect(!page.text.contains(#"class="empty""#))
        #expect(page.more == nil)
    }

    @Test(
        arguments: [
            (RemoteFailure.connectivity("refused"), 502, "Couldn&#39;t connect to server"),
            (RemoteFailure.invalidData("no items"), 502, "The server&#39;s response could not be used"),
            (CocoaError(.fileReadCorruptFile), 500, "Something went wrong"),
        ] as [(any Error, Int, String)]
    )
    func `an error shows the empty page with a banner`(_ error: any Error, _ status: Int, _ message: String)
        async throws
    {
        let site = Site { $0.feed = { _ in throw error } }
        let page = try await site.get("/")

        #expect(page.status.code == status)
        #expect(page.text.contains("<h1>My Feed</h1>"))
        #expect(page.banner == message)
    }

    @Test func `load more continues after the last image, even without scripts`() async throws {
        let site = Site {
            $0.feed = { after in
                FeedPage(images: after == nil ? [image(1), image(2)] : [image(3)], source: .remote)
            }
        }
        let first = try await site.get("/")
        let last = try #require(first.more)
        let second = try await site.get("/?after=\(last)")

        #expect(last == image(2).id.uuidString)
        #expect(second.cards == [image(3).id.uuidString])
        #expect(try await Site().get("/?after=\(last)").text.contains(#"<div class="empty"><p>No more images</p>"#))
        #expect(site.messages == [.loadFeed(after: nil), .loadFeed(after: image(2).id)])
    }

    @Test func `the first row loads at once, and the rest when it comes into view`() async throws {
        let site = Site { $0.feed = { _ in FeedPage(images: (1...5).map { image($0) }, source: .remote) } }
        let images = try await site.get("/").text.matches(of: /<img [^>]*>/).map { String($0.output) }

        #expect(images.map { $0.contains(#"loading="lazy""#) } == [false, false, false, true, true])
        #expect(images.map { $0.contains(#"fetchpriority="high""#) } == [true, false, false, false, false])
        let next = try await site.get("/feed?after=\(image(9).id)").text
        #expect(next.matches(of: /loading="lazy"/).count == 5)
    }

    @Test func `each card has one heading and one link for the keyboard`() async throws {
        let site = Site {
            $0.feed = { _ in FeedPage(images: [image(1, description: "A cat"), image(2)], source: .remote) }
        }
        let page = try await site.get("/").text

        #expect(page.matches(of: /<h2/).count == 2)
        #expect(page.contains(#"<h2 class="unseen"><a href="/images/\#(image(2).id)">Image without a description</a>"#))
        let links = page.matches(of: /<a href="\/images\/[^"]*"( tabindex="-1" aria-hidden="true")?>/)
        #expect(links.map { $0.1 != nil } == [true, false, true, false])
    }

    @Test func `a browser may keep the page for the way back, but must ask before it is shown anew`() async throws {
        #expect(try await Site().get("/").headers[.cacheControl] == "private, no-cache")
        #expect(try await Site().get("/feed?after=\(image(1).id)").headers[.cacheControl] == "no-store")
    }
}
