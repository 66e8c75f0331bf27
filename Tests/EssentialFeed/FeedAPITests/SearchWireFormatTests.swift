import Duet
import DuetHTTP
import FeedAPI
import FeedFeature
import Foundation
import HTTPTypes
import Testing

/// A search on the wire, byte by byte.
struct SearchWireFormatTests {
    private static let id = "2AB2AE66-A4B7-4A16-B374-51BBAC8DB086"

    private func path(_ query: SearchFeed) async throws -> String? {
        let client = HTTPClientSpy(body: #"{"items":[]}"#)
        _ = try await RemoteDispatcher(answering: client).dispatch(query)
        let request = try #require(client.requests.first)
        #expect(request.method == .get)
        return request.path
    }

    private func map(_ json: String, status: Int = 200) async throws -> FeedSearchPage {
        try await RemoteDispatcher(answering: Data(json.utf8), status: status).dispatch(SearchFeed())
    }

    private func item(
        id: String = "\"\(Self.id)\"",
        image: String = "\"http://a.example/1\"",
        count: String = "0",
        more: String = ""
    ) -> String {
        #"{"id":\#(id),"image":\#(image),"comment_count":\#(count)\#(more)}"#
    }

    // MARK: Requests

    @Test func `a search without conditions sends order and limit only`() async throws {
        #expect(try await path(SearchFeed()) == "/v1/feed/search?sort=newest&limit=10")
    }

    @Test func `each part of a search is a parameter`() async throws {
        let filter = FeedFilter(
            hasLocation: true,
            hasComments: false,
            publishedSince: Date(timeIntervalSince1970: 1_772_000_000)
        )
        let cursor = FeedCursor(imageID: anyID, commentCount: 3)
        let query = SearchFeed("50% é&=+", filter: filter, order: .mostCommented, after: cursor, limit: 25)
        let path = try #require(try await path(query))
        let parts = path.split(separator: "?")
        #expect(parts.first == "/v1/feed/search")
        #expect(
            parts.last?.split(separator: "&").sorted() == [
                "after_comments=3", "after_id=\(Self.id)", "has_comments=false", "has_location=true", "limit=25",
                "published_since=2026-02-25T06%3A13%3A20Z", "q=50%25%20%C3%A9%26%3D%2B", "sort=most_commented",
            ]
        )
    }

    @Test func `a later page follows an image, with or without its number of comments`() async throws {
        let bare = try await path(SearchFeed(after: FeedCursor(imageID: anyID)))
        #expect(bare == "/v1/feed/search?sort=newest&after_id=\(Self.id)&limit=10")
    }

    // MARK: Responses

    @Test func `results are delivered in their order, with date and number of comments`() async throws {
        let more = #","description":"d","location":"l","published_at":"2020-05-20T11:24:59+0000","x":1"#
        let page = try await map(#"{"items":[\#(item(count: "3", more: more)),\#(item())],"next":null}"#)
        let url = try #require(URL(string: "http://a.example/1"))
        #expect(
            page
                == FeedSearchPage(
                    images: [
                        FeedImage(
                            id: anyID,
                            description: "d",
                            location: "l",
                            publishedAt: Date(timeIntervalSince1970: 1_589_973_899),
                            commentCount: 3,
                            url: url
                        ),
                        FeedImage(id: anyID, commentCount: 0, url: url),
                    ],
                    source: .remote
                )
        )
    }

    @Test(arguments: [199, 201, 204, 299, 404, 500])
    func `any status other than 200 is invalid data`(status: Int) async throws {
        _ = try await invalidDataReason { try await map(#"{"items":[]}"#, status: status) }
    }

    @Test func `one bad item makes the results invalid, and the error names the path`() async throws {
        let faults = [
            (item(id: "1"), "items[1].id"), (item(image: "\"/1\""), "items[1].image"),
            (item(count: "-1"), "items[1].comment_count"), (item(count: "null"), "items[1].comment_count"),
            (item(more: #","published_at":"yesterday""#), "items[1].published_at"),
            (item(more: #","published_at":1"#), "items[1].published_at"),
            (#"{"id":"\#(Self.id)","image":"http://a.example/1"}"#, "items[1].comment_count"),
        ]
        for (fault, path) in faults {
            let reason = try await bodyFault { try await map(#"{"items":[\#(item()),\#(fault)]}"#) }
            #expect(reason.hasPrefix("\(path) "), "\(reason)")
        }
    }

    @Test func `results survive the round trip through their payload, to the millisecond`() throws {
        let url = try #require(URL(string: "http://a.example/1"))
        let page = FeedSearchPage(
            images: [
                FeedImage(
                    id: anyID,
                    description: "é",
                    publishedAt: Date(timeIntervalSince1970: 1.25),
                    commentCount: 1_000,
                    url: url
                ),
                FeedImage(id: otherID, location: "l", commentCount: 0, url: url),
            ],
            source: .remote
        )
        let payload = try SearchFeed.payload(from: page, answering: SearchFeed())
        let data = try JSONEncoder().encode(payload)
        let read = try JSONDecoder().decode(SearchFeed.Payload.self, from: data)
        #expect(try SearchFeed.value(from: read, answering: SearchFeed()) == page)
    }

    @Test func `a page of the feed has none of the facts of a search`() throws {
        let url = try #require(URL(string: "http://a.example/1"))
        let page = FeedPage(images: [FeedImage(id: anyID, description: "d", location: "l", url: url)], source: .remote)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = try encoder.encode(LoadFeed.payload(from: page, answering: LoadFeed()))
        let expected =
            #"{"items":[{"description":"d","id":"\#(Self.id)","image":"http://a.example/1","location":"l"}]}"#
        #expect(String(decoding: json, as: UTF8.self) == expected)
    }

    // MARK: Errors

    @Test func `an idempotency key that was used for another command is reported as such`() async throws {
        let body = #"{"type":"urn:essential-feed:idempotency-key-reused","status":422,"key":"k"}"#
        let client = HTTPClientSpy(status: 422, contentType: "application/problem+json", body: body)
        let command = PostImageComment(id: anyID, imageID: otherID, message: "m", username: "u")
        await #expect(throws: IdempotencyKeyReused(key: "k")) {
            try await RemoteDispatcher(answering: client).dispatch(command)
        }
    }
}
