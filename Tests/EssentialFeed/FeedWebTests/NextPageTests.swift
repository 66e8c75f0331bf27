import FeedFeature
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct NextPageTests {
    private let last = image(7).id

    @Test func `a next page consists of its cards only`() async throws {
        let site = Site { $0.feed = { _ in FeedPage(images: [image(8), image(9)], source: .remote) } }
        let page = try await site.get("/feed?after=\(last)")

        #expect(page.status == .ok)
        #expect(page.cards == [image(8).id.uuidString, image(9).id.uuidString])
        #expect(!page.text.contains("<html"))
        #expect(site.messages == [.loadFeed(after: last)])
    }

    @Test func `an empty page ends the feed`() async throws {
        let page = try await Site().get("/feed?after=\(last)")

        #expect(page.status == .ok)
        #expect(page.text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty)
    }

    @Test(arguments: [
        ("en", "Couldn't connect to server"),
        ("el", "Δεν ήταν δυνατή η σύνδεση στο διακομιστή"),
        ("pt-BR", "Não foi possível conectar com o servidor"),
    ])
    func `a failure is one line of text, however it is reported`(_ language: String, _ message: String) async throws {
        let thrown = Site { $0.feed = { _ in throw RemoteFailure.connectivity("refused") } }
        let carried = Site {
            $0.feed = { _ in FeedPage(images: [], source: .nowhere, failure: .connectivity("refused")) }
        }
        for site in [thrown, carried] {
            let answer = try await site.get("/feed?after=\(last)", language: language)

            #expect(answer.status == .badGateway)
            #expect(answer.headers[.contentType] == "text/plain; charset=utf-8")
            #expect(answer.text == message)
        }
    }

    @Test(arguments: [true, false])
    func `a position that never existed is not found, and an invalid response is the backend's fault`(
        isMissing: Bool
    ) async throws {
        let site = Site { $0.feed = { _ in throw RemoteFailure.invalidData("refused", isMissing: isMissing) } }
        for path in ["/", "/feed"] {
            let answer = try await site.get("\(path)?after=\(last)")
            #expect(answer.status == (isMissing ? .notFound : .badGateway))
            #expect(answer.text.contains("There is nothing here") == isMissing)
        }
    }

    @Test(arguments: ["/feed", "/feed?after=", "/feed?after=7", "/?after=x"])
    func `an invalid id is a bad request`(_ path: String) async throws {
        let site = Site()

        #expect(try await site.get(path).status == .badRequest)
        #expect(site.messages.isEmpty)
    }
}
