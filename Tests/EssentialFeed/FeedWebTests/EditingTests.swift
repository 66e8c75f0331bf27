import Duet
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// Correcting an image's texts, and removing a comment.
@Suite struct EditingTests {
    private static let session = "session=secret; permissions=publish"
    private let path = "/images/\(image(1).id)/edit"

    @Test func `publishers and moderators are offered to edit, others are not`() async throws {
        let site = Site { $0.cached = { [image(1, description: "A cat")] } }
        let link = #"<a href="\#(path)">Edit</a>"#

        for permissions in ["publish", "moderate"] {
            let page = try await site.get(
                "/images/\(image(1).id)",
                cookie: "session=secret; permissions=\(permissions)"
            )
            #expect(page.text.contains(link))
            #expect(page.text.contains(#" class="edits">"#))
        }
        for cookie in ["session=secret; permissions=comment", "permissions=publish"] {
            let page = try await site.get("/images/\(image(1).id)", cookie: cookie)
            #expect(!page.text.contains(link))
            #expect(!page.text.contains(#" class="edits">"#))
        }
    }

    @Test func `the form has the texts of the image`() async throws {
        let site = Site {
            $0.cached = { [image(1, description: "A dog")] }
            $0.details = { _ in photograph(1, description: "A cat", caption: "Sunday") }
        }
        let page = try await site.get(path, cookie: Self.session)

        #expect(page.status == .ok)
        let form = #"<form id="edit" class="form" method="post" action="\#(path)" enctype="multipart/form-data">"#
        #expect(page.text.contains(form))
        #expect(page.text.contains("A cat</textarea>"))
        #expect(page.text.contains("Sunday</textarea>"))
        #expect(page.text.contains(#"name="caption-before" value="Sunday" autocomplete="off">"#))
        #expect(page.text.contains("What is in the picture?"))
    }

    @Test func `without the backend there is no form, because its texts could be old`() async throws {
        let site = Site {
            $0.cached = { [image(1, description: "A cat")] }
            $0.details = { _ in throw RemoteFailure.connectivity("refused") }
        }
        let page = try await site.get(path, cookie: Self.session)

        #expect(page.status == .badGateway)
        #expect(page.text.contains("Couldn&#39;t connect to server"))
        #expect(!page.text.contains(#"<form id="edit""#))
    }

    @Test func `a correction has only the texts that differ from those in the form`() async throws {
        let site = Site { $0.details = { _ in image(1) } }
        let before = ["description-before": "A cat", "caption-before": "Sunday\nat noon", "location-before": "Athens"]
        let shown = ["description": "A cat", "caption": "Sunday\r\nat noon", "location": "Athens"]
        for change in [[:], ["caption": "Monday"], ["description": " "]] {
            let fields = before.merging(shown) { $1 }.merging(change) { $1 }
            #expect(try await site.post(path, fields, cookie: Self.session).status == .seeOther)
        }
        #expect(
            site.messages.filter { if case .correct = $0 { true } else { false } } == [
                .correct(image(1).id, description: nil, caption: nil, location: nil),
                .correct(image(1).id, description: nil, caption: "Monday", location: nil),
                .correct(image(1).id, description: "", caption: nil, location: nil),
            ]
        )
    }

    @Test(arguments: ["😀", "α"])
    func `three texts of the largest size are corrected`(character: String) async throws {
        let site = Site { $0.details = { _ in image(1) } }
        let text = String(repeating: character, count: PublishImage.textLimit)
        let fields = ["description", "caption", "location"].flatMap { name in
            [(name, text), ("\(name)-before", text.dropLast() + ".")]
        }
        let boundary = "----geckoformboundary0123456789abcdef0123456789abcdef"
        let head = "--\(boundary)\r\nContent-Disposition: form-data; name="
        let body = fields.map { "\(head)\"\($0)\"\r\n\r\n\($1)\r\n" }.joined()
        let answer = try await site.post(
            path,
            body: ByteBuffer(string: body + "--\(boundary)--\r\n"),
            mediaType: "multipart/form-data; boundary=\(boundary)",
            cookie: Self.session
        )
        #expect(answer.status == .seeOther)
        #expect(site.messages.contains(.correct(image(1).id, description: text, caption: text, location: text)))
    }

    @Test func `a correction is sent, and shown at once`() async throws {
        let site = Site {
            $0.cached = { [image(1, description: "A cat")] }
            $0.details = { _ in photograph(1, description: "A dog", caption: "Monday") }
        }
        let answer = try await site.post(
            path,
            ["description": "A dog", "caption": "Monday", "location": " "],
            cookie: Self.session
        )

        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == "/images/\(image(1).id)")
        #expect(site.messages.contains(.correct(image(1).id, description: "A dog", caption: "Monday", location: nil)))
        #expect(try await site.get("/images/\(image(1).id)").text.contains(#"dir="auto">Monday</h1>"#))
    }

    @Test func `a text that is too long stays in the form, beside its fault`() async throws {
        let site = Site { $0.cached = { [image(1)] } }
        let text = String(repeating: "x", count: PublishImage.textLimit + 1)
        let answer = try await site.post(path, ["caption": text, "location": "Athens"], cookie: Self.session)

        #expect(answer.status == .unprocessableContent)
        #expect(answer.text.contains("Shorten this text to 2,000 characters"))
        #expect(answer.text.contains("\(text)</textarea>"))
        #expect(answer.text.contains(#"value="Athens""#))
        #expect(answer.banner == nil)
    }

    @Test func `a refused correction says why`() async throws {
        let site = Site {
            $0.cached = { [image(1)] }
            $0.command = { _ in throw AuthorizationError.forbidden }
        }
        let answer = try await site.post(path, ["caption": "Mine"], cookie: Self.session)

        #expect(answer.status == .forbidden)
        #expect(answer.banner == "Your token does not permit this")
        #expect(answer.text.contains("Mine</textarea>"))
    }

    @Test func `readers who have not signed in are asked to, and their commands are refused`() async throws {
        let site = Site { $0.cached = { [image(1)] } }

        #expect(try await site.get(path).headers[.location]?.hasPrefix("/sign-in?return=") == true)
        let refused = try await site.post(path, ["caption": "Mine"])
        #expect(refused.status == .forbidden)
        #expect(refused.banner == "Sign in to do this")
        #expect(refused.text.contains("Mine</textarea>"))
        #expect(!site.messages.contains { if case .correct = $0 { true } else { false } })
    }

    @Test func `an unknown image cannot be corrected`() async throws {
        #expect(try await Site().get(path, cookie: Self.session).status == .notFound)
    }

    @Test func `a comment is removed after a question, without script`() async throws {
        let comment = ImageComment(id: image(9).id, message: "Buy now", createdAt: Site.now, username: "Spam")
        let site = Site {
            $0.cached = { [image(1)] }
            $0.comments = { _ in [comment] }
        }
        let path = "/images/\(image(1).id)/comments/\(comment.id)/remove"
        let page = try await site.get("/images/\(image(1).id)", cookie: Self.session)
        #expect(page.text.contains(#"<a class="editing" href="\#(path)">Remove</a>"#))

        let question = try await site.get(path, cookie: Self.session)
        #expect(question.text.contains("Remove this comment?"))
        #expect(question.text.contains("Spam: Buy now"))
        #expect(question.text.contains(#"method="post" action="\#(path)""#))

        let answer = try await site.post(path, cookie: Self.session)
        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == "/images/\(image(1).id)#comments")
        #expect(site.messages.contains(.removeComment(comment.id, on: image(1).id)))
    }

    @Test func `after the removal of an earlier comment its page is shown`() async throws {
        let comments = [8, 9].map {
            ImageComment(id: image($0).id, message: "Buy \($0)", createdAt: Site.now, username: "Spam")
        }
        let site = Site { $0.comments = { _ in comments } }
        let page = "/images/\(image(1).id)"
        let query = "?before=\(image(9).id)"
        let path = "\(page)/comments/\(image(8).id)/remove\(query)"
        #expect(try await site.get(page + query, cookie: Self.session).text.contains(#"href="\#(path)">Remove</a>"#))

        let question = try await site.get(path, cookie: Self.session)
        #expect(question.text.contains("Spam: Buy 8"))
        #expect(question.text.contains(#"method="post" action="\#(path)""#))
        #expect(question.text.contains(#"href="\#(page)\#(query)#comments""#))

        #expect(try await site.post(path, cookie: Self.session).headers[.location] == "\(page)\(query)#comments")
    }

    @Test func `a refused removal of a comment asks again, and says why`() async throws {
        let site = Site { $0.command = { _ in throw AuthorizationError.forbidden } }
        let path = "/images/\(image(1).id)/comments/\(image(9).id)/remove"
        let answer = try await site.post(path, cookie: Self.session)

        #expect(answer.status == .forbidden)
        #expect(answer.banner == "Your token does not permit this")
        #expect(try await site.get(path).status == .seeOther)
        #expect(
            try await site.get("/images/\(image(1).id)/comments/x/remove", cookie: Self.session).status == .notFound
        )
    }
}
