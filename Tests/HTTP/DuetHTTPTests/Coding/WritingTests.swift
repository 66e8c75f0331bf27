import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

/// Messages as requests.
struct WritingTests {
    struct Criteria: Codable, Hashable { var name: String?; var numberOfLetSwiftsAttended: Int? }
    enum SpeakerOrder: String, Codable { case name }
    struct Speakers: HTTPQuery, Filterable, Orderable, Pageable, Searchable {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("speakers")
        var filter: Criteria?
        var order = SpeakerOrder.name
        var page: String?
        var searchText: String?
    }
    enum Shape: Codable, Hashable { case point, circle(radius: Int) }
    struct Find: HTTPQuery, Hashable {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("find/{id}").parameterNames(["tags": "tag"])
        var id = "x"
        var tags: [String]?
        var shape: Shape?
        var ratio: Double?
        var since: Date?
    }
    struct Like: HTTPCommand {
        static let route: CommandRoute<Self> = .post("like_video").requestHeaders([.accept: "a/b"])
        var id = "let_swift_13/1"
    }
    struct Ping: HTTPCommand { static let route: CommandRoute<Self> = .put("ping") }
    struct Snake: HTTPCommand {
        struct Inner: Codable { var htmlURL = 1 }
        static let route: CommandRoute<Self> = .post("snake")
            .coding(HTTPCoding(keys: .snakeCase, dates: .millisecondsSince1970))
        var imageURL = [Inner()]
        var byName = ["someKey": Inner()]
        var at = Date(timeIntervalSince1970: 1.2345)
    }
    struct Loose: Filterable {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("a")
        var filter: Criteria?
        var name = ""
        enum CodingKeys: CodingKey { case filter, name }
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            if name != "0" { filter = try container.decode(Criteria.self, forKey: .filter) }
            throw CancellationError()
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            if name == "clash" { try container.encode(filter, forKey: .filter) }
        }
    }

    private func fault<Message: HTTPMessage>(_ message: Message) -> String? {
        do {
            _ = try MessageCoder<Message>(HTTPSettings()).encode(message)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `nested values are flattened in the order of the properties`() throws {
        let coder = MessageCoder<Speakers>(HTTPSettings())
        let path = try coder.path(
            Speakers(
                filter: .init(name: "Sebastian", numberOfLetSwiftsAttended: 13),
                order: .name,
                page: "start",
                searchText: nil
            )
        )
        #expect(path == "speakers?name=Sebastian&numberOfLetSwiftsAttended=13&order=name&page=start")
    }

    @Test func `an empty value is distinguished from nil`() throws {
        let speakers = MessageCoder<Speakers>(HTTPSettings())
        #expect(try speakers.path(Speakers(filter: .init())) == "speakers?filter=&order=name")
        let find = MessageCoder<Find>(HTTPSettings())
        #expect(try find.path(Find(tags: [])) == "find/x?tag%5B%5D=")
        #expect(try find.path(Find(tags: [""])) == "find/x?tag=")
    }

    @Test func `an enum with values is its case and the values`() throws {
        let find = MessageCoder<Find>(HTTPSettings())
        #expect(try find.path(Find(shape: .circle(radius: 1))) == "find/x?shape=circle&radius=1")
        #expect(try find.path(Find(shape: .point)) == "find/x?shape=point")
    }

    @Test func `a query has unreserved characters only, and a path also those that a segment may contain`() throws {
        let find = MessageCoder<Find>(HTTPSettings())
        #expect(
            try find.path(Find(id: "a/b c+é-._~%", tags: ["&=", "+"]))
                == "find/a%2Fb%20c+%C3%A9-._~%25?tag=%26%3D&tag=%2B"
        )
        #expect(try find.path(Find(id: "45.5,-122.6:@=!$&'()*;?#[]")) == "find/45.5,-122.6:@=!$&'()*%3B%3F%23%5B%5D")
    }

    @Test func `a command is a JSON object, with its own header fields and those of the API`() throws {
        let settings = HTTPSettings(headers: [.accept: "c/d", .userAgent: "duet"])
        let sent = try MessageCoder<Like>(settings).encode(Like())
        #expect(sent.path == "like_video")
        #expect(sent.body == Data(#"{"id":"let_swift_13/1"}"#.utf8))
        #expect(sent.headers == [.userAgent: "duet", .accept: "a/b", .contentType: "application/json"])
    }

    @Test func `a command without properties is an empty object`() throws {
        #expect(try MessageCoder<Ping>(HTTPSettings()).encode(Ping()).body == Data("{}".utf8))
    }

    @Test func `snake case applies at every depth, but not to the keys of a dictionary`() throws {
        let body = try MessageCoder<Snake>(HTTPSettings()).encode(Snake()).body ?? Data()
        let json = try #require(try JSONSerialization.jsonObject(with: body) as? NSDictionary)
        #expect(json == ["image_url": [["html_url": 1]], "by_name": ["someKey": ["html_url": 1]], "at": 1_235])
    }

    @Test(arguments: ["", ".", ".."]) func `a value that a path would lose is refused`(_ id: String) {
        let text = "is “\(id)”, which is lost in a path; give it another value or move it into the query"
        #expect(fault(Find(id: id)) == "\(Find.messageName) cannot be sent: id \(text).")
    }

    @Test func `numbers and dates that have no text are refused`() {
        #expect(fault(Find(ratio: .nan))?.contains("ratio must be a finite number") == true)
        #expect(fault(Find(ratio: -.infinity))?.contains("ratio must be a finite number") == true)
        #expect(fault(Find(since: .distantFuture)) == nil)
        #expect(
            fault(Find(since: Date(timeIntervalSinceReferenceDate: 252_423_993_600)))?.contains("years 0000 to 9999")
                == true
        )
        #expect(
            fault(Find(since: Date(timeIntervalSinceReferenceDate: -63_145_526_401)))?.contains("years 0000 to 9999")
                == true
        )
        #expect(fault(Find(since: Date(timeIntervalSinceReferenceDate: .nan)))?.contains("years 0000 to 9999") == true)
    }

    @Test func `a property that its protocol requires and that is not encoded is refused`() {
        var message = Loose()
        #expect(fault(message) == nil)
        message.filter = Criteria()
        #expect(fault(message)?.contains("filter is not encoded, though its protocol requires it") == true)
    }

    @Test func `a conflict that depends on a message's values is refused with both names`() {
        var message = Loose()
        message.name = "clash"
        message.filter = Criteria(name: "x")
        #expect(fault(message)?.contains("name of filter comes out under the same name as that of the message") == true)
    }

    struct BytesWithTag: BodyCommand {
        static let route: CommandRoute<Self> = .put("a")
        var body: HTTPBytes
    }

    @Test func `bytes whose type or tag cannot be sent are refused`() {
        #expect(fault(BytesWithTag(body: HTTPBytes(Data(), mediaType: "a/b"))) == nil)
        for bytes in [
            HTTPBytes(Data(), mediaType: ""), HTTPBytes(Data(), mediaType: "a\nb"),
            HTTPBytes(Data(), mediaType: "a/b", entityTag: "c"),
        ] {
            #expect(fault(BytesWithTag(body: bytes))?.contains("body must have a media type") == true)
        }
    }
}
