import FeedAPI
import FeedFeature
import Foundation
import HTTPTypes
import Testing

/// Decoding a page of the feed from valid and invalid payloads.
struct FeedPayloadTests {
    private static let id = "2AB2AE66-A4B7-4A16-B374-51BBAC8DB086"
    private static let url = "http://a.example/1.png"

    private func map(_ json: String, status: Int = 200) async throws -> [FeedImage] {
        try await map(Data(json.utf8), status: status)
    }

    private func map(_ data: Data, status: Int = 200) async throws -> [FeedImage] {
        let page = try await RemoteDispatcher(answering: data, status: status).dispatch(LoadFeed())
        #expect(page.source == .remote)
        #expect(page.failure == nil)
        return page.images
    }

    private static func items(_ items: String...) -> String {
        "{\"items\":[\(items.joined(separator: ","))]}"
    }

    private static func item(
        id: String = "\"\(Self.id)\"",
        image: String = "\"\(Self.url)\"",
        more: String = ""
    ) -> String {
        "{\"id\":\(id),\"image\":\(image)\(more)}"
    }

    @Test func `items are delivered in their order, with their optional texts`() async throws {
        let json = Self.items(
            Self.item(more: ",\"description\":\"d\",\"location\":\"l\""),
            "{\"id\":\"A28F5FE3-27A7-44E9-8DF5-53742D0E4A5A\",\"image\":\"https://b.example/2\",\"description\":null}"
        )
        let first = try #require(URL(string: Self.url))
        let second = try #require(URL(string: "https://b.example/2"))
        let images = try await map(json)
        #expect(
            images == [
                FeedImage(id: anyID, description: "d", location: "l", url: first),
                FeedImage(id: otherID, description: nil, location: nil, url: second),
            ]
        )
    }

    @Test func `the order of a thousand items is kept`() async throws {
        let urls = (0..<1_000).map { "http://a.example/\($0)" }
        let json = "{\"items\":[\(urls.map { Self.item(image: "\"\($0)\"") }.joined(separator: ","))]}"
        #expect(try await map(json).map(\.url.absoluteString) == urls)
    }

    @Test func `an empty list of items is a success`() async throws {
        #expect(try await map("{\"items\":[]}") == [])
    }

    @Test func `unknown keys are ignored, whatever their values`() async throws {
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let more = ",\"x\":{\"y\":[1,null,true]},\"z\":1e999,\"n\":123456789012345678901234567890,\"d\":\(deep)"
        let json = "{\"next\":null,\"items\":[\(Self.item(more: more))],\"total\":1}"
        #expect(try await map(json).count == 1)
    }

    @Test(arguments: [id, id.lowercased(), "2ab2ae66-A4B7-4a16-B374-51bbac8db086"])
    func `an id is parsed in either case`(id: String) async throws {
        #expect(try await map(Self.items(Self.item(id: "\"\(id)\""))).first?.id == anyID)
    }

    @Test func `a byte order mark is ignored`() async throws {
        #expect(try await map("\u{FEFF}{\"items\":[]}") == [])
    }

    @Test(arguments: [199, 201, 204, 299, 300, 304, 400, 404, 500])
    func `any status other than 200 is invalid data, even with a valid body`(status: Int) async throws {
        let reason = try await invalidDataReason { try await map("{\"items\":[]}", status: status) }
        #expect(reason.hasPrefix("FeedFeature.LoadFeed: the server responded with \(status)"))
    }

    @Test(arguments: [
        "not json", "{", "{\"items\":[}", "{\"items\":[{\"id\":\"2AB2",
        "{\"items\":[]", "{\"items\":[]} trailing", "\u{0}", "{'items':[]}",
        String(repeating: "[", count: 100_000), String(repeating: "{\"items\":", count: 100_000),
    ])
    func `a body that is not JSON is invalid data`(body: String) async throws {
        let fault = try await bodyFault { try await map(body) }
        #expect(fault.hasPrefix("body is not JSON"), "\(fault)")
    }

    @Test(arguments: [
        ("", "body is empty"), (" ", "body is empty"),
        ("<!DOCTYPE html><html></html>", "body is HTML or XML, and not JSON"),
        ("[]", "body must be an object"),
        ("null", "body must not be null"),
        ("1", "body must be an object"),
        ("{}", "items is missing"),
        ("{\"Items\":[]}", "items is missing"),
        ("{\"items\":null}", "items must not be null"),
        ("{\"items\":{}}", "items must be an array"),
        ("{\"items\":\"\"}", "items must be an array"),
        ("{\"items\":[null]}", "items[0] must not be null"),
        ("{\"items\":[1]}", "items[0] must be an object"),
        ("{\"items\":[[]]}", "items[0] must be an object"),
        ("{\"items\":[{}]}", "items[0].id is missing"),
    ])
    func `a body of another shape is invalid data, and the error names the path`(
        body: String,
        reason: String
    ) async throws {
        let fault = try await bodyFault { try await map(body) }
        #expect(fault == reason)
    }

    @Test(arguments: [
        (item(id: "null"), "items[1].id"),
        (item(id: "1"), "items[1].id"),
        (item(id: "1e999"), "items[1].id"),
        (item(id: "123456789012345678901234567890"), "items[1].id"),
        (item(id: "\"\""), "items[1].id"),
        (item(id: "\"\(Self.id)0\""), "items[1].id"),
        (item(id: "\"\(Self.id.dropLast())\""), "items[1].id"),
        (item(id: "\"\(Self.id.dropLast())G\""), "items[1].id"),
        (item(id: "\"\(Self.id.replacing("-", with: ""))\""), "items[1].id"),
        (item(id: "\"{\(Self.id)}\""), "items[1].id"),
        (item(image: "null"), "items[1].image"),
        (item(image: "[]"), "items[1].image"),
        (item(image: "\"\""), "items[1].image"),
        (item(image: "\"a.example/1.png\""), "items[1].image"),
        (item(image: "\"/1.png\""), "items[1].image"),
        (item(image: "\"//a.example/1.png\""), "items[1].image"),
        (item(image: "\"http://[bad\""), "items[1].image"),
        (item(more: ",\"description\":1"), "items[1].description"),
        (item(more: ",\"location\":[\"a\"]"), "items[1].location"),
        ("{\"id\":\"\(id)\"}", "items[1].image"),
        ("{\"id\":\"\(id)\",\"url\":\"\(url)\"}", "items[1].image"),
    ])
    func `one bad item makes the page invalid, and the error names the path`(item: String, path: String) async throws {
        let fault = try await bodyFault { try await map(Self.items(Self.item(), item, Self.item())) }
        #expect(fault.hasPrefix("\(path) "), "\(fault)")
    }

    @Test func `of a duplicate key one value is used, and a bad response stays invalid`() async throws {
        #expect(try await map("{\"items\":[],\"items\":[]}") == [])
        _ = try await bodyFault { try await map("{\"items\":1,\"items\":1}") }
    }

    @Test func `a body in UTF-16 is invalid data`() async throws {
        let data = try #require("{\"items\":[]}".data(using: .utf16))
        #expect(try await bodyFault { try await map(data) } == "body must be UTF-8")
    }

    @Test func `bytes that are not text are invalid data`() async throws {
        let data = Data([0x7B, 0x22, 0xFF, 0xFE, 0xC0, 0x80, 0x22, 0x3A, 0x31, 0x7D])
        _ = try await bodyFault { try await map(data) }
    }

    @Test(arguments: 0..<72)
    func `a response truncated at any byte is invalid data`(length: Int) async throws {
        let data = Data(Self.items(Self.item()).utf8)
        try #require(data.count > length)
        _ = try await bodyFault { try await map(data.prefix(length)) }
    }
}
