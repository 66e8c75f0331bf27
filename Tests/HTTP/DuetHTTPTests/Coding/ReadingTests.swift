import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

/// External input is read, or refused with the name of the fault.
struct ReadingTests {
    enum SortOrder: String, Codable { case name, age }
    enum Shape: Codable, Hashable { case circle(radius: Double), square(side: Int) }
    struct Filter: Codable, Hashable { var name: String?; var minimum: Int }

    struct Find: HTTPQuery, Hashable {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("find/{id}").parameterDefaults(["limit": "10"])
        var id: UUID
        var limit: Int
        var small: Int8?
        var order: SortOrder?
        var flag: Bool?
        var price: Decimal?
        var ratio: Double?
        var since: Date?
        var data: Data?
        var tags: [Int]?
        var shape: Shape?
        var filter: Filter?
    }

    struct Post: HTTPCommand, Hashable {
        static let route: CommandRoute<Self> = .post("post")
        struct Item: Codable, Hashable { var image: URL; var createdAt: Date }
        struct Count: Codable, Hashable { var count: Int }
        var items: [Item]
        var note: String?
        var counts: [Int8]?
        var byName: [String: Count]?
    }

    static let id = "6C1A36F6-0F2C-4D75-A9C0-0A6B3B1E7D10"
    let find = MessageCoder<Find>(HTTPSettings())
    let post = MessageCoder<Post>(HTTPSettings())

    private func fault(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `unknown parameters are ignored, and missing ones are nil or their default`() throws {
        let query = try find.decode(query: "utm=x&&y&=", parameters: ["id": Self.id])
        #expect(query == Find(id: try #require(UUID(uuidString: Self.id)), limit: 10))
    }

    @Test(
        arguments: [
            ("limit=abc", "limit must be a whole number, not “abc”."),
            ("limit=", "limit must be a whole number, not “”."),
            ("limit=+1", "limit must be a whole number, not “ 1”."),
            ("limit=%2B1", "limit must be a whole number, not “+1”."),
            ("limit[]=1", "limit must be written as limit=…, without brackets, not as “limit[]”."),
            ("small[0]=1", "small must be written as small=…, without brackets, not as “small[0]”."),
            ("small=1&small[]=2", "small must be written as small=…, without brackets, not as “small[]”."),
            (
                "tags[0]=1&tags[1]=2",
                "tags must be written as tags=… or tags[]=…, once for each value, not as “tags[0]”."
            ),
            (
                "tags[]=1&tags[a][]=2",
                "tags must be written as tags=… or tags[]=…, once for each value, not as “tags[a][]”."
            ),
            (
                "filter[minimum]=1",
                "filter must be written as parameters with the names of its properties, without brackets, "
                    + "not as “filter[minimum]”."
            ),
            ("tags[]=1&tags[]=x", "tags must be a whole number, not “x”."),
            ("limit=1.0", "limit must be a whole number, not “1.0”."),
            ("small=128", "small must be a whole number from -128 to 127, not “128”."),
            ("limit=1&limit=2", "limit must be given once, not 2 times."),
            ("flag=yes", "flag must be true or false, not “yes”."),
            ("price=12abc", "price must be a decimal number, not “12abc”."),
            ("price=NaN", "price must be a decimal number, not “NaN”."),
            ("ratio=inf", "ratio must be a finite number, not “inf”."),
            ("ratio=0x1p3", "ratio must be a finite number, not “0x1p3”."),
            ("ratio=1e999", "ratio must be a finite number, not “1e999”."), ("data=a", "data must be base64, not “a”."),
            (
                "since=2020",
                "since must be a time as this API writes it (RFC 3339 unless it says otherwise), not “2020”."
            ),
            ("tags=1&tags=x", "tags must be a whole number, not “x”."),
            ("minimum=1&name=a&name=b", "name must be given once, not 2 times."),
            ("name=a", "minimum is missing."), ("shape=circle", "radius is missing."),
            ("limit=%zz", "limit must be percent-encoded UTF-8."), ("tags=%FF", "tags must be percent-encoded UTF-8."),
        ]
    ) func `an error names the invalid parameter`(_ query: String, _ text: String) {
        #expect(fault { _ = try find.decode(query: query, parameters: ["id": Self.id]) } == text)
    }

    @Test(arguments: [
        "tags=1&tags=2", "tags[]=1&tags[]=2", "tags%5B%5D=1&tags%5B%5D=2", "tags=1&tags[]=2", "tags[]=1&tags=2",
    ])
    func `a list may have empty brackets behind its name`(query: String) throws {
        #expect(try find.decode(query: query, parameters: ["id": Self.id]).tags == [1, 2])
    }

    @Test(arguments: [("tags[]=", []), ("tags[]=7", [7]), ("tags=7", [7]), ("", nil)] as [(String, [Int]?)])
    func `empty brackets without a value are an empty list`(query: String, tags: [Int]?) throws {
        #expect(try find.decode(query: query, parameters: ["id": Self.id]).tags == tags)
    }

    @Test func `brackets in a declared name are part of the name`() throws {
        struct Page: HTTPQuery {
            typealias Value = Int
            static let route: QueryRoute<Self> = .get("page")
                .parameterNames(["ids": "ids[]", "number": "page[number]", "size": "page[size]"])
            var page: String?
            var ids: [Int]
            var number: Int
            var size: Int?
        }
        let coder = MessageCoder<Page>(HTTPSettings())
        let page = try coder.decode(query: "page[number]=2&page[size]=10&ids[]=1&ids[]=2")
        #expect((page.page, page.number, page.size) == (nil, 2, 10))
        #expect(page.ids == [1, 2])
        #expect(try coder.decode(query: "page[number]=2&page[0]=1&ids[]=1").page == nil)
    }

    @Test func `a list keeps its elements where a declared name has brackets`() throws {
        struct Tagged: HTTPQuery, Hashable {
            typealias Value = Int
            static let route: QueryRoute<Self> = .get("tagged").parameterNames(["mode": "tags[mode]"])
            var tags: [Int]?
            var mode: String?
        }
        let coder = MessageCoder<Tagged>(HTTPSettings())
        for tagged in [Tagged(), Tagged(tags: []), Tagged(tags: [1], mode: "a"), Tagged(mode: "a")] {
            let query = try coder.path(tagged).split(separator: "?").dropFirst().joined()
            #expect(try coder.decode(query: query) == tagged)
        }
        #expect(throws: HTTPMessageError.self) { try coder.decode(query: "tags[0]=1") }
    }

    @Test func `a parameter that nobody declared may be anything`() throws {
        let query = "other=%FF&%FF=1&%zz&minimum=1&tags=1"
        #expect(try find.decode(query: query, parameters: ["id": Self.id]).tags == [1])
    }

    @Test func `a plus sign is a space in a query, and itself in a path`() throws {
        struct Search: HTTPQuery {
            typealias Value = Int
            static let route: QueryRoute<Self> = .get("search/{room}")
            var room: String
            var text: String
            var since: Date?
        }
        let coder = MessageCoder<Search>(HTTPSettings())
        // As a form, a browser's URLSearchParams, and Python's urllib write it.
        let search = try coder.decode(
            query: "text=red+shoes%2B&since=2026-05-09T10:00:00+02:00",
            parameters: ["room": "a+b"]
        )
        #expect((search.room, search.text) == ("a+b", "red shoes+"))
        #expect(search.since == Date(rfc3339: "2026-05-09T08:00:00Z"))
        #expect(
            try coder.decode(query: "t%65xt=+&since=2026-05-09+10:00:00+0200", parameters: ["room": "a"]).since
                == Date(rfc3339: "2026-05-09T08:00:00Z")
        )
        #expect(try coder.encode(Search(room: "a+b", text: "1+1 2")).path == "search/a+b?text=1%2B1%202")
    }

    @Test(arguments: [
        ("order=size", "order must not be “size”."), ("shape=oval", "shape must not be “oval”"),
        ("shape=circle&shape=square", "shape"),
    ])
    func `an error names a value that an enum does not have`(_ query: String, _ text: String) throws {
        let fault = try #require(fault { _ = try find.decode(query: query, parameters: ["id": Self.id]) })
        #expect(fault.hasPrefix(text))
    }

    struct Typed: HTTPCommand {
        static let route: CommandRoute<Self> = .post("typed")
        struct Secret: Codable { var id: UUID?; var url: URL?; var data: Data?; var price: Decimal? }
        var id: UUID?
        var secrets: [Secret]?
        var order: SortOrder?
        var shape: Shape?
        var small: Int8?
    }

    @Test(
        arguments: [
            (#"{"secrets":[{"id":"x"}]}"#, "secrets[0].id must be a UUID."),
            (#"{"secrets":[{},{"url":""}]}"#, "secrets[1].url must be a URL."),
            (#"{"secrets":[{"data":"!"}]}"#, "secrets[0].data must be base64."),
            (#"{"secrets":[{"price":"1"}]}"#, "secrets[0].price must be a number."),
            (#"{"secrets":{}}"#, "secrets must be an array."), (#"{"secrets":[7]}"#, "secrets[0] must be an object."),
            (#"{"order":"size"}"#, "order is not valid."), (#"{"order":7}"#, "order must be a string."),
            (#"{"shape":{}}"#, "shape is not valid."), (#"{"shape":{"oval":{}}}"#, "shape is not valid."),
            (#"{"shape":"circle"}"#, "shape must be an object."), (#"{"small":300}"#, "small must be a whole number."),
            (#"{"small":true}"#, "small must be a whole number."),
        ],
        [HTTPCoding.Keys.asWritten, .snakeCase]
    ) func `an error names the expected JSON form, without types of the program`(
        _ wrong: (body: String, text: String),
        _ keys: HTTPCoding.Keys
    ) {
        let coder = MessageCoder<Typed>(HTTPSettings(coding: HTTPCoding(keys: keys)))
        #expect(fault { _ = try coder.decode(wrong.body) } == wrong.text)
    }

    @Test func `an error names the invalid value of a path`() {
        #expect(fault { _ = try find.decode(query: "", parameters: ["id": "7"]) } == "id must be a UUID, not “7”.")
        let hidden = Self.id + "\0evil"
        #expect(
            fault { _ = try find.decode(query: "", parameters: ["id": hidden]) }?.hasPrefix("id must be a UUID") == true
        )
    }

    @Test func `third-party text is quoted up to 64 characters, without control characters`() {
        let text = fault {
            _ = try find.decode(query: "limit=%1B" + String(repeating: "x", count: 100), parameters: ["id": Self.id])
        }
        #expect(text == "limit must be a whole number, not “ \(String(repeating: "x", count: 63))…”.")
    }

    @Test func `a query has at most 1,000 parameters`() throws {
        for (count, isRead) in [(999, true), (1_000, true), (1_001, false)] {
            let query = Array(repeating: "tags=1", count: count).joined(separator: "&")
            let fault = fault { _ = try find.decode(query: query, parameters: ["id": Self.id]) }
            #expect(fault == (isRead ? nil : "query must not have more than 1000 parameters."))
            let message = Find(
                id: try #require(UUID(uuidString: Self.id)),
                limit: 1,
                tags: Array(repeating: 1, count: count - 1)
            )
            let isSent = (try? find.encode(message)) != nil
            #expect(isSent == isRead)
        }
    }

    @Test func `a query has at most 131,072 bytes`() throws {
        for (count, isRead) in [(131_071, true), (131_072, true), (131_073, false)] {
            let query = "x=" + String(repeating: "a", count: count - 2)
            let fault = fault { _ = try find.decode(query: query, parameters: ["id": Self.id]) }
            #expect(fault == (isRead ? nil : "query must not have more than 131072 bytes."))
        }
    }

    private struct Renamed: HTTPCommand {
        static let route: CommandRoute<Self> = .post("a/{id}")
        var id = 1
        var name = ""
    }

    @Test(arguments: [("application/json", "body is empty."), (nil, "name is missing.")])
    func `a missing body is reported as missing`(type: String?, text: String) {
        let request = MessageParts(parameters: ["id": "1"], query: nil, contentType: type, body: Data())
        let fault = fault { _ = try MessageCoder<Renamed>(HTTPSettings()).decode(request) }
        #expect(fault == text)
    }

    private struct Liked: HTTPCommand {
        static let route: CommandRoute<Self> = .post("a/{id}/likes")
        var id = 1
    }

    @Test(arguments: ["application/json", "text/plain", nil])
    func `a message in the path needs no body`(type: String?) throws {
        let request = MessageParts(parameters: ["id": "7"], query: nil, contentType: type, body: Data())
        #expect(try MessageCoder<Liked>(HTTPSettings()).decode(request).id == 7)
        let other = MessageParts(parameters: ["id": "7"], query: nil, contentType: type, body: Data("7".utf8))
        #expect(fault { _ = try MessageCoder<Liked>(HTTPSettings()).decode(other) } != nil)
    }

    private struct Told: BodyCommand {
        static let route: CommandRoute<Self> = .post("a")
        var body: [String] = []
    }

    @Test(arguments: ["application/json", nil])
    func `a missing body property is reported`(type: String?) {
        let request = MessageParts(parameters: [:], query: nil, contentType: type, body: Data())
        #expect(fault { _ = try MessageCoder<Told>(HTTPSettings()).decode(request) } == "body is empty.")
    }

    @Test(
        arguments: [
            ("{", "body is not JSON"), ("", "body is empty."), ("[]", "body must be an object."),
            ("{}", "items is missing."),
            (#"{"items":null}"#, "items must not be null"), (#"{"items":[{}]}"#, "items[0].image is missing."),
            (#"{"items":[{"image":7}]}"#, "items[0].image must be a string."),
            (
                #"{"items":[{"image":"a:/b","createdAt":"now"}]}"#,
                "items[0].createdAt must be a date and time with an offset (RFC 3339), not “now”."
            ),
            (#"{"items":[],"note":7}"#, "note must be a string."),
            (#"{"items":[],"counts":[1,1.5]}"#, "counts[1] must be a whole number."),
            (#"{"items":[],"byName":{"a b":{"count":1e300}}}"#, "byName.a b.count must be a whole number."),
        ]
    ) func `an error names the invalid place in the body`(_ body: String, _ text: String) throws {
        let fault = try #require(fault { _ = try post.decode(body) })
        #expect(fault.hasPrefix(text), "\(fault)")
    }

    @Test(arguments: [
        (Data(), "body is empty."), (Data(" \n".utf8), "body is empty."),
        (Data([0x1F, 0x8B, 8, 0]), "body is compressed with gzip, and not JSON."),
        (Data([0xEF, 0xBB, 0xBF] + "\r\n<!doctype html>".utf8), "body is HTML or XML, and not JSON."),
        // With the position of the fault, in the words of the system.
        (Data(#"{"items":["#.utf8), "body is not JSON: "),
        (Data("{\"items\":[],\"note\":\"\t\"}".utf8), "body is not JSON: "),
        (Data(#"{"items":[],"note":""#.utf8) + [0xE9] + Data(#""}"#.utf8), "body is not JSON: "),
    ])
    func `an error tells what a body is that is not JSON`(body: Data, text: String) throws {
        let request = MessageParts(parameters: [:], query: nil, contentType: "application/json", body: body)
        let fault = try #require(fault { _ = try post.decode(request) })
        #expect(fault.hasPrefix(text), "\(fault)")
    }

    @Test(arguments: [
        "application/json", "Application/JSON; Charset=\"UTF-8\"", "application/merge-patch+json;charset=utf-8",
        "x/y+json",
        "application/json; x=\"a;charset=b\"",
    ])
    func `JSON in UTF-8 is read`(_ type: String) throws {
        let message = try post.decode(#"{"items":[]}"#, contentType: type)
        #expect(message == Post(items: []))
    }

    @Test(arguments: ["text/plain", "application/json; charset=latin1", "", "application/xml", nil])
    func `another media type is refused`(_ type: String?) {
        #expect(throws: HTTPMessageError.unsupportedMediaType(expected: ["application/json"])) {
            try post.decode(#"{"items":[]}"#, contentType: type)
        }
    }

    struct Put: HTTPCommand {
        static let route: CommandRoute<Self> = .put("put/{id}")
        var id: Int
        var createdAt: [Post.Count]
    }

    @Test(arguments: [HTTPCoding.Keys.asWritten, .snakeCase]) func `an error names the invalid parameter beside a path`(
        _ keys: HTTPCoding.Keys
    ) {
        let put = MessageCoder<Put>(HTTPSettings(coding: HTTPCoding(keys: keys)))
        let name = keys == .asWritten ? "createdAt" : "created_at"
        let text = fault {
            _ = try put.decode("{\"\(name)\":[{\"count\":1},{\"count\":1.5}]}", parameters: ["id": "1"])
        }
        #expect(text == "\(name)[1].count must be a whole number.")
    }

    @Test func `an empty request has no properties`() {
        #expect(fault { _ = try post.decode("", contentType: nil) } == "items is missing.")
    }

    @Test(arguments: [("[", "]"), (#"{"note":"#, "}"), (#"{"items":["#, "]}")])
    func `a deeply nested body is refused and does not end the process`(
        _ open: String,
        _ close: String
    ) {
        for body in [
            String(repeating: open, count: 100_000),
            String(repeating: open, count: 100_000) + String(repeating: close, count: 100_000),
        ] {
            #expect(throws: HTTPMessageError.self) { try post.decode(body) }
        }
    }
}
