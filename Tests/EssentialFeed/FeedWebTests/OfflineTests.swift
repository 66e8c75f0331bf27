import Duet
import FeedFeature
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@Suite struct OfflineTests {
    private let site = Site {
        $0.feed = { _ in FeedPage(images: [image(1), image(2)], source: .remote) }
        $0.cached = { [image(1)] }
        $0.comments = { _ in [ImageComment(id: image(5).id, message: "Nice", createdAt: Site.now, username: "Lin")] }
    }
    private let page = "/images/\(image(1).id)"

    @Test func `the service worker may control every page, and browsers ask for it each time`() async throws {
        let worker = try await site.get("/sw.js")
        let policy = try #require(HTTPField.Name("Content-Security-Policy"))

        #expect(worker.status == .ok)
        #expect(worker.headers[.cacheControl] == "no-cache")
        for path in ["/", page, "/offline", "/sw.js"] {
            let sources = try await site.get(path).headers[policy]?.split(separator: "; ") ?? []
            #expect(sources.contains("worker-src 'self'"), "\(path)")
            #expect(sources.contains("connect-src 'self'"), "\(path)")
        }
    }

    @Test func `pages name the version of their script and style, which the worker keeps with them`() async throws {
        let worker = try await site.get("/sw.js").text
        let version = try #require(worker.firstMatch(of: /const version = '([0-9a-z]+)'/)?.1)

        #expect(worker.contains("const languages = 'en el pt-BR'.split(' ');"))
        for path in ["/", page, "/offline", "/nothing"] {
            let text = try await site.get(path).text
            #expect(text.contains(#"href="/style.css?v=\#(version)""#), "\(path)")
            #expect(text.contains(#"src="/page.js?v=\#(version)""#), "\(path)")
        }
        let current = try await site.get("/page.js?v=\(version)")
        #expect(current.status == .ok)
        #expect(try await current.body == site.get("/page.js").body)
    }

    @Test func `a page of an older version gets no newer script, because it works without one`() async throws {
        for path in ["/page.js?v=old", "/writing.js?v=old", "/page.js?v=", "/sw.js?v=old"] {
            #expect(try await site.get(path).status == .notFound, "\(path)")
        }
        #expect(try await site.get("/style.css?v=old").status == .ok)
    }

    @Test(arguments: [
        ("en", "Couldn&#39;t connect to server", "This page was not saved in this browser."),
        ("el", "Δεν ήταν δυνατή η σύνδεση στο διακομιστή", "Αυτή η σελίδα δεν έχει αποθηκευτεί"),
        ("pt-BR", "Não foi possível conectar com o servidor", "Esta página não foi salva neste navegador."),
    ])
    func `the page for what was not kept has the reason, a way to retry, and links relative to any address`(
        _ language: String,
        _ reason: String,
        _ message: String
    ) async throws {
        let answer = try await site.get("/offline?lang=\(language)", cookie: "session=feed_secret-0")

        #expect(answer.banner == reason)
        #expect(answer.text.contains(message))
        #expect(answer.text.contains(#"<a class="again" href="">"#))
        #expect(answer.text.contains(#"<a href="?lang=el" lang="el""#))
        #expect(site.messages.isEmpty)
    }

    @Test func `every page states its language, so that browsers keep it under this language`() async throws {
        let next = "/feed?after=\(image(1).id)"
        for (language, path) in [("en", "/"), ("el", page), ("pt-BR", next), ("el", "/nothing")] {
            #expect(try await site.get(path, language: language).headers[.contentLanguage] == language, "\(path)")
        }
        let failing = Site { $0.feed = { _ in throw RemoteFailure.connectivity("refused") } }
        let failure = try await failing.get(next, language: "el")
        #expect(failure.headers[.contentLanguage] == "el")
    }

    @Test func `pages have the parts that the service worker looks for`() async throws {
        let feed = try await site.get("/").text
        let discussion = try await site.get(page).text

        for text in [feed, discussion] {
            #expect(text.contains("<html lang="))
            #expect(text.contains(#"class="banner" hidden"#))
            #expect(text.contains(#"<p class="kept" hidden><time data-text="You see th"#))
        }
        #expect(feed.matches(of: /<img[^>]* src="\/images\/[^"]+\/data\?v=[^"]+"/).count == 2)
        // The worker removes these, because comments are never kept.
        #expect(discussion.matches(of: /<(li|p) class="(comment|empty)[^"]*"/).count == 1)
        #expect(discussion.contains(#"<li class="comment" id="comment-\#(image(5).id)" data-id="\#(image(5).id)">"#))
        #expect(discussion.contains(#"<template id="waiting">"#))
    }

    @Test func `without the backend, a comment's response differs from every refusal`() async throws {
        func status(_ error: any Error) async throws -> TestResponse {
            let site = Site { $0.command = { _ in throw error } }
            let fields = ["id": image(42).id.uuidString, "username": "Ann", "message": "Nice"]
            return try await site.post("\(page)/comments", fields, cookie: "session=feed_secret-0")
        }
        let unreachable = try await status(RemoteFailure.connectivity("refused"))
        #expect(unreachable.status == .badGateway)
        #expect(unreachable.headers[.contentLanguage] == "en")
        #expect(unreachable.text.contains(#"<form id="comment""#))
        for error: any Error in [
            AuthorizationError.unauthenticated, ImageNotFound(id: image(1).id),
            InvalidMessage(field: "message", reason: "is empty"),
        ] {
            #expect(try await status(error).status != .badGateway)
        }
    }
}
