import FeedAPI
import FeedFeature
import Foundation
import HTTPTypes
import Testing

struct FeedItemsMapperTests {
    private static let id = "2AB2AE66-A4B7-4A16-B374-51BBAC8DB086"
    private static let url = "http://a.example/1.png"

    private func map(_ json: String, status: Int = 200) throws -> [FeedImage] {
        try FeedItemsMapper.map(Data(json.utf8), from: .status(status))
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

    @Test func `items are delivered in their order, with their optional texts`() throws {
        let json = Self.items(
            Self.item(more: ",\"description\":\"d\",\"location\":\"l\""),
            "{\"id\":\"A28F5FE3-27A7-44E9-8DF5-53742D0E4A5A\",\"image\":\"https://b.example/2\",\"description\":null}"
        )
        let first = try #require(URL(string: Self.url))
        let second = try #require(URL(string: "https://b.example/2"))
        #expect(
            try map(json) == [
                FeedImage(id: anyID, description: "d", location: "l", url: first),
                FeedImage(id: otherID, description: nil, location: nil, url: second),
            ]
        )
    }

    @Test func `the order of a thousand items is kept`() throws {
        let urls = (0..<1_000).map { "http://a.example/\($0)" }
        let json = "{\"items\":[\(urls.map { Self.item(image: "\"\($0)\"") }.joined(separator: ","))]}"
        #expect(try map(json).map(\.url.absoluteString) == urls)
    }

    @Test func `no items are a success`() throws {
        #expect(try map("{\"items\":[]}") == [])
    }

    @Test func `unknown keys are ignored, whatever they hold`() throws {
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let more = ",\"x\":{\"y\":[1,null,true]},\"z\":1e999,\"n\":123456789012345678901234567890,\"d\":\(deep)"
        let json = "{\"next\":null,\"items\":[\(Self.item(more: more))],\"total\":1}"
        #expect(try map(json).count == 1)
    }

    @Test(arguments: [id, id.lowercased(), "2ab2ae66-A4B7-4a16-B374-51bbac8db086"])
    func `an id is read in either case`(id: String) throws {
        #expect(try map(Self.items(Self.item(id: "\"\(id)\""))).first?.id == anyID)
    }

    @Test func `a byte order mark is passed over`() throws {
        #expect(try map("\u{FEFF}{\"items\":[]}") == [])
    }

    @Test(arguments: [199, 201, 204, 299, 300, 304, 400, 404, 500])
    func `any status but 200 is unusable, even with a valid body`(status: Int) throws {
        let reason = try invalidDataReason { try map("{\"items\":[]}", status: status) }
        #expect(reason == "its status is \(status), not 200")
    }

    @Test(arguments: [
        "", " ", "<!DOCTYPE html><html></html>", "not json", "{", "{\"items\":[}", "{\"items\":[{\"id\":\"2AB2",
        "{\"items\":[]", "{\"items\":[]} trailing", "\u{0}", "{'items':[]}",
        String(repeating: "[", count: 100_000), String(repeating: "{\"items\":", count: 100_000),
    ])
    func `a body that is no JSON is unusable`(body: String) throws {
        #expect(try invalidDataReason { try map(body) } == "the body is not JSON")
    }

    @Test(arguments: [
        ("[]", "the body must be an object"),
        ("null", "the body is missing or null"),
        ("1", "the body must be an object"),
        ("{}", "items is missing"),
        ("{\"Items\":[]}", "items is missing"),
        ("{\"items\":null}", "items is missing or null"),
        ("{\"items\":{}}", "items must be an array"),
        ("{\"items\":\"\"}", "items must be an array"),
        ("{\"items\":[null]}", "items[0] is missing or null"),
        ("{\"items\":[1]}", "items[0] must be an object"),
        ("{\"items\":[[]]}", "items[0] must be an object"),
        ("{\"items\":[{}]}", "items[0].id is missing"),
    ])
    func `a body of another shape is unusable, and the path to the fault is named`(
        body: String,
        reason: String
    ) throws {
        #expect(try invalidDataReason { try map(body) } == reason)
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
    func `one bad item spoils the answer, and the path to its fault is named`(item: String, path: String) throws {
        let reason = try invalidDataReason { try map(Self.items(Self.item(), item, Self.item())) }
        #expect(reason.hasPrefix("\(path) "), "\(reason)")
    }

    @Test func `of a key that is there twice one value is taken, and a bad answer stays bad`() throws {
        #expect(try map("{\"items\":[],\"items\":[]}") == [])
        _ = try invalidDataReason { try map("{\"items\":1,\"items\":1}") }
    }

    @Test func `a body in UTF-16 is read like one in UTF-8`() throws {
        let data = try #require("{\"items\":[]}".data(using: .utf16))
        #expect(try FeedItemsMapper.map(data, from: .status(200)) == [])
    }

    @Test func `bytes that are no text are unusable`() throws {
        let data = Data([0x7B, 0x22, 0xFF, 0xFE, 0xC0, 0x80, 0x22, 0x3A, 0x31, 0x7D])
        _ = try invalidDataReason { try FeedItemsMapper.map(data, from: .status(200)) }
    }

    @Test(arguments: 0..<72)
    func `an answer cut short at any byte is unusable`(length: Int) throws {
        let data = Data(Self.items(Self.item()).utf8)
        try #require(data.count > length)
        _ = try invalidDataReason { try FeedItemsMapper.map(data.prefix(length), from: .status(200)) }
    }
}
