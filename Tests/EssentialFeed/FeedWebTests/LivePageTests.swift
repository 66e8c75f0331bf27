import FeedFeature
import HTTPTypes
import HummingbirdTesting
import Testing

@Suite struct LivePageTests {
    private let site = Site { $0.feed = { _ in FeedPage(images: [image(1)], source: .remote) } }

    @Test(arguments: ["/live", "/images/\(image(1).id)/live"])
    func `a browser stops asking for events if the server reports no changes`(_ path: String) async throws {
        #expect(try await site.get(path).status == .noContent)
    }

    @Test func `an address without an image's id has no events`() async throws {
        #expect(try await site.get("/images/none/live").status == .notFound)
    }

    @Test func `only the first page of the feed has a place for new images`() async throws {
        #expect(try await site.get("/").text.contains(#"<button id="news""#))
        #expect(try await !site.get("/?after=\(image(1).id)").text.contains(#"<button id="news""#))
    }
}
