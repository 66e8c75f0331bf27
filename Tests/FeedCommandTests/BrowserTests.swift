import FeedTesting
import Foundation
import Testing

/// The page in a real browser, with the program's two servers.
@Suite(.serialized) struct BrowserTests {
    private let directory: TemporaryDirectory
    private let allShown =
        "!document.querySelector('#more') && !document.querySelector('.frame:not([data-state=loaded])')"
    private let cat = "images/7BC6B6AD-36CE-538F-8CC5-DF0FE69DE0F0"

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `the page shows the feed to its end, also when the server is gone`() async throws {
        let browser = try Browser(home: directory.url)
        defer { browser.close() }
        let backend = try FeedProcess(["serve", "--port", "0"], home: directory.url)
        let remote = try await backend.printed("Backend:")
        let web = try FeedProcess(["web", "--port", "0", "--remote", remote], home: directory.url)
        let page = try #require(URL(string: try await web.printed("Page:")))

        let online = try await browser.open(page, until: allShown)
        #expect(online.html.contains("<title>My Feed</title>"))
        #expect(online.cards == 12)
        #expect(online.shownImages == 12)
        #expect(!online.hasLoadMore)
        #expect(!online.hasBanner)

        let comments = try await browser.open(page.appending(path: cat), until: allShown)
        #expect((2...5).contains(comments.count(#"class="comment""#)))
        #expect(comments.shownImages == 1)

        backend.interrupt()
        #expect(try await backend.finish().status == 0)
        let shown = "document.querySelectorAll('.frame[data-state=loaded]').length == 12"
        let offline = try await browser.open(page, until: shown)
        #expect(offline.cards == 12)
        #expect(offline.shownImages == 12)
        #expect(offline.hasBanner)
        #expect(offline.html.contains("Couldn't connect to server"))
        #expect(offline.html.contains(#"class="age""#))
        web.interrupt()
        #expect(try await web.finish().status == 0)
    }

    @Test func `without a server or a cache the page is empty and shows the reason`() async throws {
        let browser = try Browser(home: directory.url)
        defer { browser.close() }
        let web = try FeedProcess(["web", "--port", "0", "--remote", "http://127.0.0.1:1/"], home: directory.url)
        let address = try #require(URL(string: try await web.printed("Page:")))
        let page = try await browser.open(
            address.appending(queryItems: [URLQueryItem(name: "lang", value: "pt-BR")]),
            until: "true"
        )
        #expect(page.html.contains("<title>Meu Feed</title>"))
        #expect(page.cards == 0)
        #expect(page.hasBanner)
        #expect(page.html.contains("Não foi possível conectar com o servidor"))
        web.interrupt()
        #expect(try await web.finish().status == 0)
    }

    @Test func `comments appear without leaving the page, and the way back keeps the loaded pages`() async throws {
        let browser = try Browser(home: directory.url)
        defer { browser.close() }
        let demo = try FeedProcess(["demo", "--web-port", "0", "--backend-port", "0"], home: directory.url)
        let page = try #require(URL(string: try await demo.printed("Page:")))
        _ = try await browser.open(page, until: allShown)

        try await browser.act("document.querySelectorAll('.card h2 a')[11].click()")
        let empty = try await browser.wait(until: "location.pathname != '/' && document.querySelector('#comment')")
        let comments = empty.count(#"class="comment""#)
        try await browser.act(
            """
            window.stays = true;
            const form = document.querySelector('#comment');
            form.elements.username.value = 'Ann';
            form.elements.message.value = '<script>alert(1)</' + 'script>';
            form.requestSubmit();
            """
        )
        let posted = try await browser.wait(
            until: "window.stays && document.querySelector('#status').textContent == 'Comment posted'"
        )
        #expect(posted.count(#"class="comment""#) == comments + 1)
        #expect(posted.html.contains("&lt;script&gt;alert(1)&lt;/script&gt;</p>"))

        for way in ["document.querySelector('.back').click()", "history.back()"] {
            try await browser.act(way)
            let feed = try await browser.wait(until: "document.querySelectorAll('.card').length == 12")
            #expect(feed.cards == 12, "\(way)")
            #expect(!feed.hasLoadMore, "\(way)")
            try await browser.act("document.querySelectorAll('.card h2 a')[11].click()")
            _ = try await browser.wait(until: "location.pathname != '/' && document.querySelector('#comment')")
        }
        demo.interrupt()
        #expect(try await demo.finish().status == 0)
    }
}
