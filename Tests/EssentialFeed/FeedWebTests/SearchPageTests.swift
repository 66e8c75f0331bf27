import DuetTesting
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct SearchPageTests {
    @Test func `the form of the feed states every choice`() async throws {
        let text = try await Site().get("/?lang=el").text

        #expect(text.contains(#"<form id="search" class="search" role="search" method="get" action="/">"#))
        #expect(text.contains(#"name="q" type="search" aria-label="Λέξεις στην περιγραφή ή την τοποθεσία""#))
        #expect(text.contains(#"value="" maxlength="100" dir="auto""#))
        for option in ["day", "week", "month", "oldest", "most_commented"] {
            #expect(text.contains(#"<option value="\#(option)">"#), "\(option)")
        }
        #expect(!text.contains("Καθαρισμός"))
        #expect(text.contains(#"<input type="hidden" name="lang" value="el">"#))
    }

    @Test func `every parameter becomes a part of the query`() async throws {
        let site = Site()
        _ = try await site.get(
            "/?q=+caf%C3%A9++table&has_location=true&has_comments=true&published_since=week&sort=most_commented"
        )
        let since = Date(timeIntervalSince1970: 1_700_000_000 - 7 * 86_400 - 20)

        #expect(
            site.messages == [
                .search(
                    SearchFeed(
                        "café table",
                        filter: FeedFilter(hasLocation: true, hasComments: true, publishedSince: since),
                        order: .mostCommented
                    )
                )
            ]
        )
    }

    @Test(arguments: ["/?q=", "/?q=+%20&published_since=&sort=", "/?q=&sort=newest&lang=el", "/?other=1"])
    func `a form without a choice shows the whole feed`(_ path: String) async throws {
        let site = Site()
        let page = try await site.get(path)

        #expect(site.messages == [.loadFeed(after: nil)])
        #expect(page.text.contains("<h1>My Feed</h1>") || page.text.contains("<h1>Το Feed μου</h1>"))
    }

    @Test func `the results have their own title, their number and the choices`() async throws {
        let site = Site { $0.search = { _ in results(1, 2) } }
        let page = try await site.get("/?q=cat&has_comments=true&sort=oldest")

        #expect(page.status == .ok)
        #expect(page.text.contains("<title>Search: cat – My Feed</title>"))
        #expect(page.text.contains("<h1>Search: cat</h1>"))
        #expect(page.cards == [image(1).id.uuidString, image(2).id.uuidString])
        #expect(page.text.contains(#"<p class="found">2 images found</p>"#))
        #expect(page.text.contains(#"placeholder="Search" value="cat""#))
        #expect(page.text.contains(#"name="has_comments" value="true" checked>"#))
        #expect(page.text.contains(#"name="has_location" value="true">"#))
        #expect(page.text.contains(#"<option value="oldest" selected>Oldest first</option>"#))
        #expect(page.text.contains(#"<a class="chip clear" href="/">Clear search</a>"#))
        #expect(!page.text.contains(#"id="news""#))
        #expect(page.headers[.cacheControl] == "private, no-cache")
    }

    @Test(arguments: [
        ("en", "No images match this search."), ("el", "Καμία εικόνα δεν ταιριάζει με αυτή την αναζήτηση."),
        ("pt-BR", "Nenhuma imagem corresponde a esta busca."),
    ])
    func `without results, the page says so`(_ language: String, _ text: String) async throws {
        let page = try await Site().get("/?q=cat", language: language)

        #expect(page.text.contains(#"<div class="empty"><p>\#(text)</p>"#))
        #expect(page.more == nil)
    }

    @Test func `load more continues the search, even without scripts`() async throws {
        let site = Site { $0.search = { query in query.page == nil ? results(1, 2) : results(3) } }
        let first = try await site.get("/?q=a+cat&published_since=day&lang=el").text
        let form = try #require(first.firstMatch(of: /<form id="more"[^>]*>([\s\S]*?)<\/form>/)).1
        let fields = form.matches(of: /<input type="hidden" name="([^"]+)" value="([^"]*)">/).map { "\($0.1)=\($0.2)" }
        #expect(fields == ["after=\(image(2).id)", "published_since=day", "q=a cat", "lang=el"])

        let address = "q=a+cat&published_since=day&after=\(image(2).id)"
        #expect(try await site.get("/?\(address)").cards == [image(3).id.uuidString])
        #expect(try await site.get("/feed?\(address)").cards == [image(3).id.uuidString])
        let queries = site.spy.messages(of: SearchFeed.self)
        #expect(queries.map(\.page) == [nil, FeedCursor(imageID: image(2).id), FeedCursor(imageID: image(2).id)])
        #expect(Set(queries.map(\.searchText)) == ["a cat"])
        #expect(Set(queries.map(\.filter?.publishedSince)).count == 1)
    }

    @Test func `pages of the most commented images continue at their number of comments`() async throws {
        let site = Site { $0.search = { _ in results(1, 2) } }
        let first = try await site.get("/?sort=most_commented").text
        #expect(first.contains(#"<input type="hidden" name="after_comments" value="2">"#))
        #expect(first.contains(#"data-id="\#(image(2).id)" data-comments="2">"#))
        #expect(try await !site.get("/?q=cat").text.contains("after_comments"))

        _ = try await site.get("/feed?sort=most_commented&after=\(image(2).id)&after_comments=2")
        let last = try #require(site.spy.messages(of: SearchFeed.self).last)
        #expect(last.page == FeedCursor(imageID: image(2).id, commentCount: 2))
    }

    @Test(arguments: [
        "has_comments=yes", "has_comments=false", "has_location=1", "published_since=2020", "published_since=Day",
        "sort=best", "sort=mostCommented", "q=cat&after=7", "q=cat&after=\(image(1).id)&after_comments=-1",
        "q=cat&after=\(image(1).id)&after_comments=many",
    ])
    func `an invalid parameter is a bad request, and the page says so`(_ parameters: String) async throws {
        let site = Site()
        for path in ["/?\(parameters)", "/feed?\(parameters)"] {
            let page = try await site.get(path, language: "pt-BR")

            #expect(page.status == .badRequest, "\(path)")
            #expect(page.text.contains("Não foi possível entender a solicitação"), "\(path)")
        }
        #expect(site.messages.isEmpty)
    }

    @Test(arguments: [99, 100, 101])
    func `a text may have 100 characters, and a longer one is a fault of its field`(_ count: Int) async throws {
        let text = String(repeating: "é", count: count)
        let encoded = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let page = try await Site().get("/?q=\(encoded)")

        #expect(page.status == (count > 100 ? .unprocessableContent : .ok))
        #expect(page.text.contains(#"aria-invalid="true" aria-describedby="q-fault""#) == (count > 100))
        #expect(page.text.contains("Shorten this text to 100 characters") == (count > 100))
        #expect(page.text.contains(#"value="\#(text)""#))
        #expect(page.text.contains("<h1>Search: \(text.prefix(59))…</h1>"))
        #expect(page.banner == nil)
    }

    @Test func `a text that the server refuses is a fault of its field`() async throws {
        let site = Site { $0.search = { _ in throw InvalidMessage(field: "q", reason: "has a null character") } }
        let page = try await site.get("/?q=a%00b")

        #expect(page.status == .unprocessableContent)
        #expect(page.text.contains(#"<p id="q-fault" class="failure">This request cannot be understood</p>"#))
    }

    @Test func `a position that never existed is not found`() async throws {
        let site = Site { $0.search = { _ in throw ImageNotFound(id: image(9).id) } }

        let page = try await site.get("/?q=cat&after=\(image(9).id)")
        #expect(page.status == .notFound)
        #expect(page.banner == "There is nothing here")
        #expect(try await site.get("/feed?q=cat&after=\(image(9).id)").status == .notFound)
    }

    @Test func `results from the saved feed are labeled, with the conditions that were left out`() async throws {
        let site = Site {
            $0.search = { _ in
                FeedSearchPage(
                    images: [image(1)],
                    source: .cache(savedAt: Site.now.addingTimeInterval(-300)),
                    failure: .connectivity("refused"),
                    unapplied: [.hasComments]
                )
            }
        }
        let page = try await site.get("/?has_comments=true")

        #expect(page.status == .ok)
        #expect(page.banner == nil)
        #expect(
            page.text.contains(#"data-text="Searched in the feed saved %@">Searched in the feed saved 5 minutes ago<"#)
        )
        #expect(page.text.contains("Only the server can apply: With comments"))
        #expect(page.text.contains("1 image found"))
        #expect(page.cards.count == 1)
        #expect(page.more == nil)
    }

    @Test func `links keep the search: to an image and back, to other languages, and to sign in`() async throws {
        let site = Site { $0.search = { _ in results(1) } }
        let page = try await site.get("/?sort=oldest&q=a+%26+b&lang=el").text
        let link = "/images/\(image(1).id)?lang=el&amp;q=a%20%26%20b&amp;sort=oldest"
        #expect(page.contains(#"<a href="\#(link)">"#))
        #expect(page.contains(#"<a href="/?lang=pt-BR&amp;q=a%20%26%20b&amp;sort=oldest" lang="pt-BR""#))
        #expect(page.contains("return=%2F%3Flang%3Del%26q%3Da%2520%2526%2520b%26sort%3Doldest"))
        let refresh = try #require(page.firstMatch(of: /<form id="refresh"[^>]*>([\s\S]*?)<\/form>/)).1
        #expect(refresh.contains(#"name="q" value="a &amp; b""#))

        let back = try await site.get(link.replacing("&amp;", with: "&")).text
        #expect(
            back.contains(#"href="/?lang=el&amp;q=a%20%26%20b&amp;sort=oldest#image-\#(image(1).id)">"#)
        )
    }

    @Test func `the bytes of a found image can be loaded`() async throws {
        let site = Site { $0.search = { _ in results(1) } }
        _ = try await site.get("/?q=cat")

        #expect(try await site.get("/images/\(image(1).id)/data").status == .ok)
    }

    @Test(arguments: [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        (#"" autofocus onfocus="alert(1)"#, "&quot; autofocus onfocus=&quot;alert(1)"),
        ("שלום \u{202E}abc", "שלום \u{202E}abc"),
        ("👩\u{200D}🚀\u{200D}\u{200D}", "👩\u{200D}🚀\u{200D}\u{200D}"),
        ("{{title}} %@ %s", "{{title}} %@ %s"),
    ])
    func `a hostile search text is shown as text`(_ hostile: String, _ shown: String) async throws {
        let encoded = try #require(hostile.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let site = Site { $0.search = { _ in results(1) } }
        let page = try await site.get("/?q=\(encoded)").text

        #expect(page.contains("<h1>Search: \(shown)</h1>"))
        #expect(page.contains(#" placeholder="Search" value="\#(shown)""#))
        #expect(page.matches(of: /<script/).count == 1)
        #expect(!page.contains(#"" onfocus="#) && !page.contains(#"" autofocus"#))
        #expect(site.spy.messages(of: SearchFeed.self).map(\.searchText) == [hostile])
    }
}

/// Returns a page with the nth images, each with n comments.
private func results(_ numbers: UInt8...) -> FeedSearchPage {
    FeedSearchPage(
        images: numbers.map { image($0).with(publishedAt: Site.now, commentCount: Int($0)) },
        source: .remote
    )
}
