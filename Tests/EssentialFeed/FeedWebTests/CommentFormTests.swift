import Duet
import DuetTesting
import FeedFeature
import FeedPresentation
import FeedTesting
import FeedWeb
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct CommentFormTests {
    private let page = "/images/\(image(1).id)"
    private let id = image(42).id
    private var action: String { "\(page)/comments" }

    private func fields(_ username: String = "Ann", _ message: String = "Nice") -> [String: String] {
        ["id": id.uuidString, "username": username, "message": message]
    }

    @Test func `the form has an id of its own, and shows its limits`() async throws {
        let text = try await Site().get(page).text

        #expect(text.contains(#"<form id="comment" class="composer" method="post" action="\#(action)">"#))
        #expect(text.contains(#"<input type="hidden" name="id" value="\#(Site.newID)" autocomplete="off">"#))
        #expect(text.contains(#"maxlength="64" required"#))
        #expect(text.contains(#"maxlength="2000" required"#))
        #expect(text.contains("At most 64 characters"))
        #expect(text.contains("At most 2,000 characters"))
        #expect(!text.contains("aria-invalid"))
    }

    @Test func `a comment is posted under the form's id, and the page follows`() async throws {
        let site = Site()
        let answer = try await site.post("\(action)?after=\(image(7).id)&lang=el", fields("Ann", "One\r\nTwo & +%"))

        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == "\(page)?after=\(image(7).id)&lang=el#comment-\(id)")
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(site.messages == [.post(id, on: image(1).id, message: "One\nTwo & +%", username: "Ann")])
    }

    @Test func `a comment waits if the server cannot be reached, and the page shows it with a note`() async throws {
        let site = Site {
            $0.cached = { [image(1)] }
            $0.command = { _ in throw RemoteFailure.connectivity("refused") }
            $0.comments = { _ in throw RemoteFailure.connectivity("refused") }
        }
        let answer = try await site.post(action, fields("Ann", "<b>Later</b>"))
        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == "\(page)#comment-\(id)")
        #expect(await site.outbox.comments.map(\.id) == [id])
        let set = try #require(answer.headers[.setCookie]?.split(separator: ";", maxSplits: 1).map(String.init))
        #expect(set[0].firstMatch(of: /^waiting=[0-9a-f]{32}$/) != nil)
        #expect(set[1] == " Path=/; Max-Age=1209600; HttpOnly; SameSite=Strict")

        let page = try await site.get(page, cookie: set[0])
        #expect(page.status == .ok)
        #expect(page.text.contains(#"<li class="comment pending" id="comment-\#(id)" data-id="\#(id)">"#))
        #expect(page.text.contains("&lt;b&gt;Later&lt;/b&gt;"))
        #expect(page.text.contains("Will be sent when the server can be reached"))
        #expect(page.banner == "Couldn&#39;t connect to server")
    }

    @Test func `a comment that waits is shown to the browser that sent it only`() async throws {
        let site = Site {
            $0.cached = { [image(1)] }
            $0.command = { _ in throw RemoteFailure.connectivity("refused") }
        }
        let first = try #require(try await site.post(action, fields("Ann", "Aardvark")).waiting.first)
        let second = image(78).id
        let answer = try await site.post(
            action,
            ["id": second.uuidString, "username": "Ann", "message": "Wombat"],
            cookie: "waiting=\(String(repeating: "0", count: 32)).\(first)"
        )
        // Comments that do not wait any more leave the cookie.
        #expect(answer.waiting.count == 2 && answer.waiting[0] == first)

        for cookie in [nil, "waiting=", "waiting=\(id)", "waiting=x", "Waiting=\(first)"] {
            let text = try await site.get(page, cookie: cookie).text
            #expect(!text.contains("Aardvark") && !text.contains("Wombat"), "\(cookie ?? "")")
        }
        let own = try await site.get(page, cookie: "waiting=\(answer.waiting[1])").text
        #expect(!own.contains("Aardvark") && own.contains("Wombat"))
    }

    @Test func `the text of a stranger is never a browser's own, although its id was`() async throws {
        let site = Site {
            $0.cached = { [image(1)] }
            $0.command = { _ in throw RemoteFailure.connectivity("refused") }
        }
        let cookie = try await site.post(action, fields("Ann", "Aardvark")).waiting
        try await site.outbox.drop(id)
        _ = try await site.post(action, fields("Ann", "Wombat"))
        #expect(try await !site.get(page, cookie: "waiting=\(cookie[0])").text.contains("Wombat"))
    }

    @Test func `a comment that is accepted sets no cookie`() async throws {
        #expect(try await Site().post(action, fields("Ann", "Now")).headers[.setCookie] == nil)
    }

    @Test func `a comment beyond the quota of this server waits`() async throws {
        let site = Site {
            $0.cached = { [image(1)] }
            $0.command = { _ in throw TooManyComments(until: .seconds(7)) }
        }
        #expect(try await site.post(action, fields("Ann", "Later")).status == .seeOther)
        #expect(await site.outbox.comments.map(\.id) == [id])
    }

    @Test func `a comment on an image that this server does not know is not kept`() async throws {
        let site = Site {
            $0.cached = { [image(2)] }
            $0.command = { _ in throw RemoteFailure.connectivity("refused") }
        }
        let answer = try await site.post(action, fields("Ann", "Later"))
        #expect(answer.status == .badGateway)
        #expect(answer.text.contains("Later"))
        #expect(await site.outbox.comments.isEmpty)
    }

    @Test func `a comment of a reader with a token is not kept by the server`() async throws {
        let site = Site {
            $0.cached = { [image(1)] }
            $0.command = { _ in throw RemoteFailure.connectivity("refused") }
        }
        let answer = try await site.post(action, fields(), cookie: "session=feed_ann")
        #expect(answer.status == .badGateway)
        #expect(await site.outbox.comments == [])
    }

    @Test(arguments: [
        (" ", "Nice", 1, "Fill in this field"),
        ("Ann", "\n", 1, "Fill in this field"),
        ("", "", 2, "Fill in this field"),
        (String(repeating: "x", count: 65), "Nice", 1, "Shorten this text to 64 characters"),
        ("Ann", String(repeating: "x", count: 2_001), 1, "Shorten this text to 2,000 characters"),
        ("", String(repeating: "x", count: 2_001), 2, "Shorten this text to 2,000 characters"),
    ])
    func `each fault is beside its field, and the texts remain`(
        _ username: String,
        _ message: String,
        _ faults: Int,
        _ advice: String
    ) async throws {
        let answer = try await Site().post(action, fields(username, message))

        #expect(answer.status == .unprocessableContent)
        #expect(answer.text.matches(of: /aria-invalid="true"/).count == faults)
        #expect(answer.text.contains(#"<strong class="failure">\#(advice)</strong>"#))
        #expect(answer.text.contains(#"name="username" value="\#(username)""#))
        #expect(answer.text.contains("\n\(message)</textarea>"))
        #expect(answer.text.contains(#"name="id" value="\#(id)""#))
        #expect(answer.banner == nil)
    }

    @Test(arguments: [(64, 2_000), (63, 1_999)])
    func `texts up to the limits are posted`(_ username: Int, _ message: Int) async throws {
        let name = String(repeating: "ü", count: username)
        let answer = try await Site().post(action, fields(name, String(repeating: "👩🏽", count: message / 2)))

        #expect(answer.status == .seeOther)
    }

    @Test func `a text that the server cannot store is a fault of its field`() async throws {
        let site = Site { $0.command = { _ in throw InvalidMessage(field: "message", reason: "has a null character") } }
        let answer = try await site.post(action, fields("Ann", "a\u{0}b"))

        #expect(answer.status == .unprocessableContent)
        #expect(answer.text.contains(#"<strong class="failure">This text cannot be stored</strong>"#))
        #expect(answer.text.matches(of: /aria-invalid="true"/).count == 1)
    }

    @Test(
        arguments: [
            (RemoteFailure.connectivity("refused"), 502, "Couldn&#39;t connect to server", false),
            (AuthorizationError.unauthenticated, 403, "Sign in to do this", true),
            (ImageNotFound(id: image(1).id), 404, "There is nothing here", false),
            (
                TooManyComments(until: .seconds(7)), 429, "You have posted too many comments. Try again in 7 seconds.",
                false
            ),
        ] as [(any Error, Int, String, Bool)]
    )
    func `a failure is shown with the text, and the reader can repeat the command`(
        _ error: any Error,
        _ status: Int,
        _ message: String,
        _ offersSignIn: Bool
    ) async throws {
        let site = Site { $0.command = { _ in throw error } }
        // The comments of readers who have signed in do not wait on the server.
        let cookie = error.allowsWaiting ? "session=feed_ann" : nil
        let answer = try await site.post(action, fields("Ann", "<script>alert(1)</script>"), cookie: cookie)

        #expect(answer.status.code == status)
        #expect(answer.headers[.retryAfter] == (status == 429 ? "7" : nil))
        #expect(answer.text.contains(#"<p class="failure" role="alert">\#(message)"#))
        let link = #"<a href="/sign-in?return=%2Fimages%2F\#(image(1).id)">Sign in</a></p>"#
        #expect(answer.text.contains(link) == offersSignIn)
        #expect(answer.text.contains("\n&lt;script&gt;alert(1)&lt;/script&gt;</textarea>"))
        #expect(answer.text.contains(#"name="id" value="\#(id)""#))
        _ = try await site.post(action, fields(), cookie: cookie)
        #expect(Set(site.spy.messages(of: PostImageComment.self).map(\.id)) == [id])
    }

    @Test(
        arguments: [
            (IDReused(id: image(1).id), 409, Text.formReused), (IdempotencyKeyReused(key: "k"), 409, .formReused),
            (CommentRemoved(id: image(1).id), 410, .commentRemoved),
        ] as [(any Error, Int, Text)],
        Language.allCases
    )
    func `a form whose id was used keeps the text, and gets a new id`(
        _ refusal: (error: any Error, status: Int, text: Text),
        _ language: Language
    ) async throws {
        let site = Site { $0.command = { _ in throw refusal.error } }
        let answer = try await site.post("\(action)?lang=\(language.tag)", fields("Ann", "Another text"))

        #expect(answer.status.code == refusal.status)
        #expect(answer.text.contains(language[refusal.text]))
        #expect(answer.text.contains("\nAnother text</textarea>"))
        #expect(answer.text.contains(#"name="id" value="\#(Site.newID)""#))
        #expect(!answer.text.contains(#"value="\#(id)""#))
    }

    @Test func `the list of comments follows a refused comment`() async throws {
        let site = Site {
            $0.comments = { _ in
                [ImageComment(id: image(5).id, message: "First", createdAt: Site.now, username: "Lin")]
            }
        }
        #expect(try await site.post(action, fields("")).text.contains("First"))
    }

    @Test func `malformed, foreign and oversized bodies post nothing`() async throws {
        let site = Site()
        #expect(try await site.post(action, ["username": "Ann", "message": "Nice"]).status == .badRequest)
        #expect(try await site.post(action, ["id": "1"]).status == .badRequest)
        #expect(try await site.post("/images/1/comments", fields()).status == .notFound)
        let json = try await site.post(action, body: ByteBuffer(string: "{}"), mediaType: "application/json")
        #expect(json.status == .unsupportedMediaType)
        for size in [Form.limit, Form.limit + 1] {
            let body = "id=\(id)&username=Ann&message="
            let padded = body + String(repeating: "x", count: size - body.utf8.count)
            let answer = try await site.post(
                action,
                body: ByteBuffer(string: padded),
                mediaType: "application/x-www-form-urlencoded"
            )
            #expect(answer.status == (size > Form.limit ? .contentTooLarge : .unprocessableContent))
        }
        #expect(site.spy.messages(of: PostImageComment.self).count == 1, "only the one within the limit of bytes")
    }
}
