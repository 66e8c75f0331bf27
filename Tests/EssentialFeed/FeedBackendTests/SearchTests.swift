import Duet
import FeedBackend
import FeedFeature
import Foundation
import Testing

/// Which images a search finds, and with which facts.
@Suite(.serialized) struct SearchTests {
    private let backend: TestBackend

    init() async throws {
        backend = try await TestBackend()
    }

    @Test func `a search without conditions finds every image, the newest first`() async throws {
        try await backend.publish(1...3)
        #expect(try await backend.found(SearchFeed()) == .numbers(3, 2, 1))
    }

    @Test func `a result has the image, its time of publication and its number of comments`() async throws {
        try await backend.publish(1, "Café", at: "Paris", comments: 2)
        let page = try await backend.dispatcher.dispatch(SearchFeed())
        let image = try #require(try await backend.dispatcher.dispatch(LoadFeed()).images.first)
        #expect(image.publishedAt == TestBackend.now && image.commentCount == 2)
        #expect(page == FeedSearchPage(images: [image], source: .remote))
    }

    // MARK: Text

    @Test(arguments: [
        ("CAFE", [1]), ("café", [1]), ("athens", [2]), ("ΑΘΗΝΑ", [3]), ("σάο", []), ("sao paulo", [4]),
        ("paulo sao", [4]),
        ("a", [5, 4, 2, 1]), ("strasse", [5]), ("coffee athens", [2]), ("cup\tathens", []),
    ])
    func `every word must be in description or location, whatever its case and accents`(
        text: String,
        found: [Int]
    ) async throws {
        try await backend.publish(1, "Un café")
        try await backend.publish(2, "Coffee", at: "Athens")
        try await backend.publish(3, nil, at: "Αθήνα")
        try await backend.publish(4, nil, at: "São Paulo")
        try await backend.publish(5, "Die Straße")
        try await backend.publish(6)
        #expect(try await backend.found(SearchFeed(text)) == found.map { UUID.number($0) })
    }

    @Test(arguments: ["%", "_", "*", "?", "\\", "'", "\"", "'; DROP TABLE image; --", "a%b", "NOT", "^", "[a]"])
    func `signs of query languages are ordinary characters`(text: String) async throws {
        try await backend.publish(1, "axb")
        try await backend.publish(2, "before \(text) after")
        #expect(try await backend.found(SearchFeed(text)) == .numbers(2))
    }

    @Test func `a text with a U+0000 is refused`() async throws {
        await #expect(throws: InvalidMessage(field: "q", reason: "must not contain the character U+0000")) {
            try await backend.found(SearchFeed("a\0"))
        }
    }

    @Test func `a text of fifty different words is searched for`() async throws {
        let words = (0..<50).map { String(UnicodeScalar(UInt8(33 + $0))) }.joined(separator: " ")
        try await backend.publish(1, words)
        try await backend.publish(2, String(words.dropLast()))
        #expect(try await backend.found(SearchFeed(words)) == .numbers(1))
    }

    @Test func `the server and a saved feed find the same images`() async throws {
        let texts = ["Café", "café au lait", "ΑΘΉΝΑ", "Straße", "ﬁre", "が", "か", "％", "İzmir", nil]
        for (index, text) in texts.enumerated() { try await backend.publish(index + 1, text, at: "x\u{301}") }
        let feed = try await backend.dispatcher.dispatch(LoadFeed(limit: 100))
        for text in ["cafe", "αθηνα", "STRASSE", "fire", "が", "か", "%", "izmir", "X", "au x", "none"] {
            let query = SearchFeed(text, limit: 100)
            #expect(try await backend.found(query) == query.results(in: feed).images.map(\.id), "\(text)")
        }
    }

    // MARK: Filter

    @Test(arguments: [(true, [3, 1]), (false, [4, 2])])
    func `a filter finds images with or without a location`(hasLocation: Bool, found: [Int]) async throws {
        try await backend.publish(1, "a", at: "here")
        try await backend.publish(2, "b")
        try await backend.publish(3, nil, at: "there")
        try await backend.publish(4, nil, at: "")
        let query = SearchFeed(filter: FeedFilter(hasLocation: hasLocation))
        #expect(try await backend.found(query) == found.map { UUID.number($0) })
    }

    @Test(arguments: [(true, [3, 1]), (false, [2])])
    func `a filter finds images with or without comments`(hasComments: Bool, found: [Int]) async throws {
        for (number, count) in [(1, 1), (2, 0), (3, 2)] { try await backend.publish(number, comments: count) }
        let query = SearchFeed(filter: FeedFilter(hasComments: hasComments))
        #expect(try await backend.found(query) == found.map { UUID.number($0) })
    }

    @Test(arguments: [(-0.001, true), (0, true), (0.001, false)])
    func `a filter finds images published since a moment, inclusively`(offset: Double, isFound: Bool) async throws {
        try await backend.publish(1...1)
        let date = TestBackend.now.addingTimeInterval(offset)
        let query = SearchFeed(filter: FeedFilter(publishedSince: date))
        #expect(try await backend.found(query).isEmpty != isFound)
    }

    @Test func `conditions apply together`() async throws {
        try await backend.publish(1, "cat", at: "here", comments: 1)
        try await backend.publish(2, "cat", at: "here")
        try await backend.publish(3, "cat", comments: 1)
        try await backend.publish(4, "dog", at: "here", comments: 1)
        let filter = FeedFilter(hasLocation: true, hasComments: true, publishedSince: TestBackend.now)
        for order in FeedOrder.allCases {
            #expect(try await backend.found(SearchFeed("cat", filter: filter, order: order)) == .numbers(1))
        }
    }

    // MARK: Numbers of comments

    @Test func `a comment that is posted twice counts once`() async throws {
        try await backend.publish(1)
        let comment = PostImageComment(id: .number(1_000), imageID: .number(1), message: "once", username: "me")
        for _ in 0..<2 { try await backend.dispatcher.dispatch(comment) }
        #expect(try await backend.dispatcher.dispatch(SearchFeed()).images.map(\.commentCount) == [1])
    }

    @Test func `the comments of the samples count`() async throws {
        try await backend.seedSamples()
        try await backend.seedSamples()
        let images = try await backend.dispatcher.dispatch(SearchFeed(limit: 100)).images
        try #require(images.count == 12)
        for image in images {
            #expect(try await backend.comments(on: image.id).count == image.commentCount)
        }
        #expect(images.contains { $0.commentCount != 0 })
    }
}
