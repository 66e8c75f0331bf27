import Duet
import FeedFeature
import Foundation
import Testing

struct SearchFeedTests {
    private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    private func fault(_ query: SearchFeed) -> String? {
        do {
            try query.validate()
            return nil
        } catch {
            return "\(error)"
        }
    }

    // MARK: Equal searches

    @Test func `a search is for the newest ten images by default`() {
        let query = SearchFeed()
        #expect(query.searchText == nil)
        #expect(query.filter == nil)
        #expect(query.order == .newest)
        #expect(query.page == nil)
        #expect(query.limit == 10)
    }

    @Test(arguments: ["", " ", "\n\t\u{00A0}\u{2003}"])
    func `a blank text is no text`(text: String) {
        #expect(SearchFeed(text) == SearchFeed())
    }

    @Test func `space around and between words does not make another search`() {
        #expect(SearchFeed("  two\n\twords ") == SearchFeed("two words"))
    }

    @Test func `a filter without conditions is no filter`() {
        #expect(SearchFeed(filter: FeedFilter()) == SearchFeed())
        #expect(SearchFeed(filter: FeedFilter(hasLocation: false)) != SearchFeed())
    }

    @Test func `every part of a search makes another search`() {
        let queries = [
            SearchFeed(), SearchFeed("a"), SearchFeed(filter: FeedFilter(hasComments: true)),
            SearchFeed(filter: FeedFilter(publishedSince: .distantPast)), SearchFeed(order: .oldest),
            SearchFeed(after: FeedCursor(imageID: Self.id)),
            SearchFeed(after: FeedCursor(imageID: Self.id, commentCount: 0)), SearchFeed(limit: 11),
        ]
        #expect(Set(queries).count == queries.count)
    }

    @Test func `the cursor after an image has its number of comments`() throws {
        let url = try #require(URL(string: "http://a.example/1"))
        let image = FeedImage(id: Self.id, commentCount: 3, url: url)
        #expect(FeedCursor(after: image) == FeedCursor(imageID: Self.id, commentCount: 3))
    }

    // MARK: Validation

    @Test(arguments: [(99, true), (100, true), (101, false)])
    func `a search text has at most 100 characters`(count: Int, isValid: Bool) {
        let fault = fault(SearchFeed(String(repeating: "é", count: count)))
        #expect(fault == (isValid ? nil : "q must have at most 100 characters."))
    }

    @Test func `a character made of many scalars counts as many characters`() {
        #expect(fault(SearchFeed("e" + String(repeating: "\u{301}", count: 100))) != nil)
    }

    @Test(arguments: [(Int.min, false), (0, false), (1, true), (2, true), (99, true), (100, true), (101, false)])
    func `a page of results has 1 to 100 images`(limit: Int, isValid: Bool) {
        let fault = fault(SearchFeed(limit: limit))
        #expect(fault == (isValid ? nil : "limit must be a whole number from 1 to 100, not \(limit)."))
    }

    @Test(arguments: [(Int.min, false), (-1, false), (0, true), (1, true), (.max, true)])
    func `a cursor has no negative number of comments`(count: Int, isValid: Bool) {
        let fault = fault(SearchFeed(after: FeedCursor(imageID: Self.id, commentCount: count)))
        #expect(fault == (isValid ? nil : "after_comments must be 0 or more, not \(count)."))
    }

    @Test(arguments: [
        (-62_135_596_801, false), (-62_135_596_800, true), (0, true), (253_402_300_799, true), (253_402_300_800, false),
        (1e300, false), (-Double.infinity, false), (.nan, false),
    ])
    func `a date is in a year from 1 to 9999`(seconds: Double, isValid: Bool) {
        let date = Date(timeIntervalSince1970: seconds)
        let fault = fault(SearchFeed(filter: FeedFilter(publishedSince: date)))
        #expect(fault == (isValid ? nil : "published_since must be in a year from 1 to 9999."))
    }

    // MARK: Other processes

    @Test func `searches and their error survive a round trip`() throws {
        func travelled<Value: Codable>(_ value: Value) throws -> Value {
            try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
        }
        let filter = FeedFilter(hasLocation: true, hasComments: false, publishedSince: .distantPast)
        for order in FeedOrder.allCases {
            let cursor = FeedCursor(imageID: Self.id, commentCount: 2)
            let query = SearchFeed("é 👋", filter: filter, order: order, after: cursor, limit: 100)
            #expect(try travelled(query) == query)
        }
        #expect(try travelled(SearchFeed()) == SearchFeed())
        let reused = IdempotencyKeyReused(key: "k")
        #expect(try travelled(reused) == reused)
        #expect(
            "\(reused)" == "The idempotency key k was used for another command. Send this command with a new key."
        )
    }
}
