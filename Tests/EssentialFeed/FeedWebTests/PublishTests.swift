import Duet
import DuetTesting
import FeedFeature
import FeedPresentation
import FeedTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct PublishTests {
    private let cookie = "session=feed_secret"
    private let id = image(42).id

    @Test func `guests are asked to sign in`() async throws {
        let answer = try await Site().get("/publish?lang=el")

        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == "/sign-in?lang=el&return=%2Fpublish%3Flang%3Del")
    }

    @Test func `the form accepts the formats of the feed, and shows its limits`() async throws {
        let page = try await Site().get("/publish", cookie: "\(cookie); permissions=publish")

        #expect(page.text.contains(#"action="/publish" enctype="multipart/form-data""#))
        #expect(page.text.contains(#"accept="image/jpeg,image/png,image/gif,image/webp""#))
        #expect(page.text.contains("at most 16 MB"))
        #expect(page.text.contains(#"name="id" value="\#(Site.newID)""#))
    }

    @Test(arguments: Language.allCases)
    func `the form says that each of its texts is optional`(language: Language) async throws {
        let cookie = "\(cookie); permissions=publish"
        let page = try await Site().get("/publish?lang=\(language.tag)", cookie: cookie)
        let words = page.text.matches(of: /<span class="optional">([^<]*)</).map { String($0.1) }

        #expect(words == Array(repeating: language[.fieldOptional], count: 3))
    }

    @Test func `an image is published with its texts, and the feed follows`() async throws {
        let site = Site()
        let answer = try await publish(jpeg, ["description": "A cat\r\non a sofa", "location": " "], on: site)

        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == "/#image-\(id)")
        #expect(
            site.messages == [
                .loadPermissions, .publish(id, description: "A cat\non a sofa", location: nil, size: jpeg.count),
            ]
        )
        #expect(site.spy.messages(of: PublishImage.self).first?.data == jpeg)
        #expect(site.senders.last == "feed_secret")
    }

    @Test(arguments: ["😀", "α"])
    func `an image is published with three texts of the largest size`(character: String) async throws {
        let site = Site()
        let text = String(repeating: character, count: PublishImage.textLimit)
        let texts = ["description": text, "caption": text, "location": text]

        #expect(try await publish(jpeg, texts, on: site).status == .seeOther)
        #expect(site.spy.messages(of: PublishImage.self).first?.location == text)
    }

    @Test(arguments: Language.allCases)
    func `a picture that the feed has is published again by a second press`(language: Language) async throws {
        let site = Site { answers in
            answers.command = { command in
                guard let image = command as? PublishImage, image.refusesDuplicate == true else { return }
                throw DuplicateImage(id: FeedWebTests.image(7).id)
            }
        }
        let asked = try await publish(jpeg, ["description": "A cat"], on: site, language.tag)

        #expect(asked.status == .conflict)
        let sentence = language[.publishDuplicate]
        #expect(asked.text.contains(#"<strong id="file-fault" class="failure" role="alert">\#(sentence)</strong>"#))
        let link = #"<a href="/images/\#(image(7).id)?lang=\#(language.tag)">\#(language[.publishExisting])</a>"#
        #expect(asked.text.contains(link))
        #expect(asked.text.contains(#"<input type="hidden" name="duplicate" value="allowed">"#))
        #expect(asked.text.contains(#"name="id" value="\#(id)""#))
        #expect(asked.text.contains("\nA cat</textarea>"))
        #expect(asked.banner == nil)

        let published = try await publish(jpeg, ["description": "A cat", "duplicate": "allowed"], on: site)
        #expect(published.status == .seeOther)
        #expect(site.spy.messages(of: PublishImage.self).map(\.refusesDuplicate) == [true, nil])
    }

    @Test(arguments: Language.allCases)
    func `another picture under a published id keeps the texts, and gets a new id`(language: Language) async throws {
        let site = Site { answers in
            answers.command = { command in
                guard command is PublishImage else { return }
                throw IDReused(id: FeedWebTests.image(42).id)
            }
        }
        let answer = try await publish(jpeg, ["description": "A cat"], on: site, language.tag)

        #expect(answer.status == .conflict)
        #expect(answer.text.contains(language[.formReused]))
        #expect(answer.text.contains("\nA cat</textarea>"))
        #expect(answer.text.contains(#"name="id" value="\#(Site.newID)""#))
    }

    @Test func `bytes that look like the end of a part belong to the file`() async throws {
        let site = Site()
        let data = JPEGBytes.file(scan: Array("\r\n--other\r\n\r\n--\r\n--boundar".utf8))
        #expect(try await publish(data, [:], on: site).status == .seeOther)
        #expect(site.spy.messages(of: PublishImage.self).first?.data == data)
    }

    @Test func `a file that is not an image is a fault of its field, and the texts remain`() async throws {
        let site = Site()
        let answer = try await publish(Data("<html>".utf8), ["description": "<b>", "location": "A sofa"], on: site)

        #expect(answer.status == .unprocessableContent)
        #expect(answer.text.contains(">Choose a JPEG, PNG, GIF or WebP file</strong>"))
        #expect(answer.text.contains("\n&lt;b&gt;</textarea>"))
        #expect(answer.text.contains(#"value="A sofa""#))
        #expect(answer.text.contains(#"name="id" value="\#(id)""#))
        #expect(answer.text.matches(of: /aria-invalid/).count == 1)
    }

    @Test(arguments: [
        (jpeg.dropLast(), "This file ends too early. Copy or download it again"),
        (JPEGBytes.file(scan: []), "This file is damaged. Export it again"),
        (
            Data("\0\0\0\u{18}ftypheic\0\0\0\0mif1heic".utf8),
            """
            Browsers cannot show HEIC. Export this photograph as JPEG, on a Mac with Preview, or choose it in the photo \
            library of the phone, which converts it
            """
        ),
        (JPEGBytes.file(width: 0), "This file is damaged. Export it again"),
        (JPEGBytes.file(width: 10_001, height: 10_000), "Choose an image of at most 100 million pixels"),
        (
            GIFBytes.file(Array(repeating: GIFBytes.image(), count: 10_001)), "Choose a shorter or smaller animation"
        ),
    ])
    func `a fault of an image is shown beside its field`(_ data: Data, _ fault: String) async throws {
        let site = Site()
        let answer = try await publish(data, [:], on: site)

        #expect(answer.status == .unprocessableContent)
        #expect(answer.text.contains(#"<strong id="file-fault" class="failure" role="alert">\#(fault)</strong>"#))
        #expect(site.messages == [.loadPermissions])
    }

    @Test func `metadata is removed before an image is sent, and the feed says so`() async throws {
        let site = Site()
        let exif = JPEGBytes.segment(0xE1, "Exif\0\0", EXIFBytes.block(hasLocation: true))
        let answer = try await publish(JPEGBytes.file([exif], trailing: [1]), [:], on: site)

        #expect(site.spy.messages(of: PublishImage.self).first?.data == JPEGBytes.file())
        let location = "/?removed=location.exif.trailing#image-\(id)"
        #expect(answer.headers[.location] == location)
        let feed = try await site.get("/?removed=location.exif.trailing")
        let sentence = """
            Removed before publishing: place, camera, time and owner (EXIF), data after the end of the image
            """
        #expect(feed.text.contains(#"<p class="found">\#(sentence)</p>"#))
        #expect(try await !site.get("/?removed=something&lang=el").text.contains(#"class="found""#))
    }

    @Test(arguments: [
        ("published=1200", "Images published: 1,200"),
        ("published=2&removed=text", "Images published: 2. Removed before publishing: comments and texts"),
        ("published=99999999", nil), ("published=-1", nil), ("published=<b>", nil),
    ])
    func `the feed says how many images were published`(_ query: String, _ text: String?) async throws {
        let found = try await Site().get("/?\(query)").text.firstMatch(of: /<p class="found">(.*)<\/p>/)

        #expect(found.map { String($0.1) } == text)
    }

    @Test func `a text that is too long is a fault of its field`() async throws {
        let text = String(repeating: "x", count: 2_001)
        let answer = try await publish(jpeg, ["location": text], on: Site())

        #expect(answer.status == .unprocessableContent)
        #expect(answer.text.contains(#"<strong class="failure">Shorten this text to 2,000 characters</strong>"#))
        #expect(answer.text.matches(of: /aria-invalid/).count == 1)
    }

    @Test(arguments: [
        (AuthorizationError.unauthenticated, "Your token is not valid anymore. Sign in again"),
        (.forbidden, "Your token does not permit this"),
    ])
    func `a refused sender sees the reason`(_ error: AuthorizationError, _ message: String) async throws {
        let answer = try await publish(jpeg, [:], on: Site { $0.command = { _ in throw error } })

        #expect(answer.status == .forbidden)
        #expect(answer.banner == message)
    }

    @Test func `only the form of a publisher is read`() async throws {
        let large = ByteBuffer(repeating: UInt8(ascii: "x"), count: 20_000_000)
        let mediaType = "multipart/form-data; boundary=boundary"
        let senders: [(cookie: String?, permissions: Set<Permission>)] = [(nil, [.publish]), (cookie, [.comment])]
        for (cookie, permissions) in senders {
            let site = Site { $0.permissions = { permissions } }
            let answer = try await site.post("/publish", body: large, mediaType: mediaType, cookie: cookie)
            // Not 413.
            #expect(answer.status == .forbidden)
            #expect(answer.banner == (cookie == nil ? "Sign in to do this" : "Your token does not permit this"))
            #expect(!site.messages.contains { if case .publish = $0 { true } else { false } })
        }
        let revoked = Site { $0.permissions = { throw AuthorizationError.unauthenticated } }
        let answer = try await revoked.post("/publish", body: large, mediaType: mediaType, cookie: cookie)
        #expect(answer.status == .forbidden)
        #expect(answer.banner == "Your token is not valid anymore. Sign in again")
    }

    @Test(arguments: [16_777_216, 16_777_217])
    func `a file may have 16 MB`(_ size: Int) async throws {
        let site = Site()
        let answer = try await publish(.image(ofSize: size), [:], on: site)

        #expect(answer.status == (size > 16_777_216 ? .contentTooLarge : .seeOther))
        #expect(site.messages.count == (size > 16_777_216 ? 1 : 2))
        if size > 16_777_216 { #expect(answer.text.contains("Choose a file of at most 16 MB")) }
    }

    @Test(arguments: [16_842_751, 16_842_752, 16_842_753])
    func `an announced form of more than an image of 16 MiB and 64 KiB is refused before it is read`(
        _ size: Int
    ) async throws {
        var headers: HTTPFields = [.contentType: "multipart/form-data; boundary=B", .contentLength: "\(size)"]
        headers[.cookie] = cookie
        headers[try #require(HTTPField.Name("Sec-Fetch-Site"))] = "same-origin"
        let status = try await Site().application().test(.router) { [headers] client in
            try await client.execute(uri: "/publish", method: .post, headers: headers, body: nil) { $0.status }
        }
        // Nothing follows the announcement.
        #expect(status == (size > 16_842_752 ? .contentTooLarge : .badRequest))
    }

    @Test(arguments: [
        "", "--boundary", "--boundary\r\n", "--boundary--\r\n", "--boundary\r\n\r\n--boundary--",
        "--boundary\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n1",
        "--boundary\r\nContent-Disposition: form-data\r\n\r\n1\r\n--boundary--",
        "--boundary\r\nX: \(String(repeating: "y", count: 9_000))\r\n\r\n1\r\n--boundary--",
        String(repeating: "--boundary\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n1\r\n", count: 17)
            + "--boundary--",
    ])
    func `malformed forms are bad requests`(_ body: String) async throws {
        let site = Site()
        let answer = try await site.post(
            "/publish",
            body: ByteBuffer(string: body),
            mediaType: "multipart/form-data; boundary=boundary",
            cookie: cookie
        )
        #expect(answer.status == .badRequest)
        #expect(site.messages == [.loadPermissions])
    }

    @Test(arguments: ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\""])
    func `a form without a boundary is a bad request`(_ mediaType: String) async throws {
        let answer = try await Site()
            .post("/publish", body: ByteBuffer(string: "x"), mediaType: mediaType, cookie: cookie)

        #expect(answer.status == .badRequest)
    }

    private func publish(
        _ data: Data,
        _ texts: [String: String],
        on site: Site,
        _ language: String? = nil
    ) async throws -> TestResponse {
        var body = ByteBuffer()
        for (name, text) in texts.merging(["id": id.uuidString], uniquingKeysWith: { $1 }) {
            body.writeString("--boundary\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n")
        }
        body.writeString(
            """
            --boundary\r\nContent-Disposition: form-data; name="file"; filename="a; name=x.jpg"\r\n\
            Content-Type: image/jpeg\r\n\r\n
            """
        )
        body.writeBytes(data)
        body.writeString("\r\n--boundary--\r\n")
        return try await site.post(
            language.map { "/publish?lang=\($0)" } ?? "/publish",
            body: body,
            mediaType: "multipart/form-data; boundary=\"boundary\"",
            cookie: cookie
        )
    }
}
