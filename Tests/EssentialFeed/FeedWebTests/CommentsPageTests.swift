import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct CommentsPageTests {
    private let comments = [
        ImageComment(id: image(10).id, message: "Nice", createdAt: Site.now.addingTimeInterval(-300), username: "Ada"),
        ImageComment(id: image(11).id, message: "<b>Where?", createdAt: Site.now, username: "<Lin>"),
    ]

    @Test func `comments show message, user name and date below their image`() async throws {
        let page = try await site().get("/images/\(image(1).id)")

        #expect(page.status == .ok)
        #expect(page.text.contains("<h2>Comments</h2>"))
        #expect(page.text.contains(#" src="/images/\#(image(1).id)/data?v="#))
        #expect(page.text.contains(#"<b dir="auto">Ada</b>"#))
        #expect(
            page.text.contains(/<time datetime="2023-11-14T22:08:20Z" title="November 14, 2023 [^"]+">5 minutes ago</)
        )
        #expect(page.text.contains(#"<p class="message" dir="auto">Nice</p>"#))
        #expect(page.comments == ["Nice", "&lt;b&gt;Where?"])
        #expect(page.text.contains(#"<b dir="auto">&lt;Lin&gt;</b>"#))
    }

    @Test func `addresses in comments are links, as they are written`() async throws {
        let texts = [
            "See https://a.example/?a=1&b=\"2, or (http://b.example/c_(d)).", "javascript:alert(1) www.a.example",
            "https://bank.example@evil.example/", "https://a.example/'><b>", "\u{202E}https://a.example/b\u{202E}c",
        ]
        let comments = texts.enumerated().map { index, text in
            ImageComment(id: image(UInt8(20 + index)).id, message: text, createdAt: Site.now, username: "Ada")
        }
        let page = try await Site { $0.comments = { _ in comments } }.get("/images/\(image(1).id)").text
        let shown = page.matches(of: /<p class="message" dir="auto">(.*?)<\/p>/).map { String($0.1) }
        func link(_ address: String) -> String {
            #"<a dir="ltr" rel="nofollow noopener noreferrer ugc" href="\#(address)">\#(address)</a>"#
        }

        #expect(
            shown == [
                "See \(link("https://a.example/?a=1&amp;b="))&quot;2, or (\(link("http://b.example/c_(d)"))).",
                "javascript:alert(1) www.a.example", "https://bank.example@evil.example/",
                "\(link("https://a.example/"))&#39;&gt;&lt;b&gt;",
                "\u{202E}\(link("https://a.example/b"))\u{202E}c",
            ]
        )
    }

    @Test func `comments are loaded each time and stored nowhere`() async throws {
        let site = site()
        let first = try await site.get("/images/\(image(1).id)")
        _ = try await site.get("/images/\(image(1).id)")

        #expect(first.headers[.cacheControl] == "no-store")
        #expect(site.messages.count { $0 == .loadImageComments(image(1).id) } == 2)
    }

    @Test func `comments on an image unknown to this server are shown without it`() async throws {
        let page = try await site().get("/images/\(image(2).id)")

        #expect(page.status == .ok)
        #expect(page.text.contains("Nice"))
        #expect(page.text.contains("<h1>Comments</h1>"))
        #expect(!page.text.contains("<img"))
    }

    @Test func `comments are shown even if the cache cannot be read`() async throws {
        let site = Site { [comments] in
            $0.cached = { throw RemoteFailure.connectivity("refused") }
            $0.comments = { _ in comments }
        }

        #expect(try await site.get("/images/\(image(1).id)").text.contains("Nice"))
    }

    @Test(arguments: [
        (
            "en", "Couldn&#39;t connect to server",
            "The comments could not be loaded. They appear when the server can be reached."
        ),
        (
            "el", "Δεν ήταν δυνατή η σύνδεση στο διακομιστή",
            "Τα σχόλια δεν ήταν δυνατό να φορτωθούν. Εμφανίζονται όταν ο διακομιστής είναι διαθέσιμος."
        ),
        (
            "pt-BR", "Não foi possível conectar com o servidor",
            "Não foi possível carregar os comentários. Eles aparecem quando o servidor estiver disponível."
        ),
    ])
    func `a failure shows the banner, and one sentence in place of comments`(
        _ language: String,
        _ message: String,
        _ sentence: String
    ) async throws {
        let site = Site { $0.comments = { _ in throw RemoteFailure.connectivity("refused") } }
        let page = try await site.get("/images/\(image(1).id)", language: language)

        #expect(page.status == .badGateway)
        #expect(page.banner == message)
        #expect(page.text.contains(#"<p class="empty">\#(sentence)</p>"#))
        #expect(!page.text.contains(#"class="comment""#))
    }

    @Test(arguments: [
        ("en", "This image was removed, or it never existed."),
        ("el", "Αυτή η εικόνα αφαιρέθηκε ή δεν υπήρξε ποτέ."),
        ("pt-BR", "Esta imagem foi removida ou nunca existiu."),
    ])
    func `a removed image has one sentence in place of title, picture and form, and is forgotten`(
        _ language: String,
        _ sentence: String
    ) async throws {
        let site = Site {
            $0.cached = { [image(1, description: "A cat")] }
            $0.comments = { _ in throw ImageNotFound(id: image(1).id) }
        }
        for status in [HTTPResponse.Status.notFound, .gone] {
            let page = try await site.get("/images/\(image(1).id)", language: language)

            #expect(page.status == status)
            #expect(page.text.contains(#"<p class="removed">\#(sentence)</p>"#))
            for part in ["A cat", "<img", "<form id=\"comment\"", "class=\"empty\""] {
                #expect(!page.text.contains(part))
            }
            #expect(page.banner == nil)
        }
        #expect(try await site.get("/images/\(image(1).id)/data").status == .gone)
        #expect(site.messages.last == .forget([image(1).id]))
        #expect(site.messages.count { $0 == .forget([image(1).id]) } == 1)
    }

    @Test func `an invented id is not found, and makes nothing stale`() async throws {
        let site = Site { $0.comments = { throw ImageNotFound(id: $0) } }
        let page = try await site.get("/images/\(image(1).id)")

        #expect(page.status == .notFound)
        #expect(page.text.contains("This image was removed, or it never existed."))
        #expect(!site.messages.contains(.forget([image(1).id])))
    }

    // MARK: Long discussions

    private let path = "/images/\(image(1).id)"

    @Test func `a page shows at most 50 comments, and leads to the ones before them`() async throws {
        let site = Site { $0.comments = { _ in manyComments(125) } }
        let newest = try await site.get(path)
        let middle = try await site.get(path + "?before=\(image(75).id)")
        let first = try await site.get(path + "?before=\(image(25).id)")

        #expect(newest.comments == (75..<125).map { "Comment \($0)" })
        #expect(newest.links == [#"<a href="\#(path)?before=\#(image(75).id)#comments">Earlier comments</a>"#])
        #expect(middle.comments == (25..<75).map { "Comment \($0)" })
        #expect(middle.links.count == 2)
        #expect(middle.links.first == #"<a href="\#(path)?before=\#(image(25).id)#comments">Earlier comments</a>"#)
        #expect(middle.links.last == #"<a id="newest" href="\#(path)#comments">Newest comments</a>"#)
        #expect(first.comments == (0..<25).map { "Comment \($0)" })
        #expect(first.links == middle.links.suffix(1))
    }

    @Test func `links to other comments keep the place in the feed and the language`() async throws {
        let site = Site { $0.comments = { _ in manyComments(51) } }
        let page = try await site.get(path + "?lang=el&after=\(image(2).id)")

        #expect(page.comments.count == 50)
        #expect(
            page.links == [
                #"<a href="\#(path)?after=\#(image(2).id)&amp;before=\#(image(1).id)&amp;lang=el#comments">"#
                    + "Προηγούμενα σχόλια</a>"
            ]
        )
        let first = try await site.get(path + "?before=\(image(1).id)")
        #expect(first.text.contains(#"href="\#(path)?before=\#(image(1).id)&amp;lang=el""#))
    }

    @Test(arguments: ["", "0", "x", "51"])
    func `an invalid end shows the newest comments`(_ end: String) async throws {
        let page = try await Site { $0.comments = { _ in manyComments(50) } }.get(path + "?before=\(end)")

        #expect(page.comments.count == 50)
        #expect(page.links.isEmpty)
    }

    @Test func `a page before a comment that never was leads to the newest one`() async throws {
        let site = Site { $0.comments = { _ in throw InvalidMessage(field: "before_id", reason: "must be known") } }
        let page = try await site.get(path + "?after=\(image(2).id)&before=\(image(3).id)")

        #expect(page.status == .seeOther)
        #expect(page.headers[.location] == "\(path)?after=\(image(2).id)#comments")
    }

    @Test func `comments that wait are below the newest ones only`() async throws {
        let site = Site {
            $0.cached = { [image(1)] }
            $0.comments = { _ in manyComments(60) }
            $0.command = { _ in throw RemoteFailure.connectivity("refused") }
        }
        let fields = ["id": image(99).id.uuidString, "message": "Waiting", "username": "me"]
        let cookie = "waiting=\(try await site.post(path + "/comments", fields).waiting.joined(separator: "."))"
        #expect(try await site.get(path, cookie: cookie).comments.last == "Waiting")
        #expect(try await site.get(path + "?before=\(image(10).id)", cookie: cookie).comments.last == "Comment 9")
        #expect(try await site.get(path).comments.last == "Comment 59")
    }

    @Test func `an earlier page without comments does not say that nobody has commented`() async throws {
        let page = try await Site { $0.comments = { _ in manyComments(1) } }.get(path + "?before=\(image(0).id)")

        #expect(page.comments.isEmpty)
        #expect(!page.text.contains("Nobody has commented yet."))
        #expect(page.links.count == 1)
    }

    @Test func `an open page gets the newest comments, without the reader's place in the feed`() async throws {
        let site = Site(reported: [manyComments(125)])
        let newest = try await site.get(path + "/live?after=\(image(2).id)")

        #expect(newest.comments == (75..<125).map { "Comment \($0)" })
        #expect(newest.links == [#"<a href="\#(path)?before=\#(image(75).id)#comments">Earlier comments</a>"#])
    }

    @Test(arguments: [true, false])
    func `an open page gets comments that are stale only if they are the newest ones`(areNewest: Bool) async throws {
        let site = Site(reported: [manyComments(2)], asStale: areNewest)

        #expect(try await site.get(path + "/live").comments == (areNewest ? ["Comment 0", "Comment 1"] : []))
    }

    @Test func `a page of earlier comments has no events`() async throws {
        let site = Site(reported: [manyComments(125)])

        #expect(try await site.get(path + "/live?before=\(image(25).id)").status == .noContent)
    }

    @Test func `the first line of an event has the removed images`() async throws {
        let removals = [[image(1).id, image(2).id]]
        let alone = try await Site(reported: [manyComments(1)]).get(path + "/live")
        let both = try await Site(removals: removals, reported: [manyComments(1)]).get(path + "/live")

        #expect(alone.text.contains("\ndata: \n"))
        #expect(both.text.contains("\ndata: \(image(1).id) \(image(2).id)\n"))
        #expect(alone.comments == both.comments)
        #expect(both.comments == ["Comment 0"])
    }

    private func site() -> Site {
        Site { [comments] in
            $0.cached = { [image(1, description: "A cat")] }
            $0.comments = { _ in comments }
        }
    }
}

private func manyComments(_ count: Int) -> [ImageComment] {
    (0..<count).map {
        ImageComment(id: image(UInt8($0)).id, message: "Comment \($0)", createdAt: Site.now, username: "Ada")
    }
}

extension TestResponse {
    /// The names in the cookie of waiting comments.
    var waiting: [String] {
        let names = headers[.setCookie]?.firstMatch(of: /^waiting=([0-9a-f.]*);/)?.1 ?? ""
        return names.split(separator: ".").map(String.init)
    }

    fileprivate var comments: [String] {
        text.matches(of: /<p class="message" dir="auto">(.*)<\/p>/).map { String($0.1) }
    }

    fileprivate var links: [String] {
        text.matches(of: /<p class="comments-link">(.*?)<\/p>/).map { String($0.1) }
    }
}
