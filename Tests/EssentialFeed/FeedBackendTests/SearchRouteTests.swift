import FeedBackend
import FeedFeature
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

/// A search over HTTP.
@Suite(.serialized) struct SearchRouteTests {
    private struct Page: Decodable, Equatable {
        let items: [Item]
    }

    private struct Item: Decodable, Equatable {
        let id: UUID
        var description: String?
        var location: String?
        let image: String
        let published_at: String?
        let comment_count: Int
    }

    private let backend: TestBackend

    init() async throws {
        backend = try await TestBackend()
    }

    @Test func `a search without results is an empty list`() async throws {
        try await backend.test { client async throws in
            #expect(try await client.get("/v1/feed/search").text == #"{"items":[]}"#)
            #expect(try await client.get("/v1/feed/search?q=&sort=oldest").text == #"{"items":[]}"#)
        }
    }

    @Test func `a result is an item of the feed with its date and its number of comments`() async throws {
        try await backend.publish(1, "Café", at: "Paris", comments: 2)
        try await backend.publish(2, "Tea")
        try await backend.test { client in
            let page: Page = try await client.get("/v1/feed/search?q=CAFE&has_location=true&sort=most_commented").json()
            let item = Item(
                id: .number(1),
                description: "Café",
                location: "Paris",
                image: "http://localhost/v1/image/\(UUID.number(1))?hash=acc4b644ba90b690",
                published_at: "2026-02-25T06:13:20.250Z",
                comment_count: 2
            )
            #expect(page.items == [item])
        }
    }

    @Test func `the feed has the same facts of an image`() async throws {
        try await backend.publish(1, "Café", at: "Paris", comments: 2)
        try await backend.test { client async throws in
            let id = UUID.number(1)
            let expected =
                #"{"items":[{"comment_count":2,"description":"Café","height":8,"id":"\#(id)","#
                + #""image":"http://localhost/v1/image/\#(id)?hash=acc4b644ba90b690","location":"Paris","#
                + #""published_at":"2026-02-25T06:13:20.250Z","width":8}]}"#
            #expect(try await client.get("/v1/feed?limit=10").text == expected)
        }
    }

    @Test func `a page has ten images by default, and the next one follows a cursor`() async throws {
        try await backend.publish(1...12)
        try await backend.test { client async throws in
            let first: Page = try await client.get("/v1/feed/search").json()
            #expect(first.items.count == 10)
            let id = try #require(first.items.last?.id)
            for cursor in ["after_id=\(id)", "after_id=\(id)&after_comments=0"] {
                let next: Page = try await client.get("/v1/feed/search?\(cursor)").json()
                #expect(next.items.map(\.id) == .numbers(2, 1))
            }
        }
    }

    @Test(arguments: [
        ("q=\(String(repeating: "a", count: 101))", "q must have at most 100 characters."),
        ("q=a%00", "q must not contain the character U+0000."),
        ("q=a&q=b", "q must be given once, not 2 times."),
        ("sort=best", nil),
        ("sort=", nil),
        ("has_location=1", nil),
        ("has_comments=maybe", nil),
        ("published_since=yesterday", nil),
        ("published_since=2026-02-30T00:00:00Z", nil),
        ("published_since=0000-01-01T00:00:00Z", nil),
        ("after_id=12", "after_id must be a UUID, not “12”."),
        ("after_id=\(UUID.number(1))&after_comments=-1", "after_comments must be 0 or more, not -1."),
        ("after_id=\(UUID.number(1))&after_comments=a", nil),
        ("limit=0", "limit must be a whole number from 1 to 100, not 0."),
        ("limit=101", "limit must be a whole number from 1 to 100, not 101."),
    ])
    func `an invalid parameter is a bad request that names it`(query: String, expected: String?) async throws {
        try await backend.publish(1...1)
        try await backend.test { client in
            let detail = try await client.get("/v1/feed/search?\(query)").problem(.badRequest)
            if let expected {
                #expect(detail == expected)
            } else {
                // The parameter that is at fault is the last one.
                let name = try #require(query.split(separator: "&").last?.prefix { $0 != "=" })
                #expect(detail.hasPrefix("\(name) "), "\(detail)")
            }
        }
    }

    @Test func `a number of comments without the image of a cursor is ignored`() async throws {
        try await backend.publish(1...1)
        try await backend.test { client in
            let page: Page = try await client.get("/v1/feed/search?after_comments=1").json()
            #expect(page.items.map(\.id) == .numbers(1))
        }
    }

    @Test func `a page after an unknown image is not found`() async throws {
        try await backend.test { client in
            let detail = try await client.get("/v1/feed/search?after_id=\(UUID.number(1))").problem(.notFound)
            #expect(detail == "There is no image \(UUID.number(1)).")
        }
    }
}
