import Duet
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@Suite(.serialized) struct ImageRouteTests {
    private let backend: TestBackend
    private let uri = "/v1/image/\(UUID.number(1))"

    init() async throws {
        backend = try await TestBackend()
    }

    @Test func `an image is created, then left as it is`() async throws {
        let photograph = try Data.sample("brushes.jpg")
        try await backend.test { client in
            let first = try await client.put("\(uri)?description=Brushes&location=Studio", "image/jpeg", photograph)
            #expect(first.status == .created)
            let again = try await client.put("\(uri)?description=Other", "image/jpeg", photograph)
            #expect(again.status == .noContent)
            let other = try await client.put("\(uri)?description=Other", "image/jpeg", .tinyImage)
            #expect(other.status == .conflict)
            let response = try await client.get(uri)
            #expect(response.status == .ok)
            #expect(response.data == photograph)
            #expect(response.headers[.contentType] == "image/jpeg")
            #expect(response.headers[.contentLength] == String(photograph.count))
            #expect(response.headers[.xContentTypeOptions] == "nosniff")
        }
        let images = try await backend.dispatcher.dispatch(LoadFeed()).images
        #expect(images.map(\.description) == ["Brushes"])
        #expect(images.map(\.location) == ["Studio"])
    }

    @Test func `a request that refuses duplicates gets the id of the existing image`() async throws {
        let other = "/v1/image/\(UUID.number(2))"
        try await backend.test { client in
            #expect(try await client.put(uri, "image/jpeg", .tinyImage).status == .created)
            let refused = try await client.put("\(other)?refuse_duplicate=true", "image/jpeg", .tinyImage)
            #expect(refused.status == .conflict)
            #expect(refused.text.contains("urn:essential-feed:duplicate-image"))
            #expect(refused.text.contains("\(UUID.number(1))"))
            #expect(try await client.put("\(uri)?refuse_duplicate=true", "image/jpeg", .tinyImage).status == .noContent)
            #expect(try await client.put(other, "image/jpeg", .tinyImage).status == .created)
        }
    }

    @Test(arguments: [
        ("description=a+b", "a b"), ("description=a%2Bb", "a+b"), ("description=a%20b", "a b"),
        ("description=a%2Fb", "a/b"),
        ("description=%C3%A9", "é"), ("description=a=b", "a=b"), ("description=", nil), ("", nil),
        ("unknown=1", nil),
    ])
    func `a description is read from the query`(query: String, expected: String?) async throws {
        try await backend.test { client async throws in
            #expect(try await client.put("\(uri)?\(query)", "image/jpeg", .tinyImage).status == .created)
        }
        #expect(try await backend.dispatcher.dispatch(LoadFeed()).images.map(\.description) == [expected])
    }

    @Test(arguments: ["description=%FF", "description=%00", "description=1&description=2", "location=%"])
    func `a description that is not text is a bad request`(query: String) async throws {
        try await backend.test { client in
            _ = try await client.put("\(uri)?\(query)", "image/jpeg", .tinyImage).problem(.badRequest)
        }
        #expect(try await backend.rows() == 0)
    }

    @Test(arguments: ImageFormat.allCases)
    func `each format is served as its own media type`(format: ImageFormat) async throws {
        let data =
            switch format {
            case .jpeg: JPEGBytes.file()
            case .png: PNGBytes.file()
            case .gif: GIFBytes.file()
            case .webp: WebPBytes.file()
            }
        try await backend.test { client in
            #expect(try await client.put(uri, format.mediaType, data).status == .created)
            let response = try await client.get(uri)
            #expect(response.headers[.contentType] == format.mediaType)
            #expect(response.data == data)
        }
    }

    @Test(arguments: [
        (JPEGBytes.file([JPEGBytes.segment(0xFE, "Ann")], trailing: [1, 2, 3]), JPEGBytes.file()),
        (PNGBytes.file([PNGBytes.chunk("tEXt", Array("Author\0Ann".utf8))]), PNGBytes.file()),
        (GIFBytes.file(trailing: [1]), GIFBytes.file()),
        (WebPBytes.file([WebPBytes.lossless(), WebPBytes.chunk("EXIF", EXIFBytes.block())]), WebPBytes.file()),
    ])
    func `an image is stored and served without metadata, and a repeat changes nothing`(
        upload: Data,
        expected: Data
    ) async throws {
        let type = try #require(ImageFormat(data: upload)).mediaType
        try await backend.test { client async throws in
            #expect(try await client.put(uri, type, upload).status == .created)
            #expect(try await client.get(uri).data == expected)
            #expect(try await client.put(uri, type, upload).status == .noContent)
            #expect(try await client.get(uri).data == expected)
        }
    }

    @Test(arguments: [
        (Data([0xFF, 0xD8, 0xFF]), "ends before the image is complete, as after an interrupted copy or upload"),
        (Data.tinyImage.dropLast(), "ends before the image is complete, as after an interrupted copy or upload"),
        (JPEGBytes.file(width: 0), "must be an image with a width and a height of at least one pixel"),
        (JPEGBytes.file(width: 10_001, height: 10_000), "must have at most 100 million pixels"),
    ])
    func `an image that is not complete or too large is refused with the reason`(
        data: Data,
        reason: String
    ) async throws {
        try await backend.test { client async throws in
            #expect(try await client.put(uri, "image/jpeg", data).problem(.badRequest) == "body \(reason).")
        }
        #expect(try await backend.rows() == 0)
    }

    @Test(arguments: [nil, "image/svg+xml", "text/html", "application/octet-stream", "image/jpg", ""])
    func `a media type other than an image's is refused`(type: String?) async throws {
        try await backend.test { client in
            let detail = try await client.put(uri, type, .tinyImage).problem(.unsupportedMediaType)
            #expect(detail == "The body must be sent as image/jpeg.")
        }
        #expect(try await backend.rows() == 0)
    }

    @Test func `an image of another media type is refused with its own`() async throws {
        try await backend.test { client in
            let detail = try await client.put(uri, "image/png", .tinyImage).problem(.unsupportedMediaType)
            #expect(detail == "The body must be sent as image/jpeg.")
        }
        #expect(try await backend.rows() == 0)
    }

    @Test(arguments: ["image/jpeg", "image/png", "application/octet-stream", "text/plain"])
    func `bytes that are not an image are refused as such, whatever their media type`(type: String) async throws {
        try await backend.test { client in
            for data in [Data("<html></html>".utf8), Data()] {
                let response = try await client.put(uri, type, data)
                #expect(try response.problem(.badRequest) == "body must be a JPEG, PNG, GIF or WebP image.")
            }
            let photograph = try await client.put(uri, type, Data("\0\0\0\u{18}ftypheic".utf8))
            #expect(try photograph.problem(.badRequest).contains("not HEIC: export the photograph as JPEG"))
        }
        #expect(try await backend.rows() == 0)
    }

    @Test(arguments: [(16_777_215, true), (16_777_216, true), (16_777_217, false)])
    func `an image has at most 16 MiB`(size: Int, isValid: Bool) async throws {
        try await backend.test { client in
            let response = try await client.put(uri, "image/jpeg", .image(ofSize: size))
            if isValid {
                #expect(response.status == .created)
            } else {
                #expect(try response.problem(.contentTooLarge) == "The body must have at most 16777216 bytes.")
            }
        }
        #expect(try await backend.page().isEmpty != isValid)
    }

    @Test func `a body shorter than announced is a bad request`() async throws {
        try await backend.test { client in
            let response = try await client.execute(
                uri: uri,
                method: .put,
                headers: [
                    .authorization: "Bearer \(AccessToken.test.text)", .contentType: "image/jpeg", .contentLength: "10",
                ]
            )
            #expect(try response.problem(.badRequest) == "The body ended after 0 of 10 bytes.")
        }
    }

    @Test func `an unchanged image is not sent again`() async throws {
        try await backend.publish(1...1)
        try await backend.test { client in
            let tag = try #require(try await client.get(uri).headers[.eTag])
            for names in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let response = try await client.get(uri, headers: [.ifNoneMatch: names])
                #expect(response.status == .notModified)
                #expect(response.data.isEmpty)
                #expect(response.headers[.eTag] == tag)
            }
            #expect(try await client.get(uri, headers: [.ifNoneMatch: "\"other\""]).status == .ok)
        }
    }

    @Test func `other bytes have another entity tag`() async throws {
        try await backend.seedSamples()
        let ids = try await backend.page(limit: 100)
        let tags = try await backend.test { client in
            var tags: Set<String?> = []
            for id in ids { tags.insert(try await client.get("/v1/image/\(id)").headers[.eTag]) }
            return tags
        }
        #expect(tags.count == 12)
        #expect(!tags.contains(nil))
    }

    @Test func `an image is removed, and removed again without a change`() async throws {
        try await backend.publish(1...1)
        try await backend.test { client in
            for _ in 1...2 { #expect(try await client.delete(uri).status == .noContent) }
            #expect(
                try await client.get(uri).problem(.gone)
                    == "The image \(UUID.number(1)) was removed, and its id cannot be used again."
            )
            let detail = try await client.put(uri, "image/jpeg", .tinyImage).problem(.gone)
            #expect(detail == "The image \(UUID.number(1)) was removed, and its id cannot be used again.")
        }
    }

    @Test(arguments: [
        ("17", "17"), ("%2F", "/"), ("00000000-0000-4000-8000-00000000000", "00000000-0000-4000-8000-00000000000"),
        ("00000000-0000-4000-8000-000000000001%20", "00000000-0000-4000-8000-000000000001 "),
    ])
    func `an id that is not a UUID is a bad request`(id: String, text: String) async throws {
        try await backend.test { client async throws in
            let detail = "id must be a UUID, not “\(text)”."
            #expect(try await client.get("/v1/image/\(id)").problem(.badRequest) == detail)
            #expect(try await client.put("/v1/image/\(id)", "image/jpeg", .tinyImage).problem(.badRequest) == detail)
            #expect(try await client.delete("/v1/image/\(id)").problem(.badRequest) == detail)
        }
        #expect(try await backend.rows() == 0)
    }
}
