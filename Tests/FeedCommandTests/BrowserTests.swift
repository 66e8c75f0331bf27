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
}
