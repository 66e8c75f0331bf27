import FeedBackend
import FeedFeature
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@Suite(.serialized) struct FeedRouteTests {
    private struct Page: Decodable, Equatable {
        let items: [Item]
    }

    private struct Item: Decodable, Equatable {
        let id: UUID
        var description: String?
        var location: String?
        let image: String
    }

    private let backend: TestBackend

    init() async throws {
        backend = try await TestBackend()
    }

    @Test func `an empty feed is an empty list`() async throws {
        try await backend.test { client in
            let response = try await client.get("/v1/feed")
            #expect(response.status == .ok)
            #expect(response.text == #"{"items":[]}"#)
        }
    }

    @Test func `the samples are served in the manifest's order`() async throws {
        try await backend.seedSamples()
        try await backend.test { client in
            let page: Page = try await client.get("/v1/feed?limit=100").json()
            try #require(page.items.count == 12)
            let id = "A1E7B4FF-F346-5906-8CDC-0A296092AE4D"
            #expect(
                page.items[1]
                    == Item(
                        id: try #require(UUID(uuidString: id)),
                        description: "A path climbs a meadow toward gray cliffs with snow",
                        location: "Picos de Europa",
                        image: "http://localhost/v1/image/\(id)?hash=bb40fb590de877f0"
                    )
            )
            #expect(page.items[0].description == "Dandelion seed heads in a meadow, lit by the low sun")
            #expect(page.items[0].location == nil)
        }
    }

    @Test func `a page has ten images by default`() async throws {
        try await backend.publish(1...12)
        try await backend.test { client async throws in
            #expect(try await client.get("/v1/feed").json(Page.self).items.count == 10)
            #expect(try await client.get("/v1/feed?limit=11").json(Page.self).items.count == 11)
        }
    }

    @Test func `the next page follows the id of the last item, in either case`() async throws {
        try await backend.publish(10...12)
        try await backend.test { client in
            for id in [UUID.number(11).uuidString, UUID.number(11).uuidString.lowercased()] {
                let page: Page = try await client.get("/v1/feed?limit=10&after_id=\(id)").json()
                #expect(page.items.map(\.id) == [.number(10)])
            }
        }
    }

    @Test(arguments: ["-1", "0", "101", "999999"])
    func `a limit outside of 1 to 100 is a bad request`(limit: String) async throws {
        try await backend.test { client in
            let detail = try await client.get("/v1/feed?limit=\(limit)").problem(.badRequest)
            #expect(detail == "limit must be a whole number from 1 to 100, not \(limit).")
        }
    }

    @Test(arguments: [
        ("abc", "a whole number, not “abc”"), ("", "a whole number, not “”"), ("%2B5", "a whole number, not “+5”"),
        ("1.0", "a whole number, not “1.0”"), ("%D9%A1", "a whole number, not “١”"),
        (
            "99999999999999999999",
            "a whole number from -9223372036854775808 to 9223372036854775807, not “99999999999999999999”"
        ),
    ])
    func `a limit that is not a number is a bad request`(limit: String, named: String) async throws {
        try await backend.test { client in
            let detail = try await client.get("/v1/feed?limit=\(limit)").problem(.badRequest)
            #expect(detail == "limit must be \(named).")
        }
    }

    @Test(arguments: [
        ("limit=1&limit=2", "limit must be given once, not 2 times."),
        ("after_id=", "after_id must be a UUID, not “”."),
        ("after_id=12", "after_id must be a UUID, not “12”."),
        ("after_id=00000000-0000-4000-8000-0000000000011", nil),
        ("after_id=%7B00000000-0000-4000-8000-000000000001%7D", nil),
        ("limit=%zz", "limit must be percent-encoded UTF-8."),
        ("limit=%FF", "limit must be percent-encoded UTF-8."),
        ("limit=é", "limit must be percent-encoded UTF-8."),
    ])
    func `a malformed query is a bad request`(query: String, expected: String?) async throws {
        try await backend.publish(1...1)
        try await backend.test { client in
            let detail = try await client.get("/v1/feed?\(query)").problem(.badRequest)
            if let expected { #expect(detail == expected) }
        }
    }

    @Test func `a page after an unknown image is not found`() async throws {
        try await backend.test { client in
            let detail = try await client.get("/v1/feed?after_id=\(UUID.number(1))").problem(.notFound)
            #expect(detail == "There is no image \(UUID.number(1)).")
        }
    }

    @Test func `a page after a removed image continues at its position`() async throws {
        try await backend.publish(1...3)
        try await backend.test { client in
            #expect(try await client.delete("/v1/image/\(UUID.number(2))").status == .noContent)
            let page: Page = try await client.get("/v1/feed?after_id=\(UUID.number(2))").json()
            #expect(page.items.map(\.id) == [.number(1)])
        }
    }

    @Test(arguments: ["https://feed.example/x", "https://feed.example/x/", "http://127.0.0.1:8080"])
    func `the images' URLs begin with the public URL`(base: String) async throws {
        try await backend.publish(1...1)
        try await backend.test(publicURL: URL(string: base)) { client in
            let page: Page = try await client.get("/v1/feed").json()
            let base = base.hasSuffix("/") ? String(base.dropLast()) : base
            #expect(page.items.map(\.image) == ["\(base)/v1/image/\(UUID.number(1))?hash=acc4b644ba90b690"])
        }
    }
}
