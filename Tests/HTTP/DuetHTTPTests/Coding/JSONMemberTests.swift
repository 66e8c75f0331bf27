import Duet
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Members that may be absent, null or a value.
struct JSONMemberTests {
    struct Update: HTTPCommand, Hashable {
        static let route: CommandRoute<Self> = .patch("users/{id}")
        var id = 1
        var bio = JSONMember<String>.absent
        var bornAt = JSONMember<Date>.absent
        var links = JSONMember<[Link]>.absent
    }

    struct Link: Codable, Hashable {
        var url = ""
        var title = JSONMember<String>.absent
    }

    struct Profile: Codable, Hashable {
        let name: String
        @Nullable var bio: String?
        @Nullable var imageURL: String?
    }

    struct GetProfile: HTTPQuery, Hashable {
        typealias Value = Profile
        static let route: QueryRoute<Self> = .get("profile")
    }

    @Test(
        arguments: [
            ("{}", Update()), (#"{"bio":null}"#, Update(bio: .null)), (#"{"bio":"a"}"#, Update(bio: .value("a"))),
            (
                #"{"links":[{"url":"u"},{"title":null,"url":"v"}]}"#,
                Update(links: .value([Link(url: "u"), Link(url: "v", title: .null)]))
            ),
        ],
        [HTTPCoding.Keys.asWritten, .snakeCase]
    )
    func `a member is written and read as what it is`(_ sample: (String, Update), _ keys: HTTPCoding.Keys) throws {
        let journey = try Journey(Update.self, settings: HTTPSettings(coding: HTTPCoding(keys: keys)))
        let sent = try journey.coder.encode(sample.1)
        #expect(String(decoding: sent.body ?? Data(), as: UTF8.self) == sample.0)
        #expect(try journey.end(of: sample.1) == sample.1)
    }

    @Test func `a member has the coding of its message`() throws {
        let coding = HTTPCoding(keys: .snakeCase, dates: .millisecondsSince1970)
        let update = Update(bornAt: .value(Date(timeIntervalSince1970: 1)))
        let journey = try Journey(Update.self, settings: HTTPSettings(coding: coding))
        #expect(try journey.coder.encode(update).body == Data(#"{"born_at":1000}"#.utf8))
        #expect(try journey.end(of: update) == update)
    }

    @Test func `a fault of a member has its path`() throws {
        let coder = MessageCoder<Update>(HTTPSettings())
        let error = #expect(throws: HTTPMessageError.self) {
            try coder.decode(#"{"links": [{"url": "u", "title": 1}]}"#, parameters: ["id": "1"])
        }
        #expect(error?.description.hasPrefix("links[0].title must be") == true, "\(String(describing: error))")
    }

    @Test func `an optional property is written as null, and read also if it is absent`() throws {
        let json = JSONCoder(HTTPCoding(keys: .snakeCase))
        var profile = Profile(name: "Jane", bio: nil, imageURL: nil)
        let text = #"{"bio":null,"image_url":null,"name":"Jane"}"#
        #expect(String(decoding: try json.encode(profile), as: UTF8.self) == text)
        #expect(try json.decode(Profile.self, from: Data(text.utf8)) == profile)
        #expect(try json.decode(Profile.self, from: Data(#"{"name":"Jane"}"#.utf8)) == profile)
        profile.imageURL = "i"
        #expect(try json.decode(Profile.self, from: json.encode(profile)) == profile)
    }

    @Test func `every other coder finds the same members`() throws {
        let update = Update(bio: .null, links: .value([Link(title: .null), Link()]))
        let data = try JSONEncoder().encode(update)
        #expect(try JSONDecoder().decode(Update.self, from: data) == update)
        #expect(!String(decoding: data, as: UTF8.self).contains("bornAt"))
    }

    struct Generic<Member: Codable>: Codable { let member: Member }

    @Test func `a generic type cannot leave a member out, and says so`() throws {
        let error = #expect(throws: EncodingError.self) {
            try JSONEncoder().encode(Generic(member: JSONMember<Int>.absent))
        }
        #expect("\(String(describing: error))".contains("by a property of type JSONMember only"))
        #expect(throws: HTTPMessageError.self) {
            try JSONCoder().decode(Generic<JSONMember<Int>>.self, from: Data("{}".utf8))
        }
        let json = JSONCoder()
        let null = try json.encode(Generic(member: JSONMember<Int>.null))
        #expect(try json.decode(Generic<JSONMember<Int>>.self, from: null).member == .null)
    }

    @Test func `a member is applied to a value`() {
        #expect(JSONMember.absent.applied(to: 1) == 1)
        #expect(JSONMember<Int>.null.applied(to: 1) == nil)
        #expect(JSONMember.value(2).applied(to: nil) == 2)
    }
}
