import FeedFeature
import FeedPresentation
import FeedTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

/// The pictures of cards and of an image's page, with their facts.
@Suite struct CardTests {
    private func site(_ images: [FeedImage], now: Date = Site.now) -> Site {
        Site { $0.feed = { after in FeedPage(images: after == nil ? images : [], source: .remote) } }
    }

    @Test func `a browser chooses among the versions, and gets the small one without a choice`() async throws {
        let photo = photograph(1)
        let page = try await site([photo]).get("/").text
        let image = try #require(page.firstMatch(of: /<img [^>]*>/)).output

        #expect(image.contains(#" src="/images/\#(photo.id)/data?width=480&amp;v="#))
        let widths = image.matches(of: /data\?width=(\d+)&amp;v=[0-9a-z]+ (\d+)w/).map { [$0.1, $0.2] }
        #expect(widths == [["480", "480"], ["960", "960"]])
        #expect(image.contains(#" sizes="(max-width: 40rem) 100vw, min(36vw, 36rem)""#))
        #expect(image.contains(#" width="3000" height="2000""#))
    }

    @Test func `an image without versions shows its original`() async throws {
        let page = try await site([image(1)]).get("/").text
        let shown = try #require(page.firstMatch(of: /<img [^>]*>/)).output

        #expect(shown.contains(/\ src="\/images\/[^\/]+\/data\?v=[0-9a-z]+"/))
        #expect(!shown.contains("srcset"))
        #expect(!shown.contains("sizes"))
        #expect(!shown.contains("width="))
    }

    @Test func `cards that were rendered before have the links and the language of each reader, and no older text`()
        async throws
    {
        let images = Mutex([image(1)])
        let site = Site { $0.feed = { _ in FeedPage(images: images.withLock(\.self), source: .remote) } }
        let path = "/images/\(image(1).id)"
        func card(_ address: String) async throws -> (link: String, label: String) {
            let page = try await site.get(address).text
            let card = try #require(page.firstMatch(of: /<h2 class="unseen"><a href="([^"]*)">([^<]*)</))
            return (String(card.1), String(card.2))
        }

        #expect(try await card("/") == (path, "Image without a description"))
        #expect(try await card("/?lang=el") == ("\(path)?lang=el", "Εικόνα χωρίς περιγραφή"))
        #expect(try await card("/?after=\(image(2).id)").link == "\(path)?after=\(image(2).id)")
        #expect(try await card("/feed?after=\(image(2).id)").link == "\(path)?after=\(image(2).id)")
        #expect(try await card("/") == (path, "Image without a description"))
        images.withLock { $0 = [image(1, description: "A dog")] }
        #expect(try await site.get("/").text.contains("A dog"))
    }

    @Test func `other bytes have another address`() async throws {
        func source(_ url: String) async throws -> String {
            let photo = FeedImage(id: image(1).id, url: try #require(URL(string: url)))
            let page = try await site([photo]).get("/").text
            return String(try #require(page.firstMatch(of: /<img[^>]* src="([^"]+)"/)).1)
        }

        #expect(try await source("http://a.example/1") == source("http://a.example/1"))
        #expect(try await source("http://a.example/1") != source("http://a.example/2"))
    }

    @Test(arguments: [
        (3_000, 2_000, "r150"), (2_000, 3_000, "r65"), (1, 1, "r100"), (10_000, 100, "r250"), (100, 10_000, "r55"),
        (1, 10_000, "r55"), (10_000, 1, "r250"),
    ])
    func `a card has the shape of its image, within limits`(_ width: Int, _ height: Int, _ shape: String) async throws {
        let photo = image(1).with(size: ImageSize(width: width, height: height))

        #expect(try await site([photo]).get("/").text.contains(#"<li class="card \#(shape)" id="#))
        #expect(try await Site().get("/style.css").text.contains(".\(shape){--r:"))
    }

    @Test func `the color of an image is shown until it arrives, without a style in the page`() async throws {
        let page = try await site([photograph(1)]).get("/").text

        #expect(page.contains(##"<rect width="1" height="1" fill="#2f4f8a"/>"##))
        #expect(!page.contains("style="))
    }

    @Test func `a card says who has published the image and when, and how many comments it has`() async throws {
        let page = try await site([photograph(1, comments: 3)]).get("/").text

        #expect(page.contains(#"<p class="byline"><span dir="auto">Anna</span><time datetime="2023-11-14T20:13:20Z""#))
        #expect(page.contains(#/ title="November 14, 2023 at 8:13\sPM GMT">2 hours ago</time></p>/#))
        #expect(page.contains(#"<span aria-hidden="true">3</span><span class="unseen">3 comments</span>"#))
    }

    @Test(arguments: [nil, 0])
    func `an image without comments has no number`(_ count: Int?) async throws {
        let page = try await site([photograph(1, comments: count)]).get("/").text

        #expect(!page.contains(#"class="count""#))
    }

    @Test func `one comment is one`() async throws {
        let page = try await site([photograph(1, comments: 1)]).get("/").text

        #expect(page.contains(#"<span class="unseen">1 comment</span>"#))
    }

    @Test func `a caption is the visible text, and the description is for those who do not see the picture`()
        async throws
    {
        let photo = photograph(1, description: "A cat on a sofa", caption: "Sunday")
        let site = site([photo])
        let page = try await site.get("/").text

        #expect(page.contains(#"<h2 class="description" dir="auto"><a href="/images/\#(photo.id)">Sunday</a></h2>"#))
        #expect(page.contains(#"alt="A cat on a sofa""#))
        let alone = try await site.get("/images/\(photo.id)").text
        #expect(alone.contains(#"<h1 class="description" dir="auto">Sunday</h1>"#))
        #expect(alone.contains(#"<p class="alternative" dir="auto">A cat on a sofa</p>"#))
        #expect(alone.contains(#"alt="A cat on a sofa""#))
    }

    @Test func `a version's bytes are served, and an unknown width is not found`() async throws {
        let photo = photograph(1)
        let site = site([photo])
        _ = try await site.get("/")

        #expect(try await site.get("/images/\(photo.id)/data?width=960").status == .ok)
        #expect(site.messages.last == .loadImageData(photo.versions[1].url))
        for width in ["961", "x", "-1", "99999999999999999999"] {
            #expect(try await site.get("/images/\(photo.id)/data?width=\(width)").status == .notFound)
        }
    }

    @Test func `without the server, any version that was kept is shown, whole and only for now`() async throws {
        let photo = photograph(1)
        let site = Site {
            $0.feed = { _ in FeedPage(images: [photo], source: .remote) }
            $0.imageData = { _ in throw RemoteFailure.connectivity("refused") }
            $0.kept = [photo.versions[0].url: Data("GIF89a".utf8)]
        }
        _ = try await site.get("/")
        let response = try await site.application().test(.router) { client in
            let path = "/images/\(photo.id)/data?width=960"
            return try await client.execute(uri: path, method: .get, headers: [.range: "bytes=0-1"]) { $0 }
        }
        #expect(response.status == .ok)
        #expect(site.messages.count { $0 == .loadImageData(photo.versions[1].url) } == 1)
        #expect(response.headers[.cacheControl] == "no-store")
        #expect(response.headers[.eTag] == nil)
        // The original is another file, and a smaller one is no substitute.
        #expect(try await site.get("/images/\(photo.id)/data").status == .badGateway)
    }

    @Test func `a browser can ask for a range of the bytes`() async throws {
        let photo = photograph(1)
        let site = site([photo])
        _ = try await site.get("/")
        let path = "/images/\(photo.id)/data?width=480"
        let whole = try await site.get(path)
        let part = try await site.application().test(.router) { client in
            try await client.execute(uri: path, method: .get, headers: [.range: "bytes=0-3"]) { $0 }
        }
        #expect(part.status == .partialContent)
        #expect(part.headers[.contentRange] == "bytes 0-3/\(whole.body.readableBytes)")
        #expect(part.body == whole.body.getSlice(at: 0, length: 4))
        #expect(part.headers[.cacheControl] == whole.headers[.cacheControl])
    }

    @Test func `a browser keeps bytes for a day, and is told that it has them`() async throws {
        let photo = photograph(1)
        let site = site([photo])
        _ = try await site.get("/")
        let path = "/images/\(photo.id)/data?width=480"
        let first = try await site.get(path)
        let tag = try #require(first.headers[.eTag])
        let loads = site.messages.count

        #expect(first.headers[.cacheControl] == "private, max-age=86400, immutable")
        let second = try await site.get(path, known: tag)
        #expect(second.status == .notModified)
        #expect(second.headers[.eTag] == tag)
        #expect(site.messages.count == loads)
        #expect(try await site.get("/images/\(photo.id)/data?width=960", known: tag).status == .ok)
    }

    @Test func `previews elsewhere get a version`() async throws {
        let photo = photograph(1)
        let publicURL = try #require(URL(string: "https://feed.example/"))
        let site = site([photo])
        _ = try await site.get("/")
        let page = try await site.get("/images/\(photo.id)", publicURL: publicURL).text

        #expect(
            page.contains(
                #"<meta property="og:image" content="https://feed.example/images/\#(photo.id)/data?width=960&amp;v="#
            )
        )
    }

    @Test func `an image's page leads to the images before and after it, at the same place in the feed`() async throws {
        let ids = (0...4).map { image($0).id }
        let site = Site {
            $0.details = { FeedImage(id: $0, url: URL(filePath: "/images/1.jpg")) }
            $0.neighbors = { ImageNeighbors(of: $0, in: Array(ids[1...])) }
        }
        func links(_ path: String) async throws -> [String] {
            let page = try await site.get("/images/\(path)").text
            return page.matches(of: /rel="(prev|next)" href="\/images\/([^"]+)"/).map { "\($0.1) \($0.2)" }
        }

        #expect(try await links("\(ids[1])") == ["next \(ids[2])"])
        #expect(try await links("\(ids[2])") == ["prev \(ids[1])", "next \(ids[3])"])
        #expect(try await links("\(ids[3])?after=\(ids[2])") == ["prev \(ids[2])", "next \(ids[4])?after=\(ids[2])"])
        #expect(try await links("\(ids[4])?after=\(ids[2])") == ["prev \(ids[3])?after=\(ids[2])"])
        #expect(try await links("\(ids[0])") == [])
        #expect(site.messages.contains(.loadNeighbors(ids[0])))
        #expect(!site.messages.contains { if case .loadFeed = $0 { true } else { false } })
    }

    @Test func `in a search, the neighbors are those of its results`() async throws {
        let site = Site {
            $0.feed = { _ in FeedPage(images: [image(1), image(9), image(2)], source: .remote) }
            $0.search = { query in
                FeedSearchPage(images: query.page == nil ? [image(1), image(2)] : [], source: .remote)
            }
        }
        _ = try await site.get("/")
        let page = try await site.get("/images/\(image(1).id)?q=cat").text

        #expect(page.contains(#"rel="next" href="/images/\#(image(2).id)?q=cat""#))
        #expect(!page.contains(#"rel="prev""#))
    }

    @Test(arguments: Language.allCases)
    func `an animation is shown as a still version, and plays only on the reader's request`(language: Language)
        async throws
    {
        let photo = animation(width: 300)
        let site = site([photo])
        let card = try await site.get("/", language: language.tag).text
        let page = try await site.get("/images/\(photo.id)", language: language.tag).text

        for text in [card, page] {
            let image = try #require(text.firstMatch(of: /<img [^>]*>/)).output
            #expect(image.contains("src=\"/images/\(photo.id)/data?width=300&amp;v="))
            #expect(image.matches(of: /\/data/).count == 2)
        }
        #expect(card.contains(#"<span class="mark">\#(language[.imageAnimated])</span>"#))
        let player = try #require(page.firstMatch(of: /<details class="player">(.*)<\/details>/)).1
        let (play, stop) = (language[.imagePlay], language[.imageStop])
        #expect(player.contains("<summary><span>\(play)</span><span>\(stop)</span></summary>"))
        #expect(player.contains(#"<img loading="lazy" srcset="/images/\#(photo.id)/data?v="#))
        #expect(page.matches(of: /\/data\?v=/).count == 2, "the link and the player")
    }

    @Test func `an animation without a still version has no image but the one that the reader opens`() async throws {
        let photo = animation(width: nil)
        let site = site([photo])
        let (card, page) = (try await site.get("/").text, try await site.get("/images/\(photo.id)").text)

        #expect(!card.contains("<img"))
        #expect(card.contains(##"<rect width="1" height="1" fill="#2f4f8a"/>"##))
        #expect(card.contains(#"class="mark""#))
        #expect(page.matches(of: /<img/).count == 1)
        #expect(page.contains(/<details class="player">.*<img [^>]*alt="A cat"><\/details>/))
        #expect(page.contains(#"<span class="unseen">A cat</span></a>"#))
    }

    @Test func `a still image has no control`() async throws {
        let site = site([photograph(1)])
        #expect(try await !site.get("/").text.contains("mark\""))
        #expect(try await !site.get("/images/\(image(1).id)").text.contains("<details class=\"player"))
    }

    private func animation(width: Int?) -> FeedImage {
        FeedImage(
            id: image(1).id,
            description: "A cat",
            size: ImageSize(width: 300, height: 200),
            color: ImageColor("#2f4f8a"),
            isAnimated: true,
            versions: width.map { [ImageVersion(width: $0, url: URL(filePath: "/images/1-\($0).webp"))] } ?? [],
            url: URL(filePath: "/images/1.gif")
        )
    }

    @Test func `the page states the server's time, for browsers whose clock is wrong`() async throws {
        let page = try await site([photograph(1)]).get("/").text

        #expect(page.contains(#" data-now="2023-11-14T22:13:20Z""#))
    }
}

/// Returns an image with all facts, published two hours ago.
func photograph(
    _ number: UInt8,
    description: String? = "A cat",
    caption: String? = nil,
    comments: Int? = nil
) -> FeedImage {
    FeedImage(
        id: image(number).id,
        description: description,
        caption: caption,
        author: "Anna",
        publishedAt: Site.now.addingTimeInterval(-7_200),
        commentCount: comments,
        size: ImageSize(width: 3_000, height: 2_000),
        color: ImageColor("#2f4f8a"),
        versions: [480, 960, 1_920].map { width in
            ImageVersion(width: width, url: URL(filePath: "/images/\(number)-\(width).webp"))
        },
        url: URL(filePath: "/images/\(number).jpg")
    )
}
