import Duet
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// Pages without images, without a server and without a permission, which all lead on.
@Suite struct WarmStateTests {
    private let way = #"<a class="button" href="/">To the newest images</a>"#

    @Test func `an empty feed invites publishers, and nobody else`() async throws {
        let invitation = #"<a class="button primary" href="/publish">Publish the first one</a>"#

        #expect(try await Site().get("/", cookie: "session=a; permissions=publish").text.contains(invitation))
        #expect(!(try await Site().get("/", cookie: "session=a; permissions=comment").text.contains(invitation)))
    }

    @Test func `a page after the last image, a search without results and a removed image lead to the feed`()
        async throws
    {
        for path in ["/?after=\(image(1).id)", "/?q=unicorn"] {
            #expect(try await Site().get(path).text.contains(way))
        }
        let removed = Site { $0.comments = { throw ImageRemoved(id: $0) } }
        let page = try await removed.get("/images/\(image(1).id)")
        #expect(page.status == .gone)
        #expect(page.text.contains(way))
        #expect(!(try await Site().get("/").text.contains(way)))
    }

    @Test func `the page for the time without a server does not say whether the reader has signed in`() async throws {
        let page = try await Site().get("/offline").text

        #expect(!page.contains("Sign in"))
        #expect(try await Site().get("/").text.contains("Sign in"))
    }

    @Test func `a saved feed offers to try again in the same line`() async throws {
        let site = Site {
            $0.feed = { _ in
                FeedPage(images: [image(1)], source: .cache(savedAt: Site.now), failure: .connectivity("refused"))
            }
        }

        #expect(
            try await site.get("/").text.contains(
                #">You see the feed saved now</time> <a class="again" href="">Try again</a></p>"#
            )
        )
    }

    @Test func `a token that was revoked is not asked to sign in as if there were none`() async throws {
        let site = Site {
            $0.cached = { [image(1)] }
            $0.command = { _ in throw AuthorizationError.unauthenticated }
        }
        let answer = try await site.post("/images/\(image(1).id)/remove", cookie: "session=a; permissions=publish")

        #expect(answer.banner == "Your token is not valid anymore. Sign in again")
    }

    @Test func `a token for comments gets no form for images`() async throws {
        let page = try await Site().get("/publish", cookie: "session=a; permissions=comment")

        #expect(page.status == .forbidden)
        #expect(page.text.contains("Your token does not permit this"))
        #expect(!page.text.contains(#"id="publish""#))
    }

    @Test func `the name of a commenter and the message are not restored into a form with another id`() async throws {
        let page = try await Site().get("/images/\(image(1).id)").text

        #expect(page.contains(#"<input type="hidden" name="id" value="\#(Site.newID)" autocomplete="off">"#))
        #expect(page.contains(/<textarea id="message"[^>]* autocomplete="off"/))
    }
}
