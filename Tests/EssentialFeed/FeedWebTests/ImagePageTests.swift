import FeedFeature
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct ImagePageTests {
    private let address = "/images/\(image(1).id)"
    private let site = Site { $0.cached = { [image(1, description: "A cat", location: "A sofa"), image(2)] } }

    @Test func `the page has the image's name in its title and its only h1`() async throws {
        let page = try await site.get(address)

        #expect(page.status == .ok)
        #expect(page.text.contains("<title>A cat – My Feed</title>"))
        #expect(page.text.contains(#"<h1 class="description" dir="auto">A cat</h1>"#))
        #expect(page.text.matches(of: /<h1/).count == 1)
        #expect(page.text.contains(#"<p class="location" dir="auto">A sofa</p>"#))
        #expect(page.text.contains(#"<meta name="description" content="A cat · A sofa">"#))
    }

    @Test func `an image without texts still has a name`() async throws {
        let page = try await site.get("/images/\(image(2).id)", language: "el")

        #expect(page.text.contains("<title>Εικόνα χωρίς περιγραφή – Το Feed μου</title>"))
        #expect(!page.text.contains(#"class="location""#))
    }

    @Test func `the link back leads to the image's place in the feed`() async throws {
        let feed = Site { $0.feed = { _ in FeedPage(images: [image(1)], source: .remote) } }
        let later = try await feed.get("/feed?after=\(image(7).id)&lang=el")
        let link = "\(address)?after=\(image(7).id)&amp;lang=el"
        #expect(later.text.contains(#"<a href="\#(link)">"#))

        let page = try await feed.get(link.replacing("&amp;", with: "&"))
        #expect(
            page.text.contains(
                #"<a class="back" href="/?after=\#(image(7).id)&amp;lang=el#image-\#(image(1).id)">"#
            )
        )
        #expect(try await site.get(address).text.contains(#"<a class="back" href="/#image-\#(image(1).id)">"#))
        #expect(try await feed.get("/?after=\(image(7).id)").text.contains(#"id="image-\#(image(1).id)""#))
    }

    @Test(arguments: ["x", "\"><script>alert(1)</script>", "/%2F"])
    func `an invalid position in the address is left out of the links`(_ position: String) async throws {
        let encoded = try #require(position.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let page = try await site.get("\(address)?after=\(encoded)")

        #expect(page.status == .ok)
        #expect(!page.text.contains("after="))
        #expect(!page.text.contains("script>alert"))
    }

    @Test func `absolute addresses appear only if the public address is known`() async throws {
        let unknown = try await site.get(address)
        #expect(!unknown.text.contains("og:"))
        #expect(!unknown.text.contains("canonical"))

        let publicURL = try #require(URL(string: "https://feed.example/photographs/"))
        let known = try await site.get("\(address)?lang=el&after=\(image(7).id)", publicURL: publicURL)
        let url = "https://feed.example/photographs\(address)"
        #expect(known.text.contains(#"<link rel="canonical" href="\#(url)">"#))
        #expect(known.text.contains(#"<meta property="og:url" content="\#(url)">"#))
        #expect(known.text.contains(#"<meta property="og:title" content="A cat">"#))
        #expect(known.text.contains(#"<meta property="og:image" content="\#(url)/data?v="#))
    }

    @Test func `the former address of the comments leads to the page`() async throws {
        let answer = try await site.get("\(address)/comments?lang=el")

        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == "\(address)?lang=el#comments")
    }

    @Test(arguments: [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("שלום \u{202E}abc", "שלום \u{202E}abc"),
        (String(repeating: "x", count: 10_000), String(repeating: "x", count: 10_000)),
        ("👩\u{200D}🚀\u{200D}\u{200D}", "👩\u{200D}🚀\u{200D}\u{200D}"),
        ("a\u{0}b", "a\u{0}b"),
    ])
    func `hostile texts are shown as text, in their own direction`(_ hostile: String, _ shown: String) async throws {
        let site = Site {
            $0.cached = { [image(1, description: hostile, location: hostile)] }
            $0.comments = { _ in
                [ImageComment(id: image(9).id, message: hostile, createdAt: Site.now, username: hostile)]
            }
        }
        let page = try await site.get(address)

        #expect(page.text.contains(#"<h1 class="description" dir="auto">\#(shown)</h1>"#))
        #expect(page.text.contains(#"<p class="location" dir="auto">\#(shown)</p>"#))
        // Of a name, only what is visible.
        #expect(page.text.contains(#"<b dir="auto">\#(shown.asName)</b>"#))
        #expect(page.text.contains(#"<p class="message" dir="auto">\#(shown)</p>"#))
        #expect(!page.text.contains("<script>alert"))
        let title = try #require(page.text.firstMatch(of: /<title>([^<]*)<\/title>/)).1
        #expect(title.unicodeScalars.count <= 200)
    }
}
