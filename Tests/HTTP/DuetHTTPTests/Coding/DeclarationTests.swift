import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

/// Declarations whose messages could not be read back are refused with the name of the message and advice.
struct DeclarationTests {
    struct Inner: Codable { var name: String? }
    struct SelfNamed: Codable { var inner: String? }
    enum Shape: Codable { case circle(radius: Int), square(side: Int) }

    struct NoProperty: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a/{id}"); var name = ""
    }
    struct NoProperties: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("a/{id}") }
    struct OptionalID: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a/{id}"); var id: Int?
    }
    struct ListID: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a/{id}"); var id: [Int] = []
    }
    struct StructID: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a/{id}"); var id = Inner()
    }
    struct ShapeID: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a/{id}"); var id = Shape.circle(radius: 1)
    }
    struct Unbalanced: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a/{id"); var id = 1
    }
    struct EmptyName: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("a/{}"); var id = 1 }
    struct Twice: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a/{id}/{id}"); var id = 1
    }
    struct InPath: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("a?b"); var id = 1 }
    struct Beside: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a/x}{id}"); var id = 1
    }
    struct Adjacent: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a/{id}{name}"); var id = 1; var name = 1
    }
    struct NullParameter: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a"); var name = JSONMember<String>.absent
    }
    struct NullInPath: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a/{id}"); @Nullable var id: Int?
    }
    struct EncodedBeside: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a/{id}%3acancel"); var id = 1
    }
    struct FormInURL: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a").formEncoded(); var id = 1
    }
    struct FormWithBody: BodyCommand {
        static let route: CommandRoute<Self> = .put("a").formEncoded()
        var body = ""
    }
    struct BytesInEnvelope: HTTPQuery {
        typealias Value = HTTPBytes; static let route: QueryRoute<Self> = .get("a").envelope("bytes")
    }
    struct Slash: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("/a"); var id = 1 }
    struct Space: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("a b"); var id = 1 }
    struct Dots: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("a/../b"); var id = 1 }
    struct Clash: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a"); var name = ""; var inner = Inner()
    }
    struct OwnName: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a"); var inner: SelfNamed?
    }
    struct Marker: HTTPQuery {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("a").parameterNames(["other": "tags[]"])
        var tags: [Int]?
        var other = ""
    }
    struct SnakeClash: HTTPCommand {
        static let route: CommandRoute<Self> = .post("a").coding(HTTPCoding(keys: .snakeCase))
        var imageURL = ""
        var imageUrl = ""
    }
    struct UnknownName: HTTPQuery {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("a").parameterNames(["nmae": "n"])
        var name = ""
    }
    struct UnknownDefault: HTTPQuery {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("a").parameterDefaults(["limt": "10"])
        var limit = 1
    }
    struct BadDefault: HTTPQuery {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("a").parameterDefaults(["limit": "ten"])
        var limit = 1
    }
    struct OptionalDefault: HTTPQuery {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("a").parameterDefaults(["limit": "10"])
        var limit: Int?
    }
    struct BodyDefault: HTTPCommand {
        static let route: CommandRoute<Self> = .post("a").parameterDefaults(["limit": "10"])
        var limit = 1
    }
    struct CamelInPath: HTTPQuery {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("a/{userId}").coding(HTTPCoding(keys: .snakeCase))
        var userId = 1
    }
    struct KeyInPath: HTTPQuery {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("a/{user}").parameterNames(["user": "uid"])
        var user = 1
    }
    struct LeftOut: Searchable {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("a")
        var name = ""
        var searchText: String?
        enum CodingKeys: CodingKey { case name }
    }
    struct NotDecoded: Pageable {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("a")
        var page: Int?
        init() {}
        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: CodingKeys.self) }
        enum CodingKeys: CodingKey { case page }
    }
    struct Computed: IDQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a"); var id: Int { 1 }
    }
    struct ByName: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a"); var names: [String: Int] = [:]
    }
    struct Structs: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a"); var inner: [Inner] = []
    }
    struct Optionals: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a"); var tags: [Int?] = []
    }
    struct NoBody: BodyCommand {
        static let route: CommandRoute<Self> = .put("a")
        var body: String { "" }
        var id = 1
    }
    struct BodyInPath: BodyCommand {
        static let route: CommandRoute<Self> = .put("a/{body}")
        var body = ""
    }
    struct NoBytes: BodyCommand {
        static let route: CommandRoute<Self> = .put("a")
        var body: HTTPBytes?
    }
    struct NotKeyed: HTTPQuery {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("a")
        func encode(to encoder: any Encoder) throws {}
        init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer().decode(Int.self) }
    }

    struct Case: CustomTestStringConvertible {
        let entry: MessageAPI.Entry
        let text: String
        var name: String { entry.message.messageName }
        var testDescription: String { name }

        init<M: HTTPMessage>(_ message: M.Type, _ text: String) {
            (entry, self.text) = (.open(message), text)
        }
    }

    static let cases = [
        Case(NoProperty.self, "has {id} in its path, but no property of this wire name"),
        Case(NoProperties.self, "has {id} in its path, but no property of this wire name"),
        Case(CamelInPath.self, "no property of this wire name. Write {user_id}, the wire name of userId."),
        Case(KeyInPath.self, "no property of this wire name. Write {uid}, the wire name of user."),
        Case(OptionalID.self, "id may be nil"),
        Case(ListID.self, "id is more than one value"),
        Case(StructID.self, "id is more than one value"),
        Case(ShapeID.self, "id is more than one value"),
        Case(Unbalanced.self, "“{id” has a brace without its other one"),
        Case(EmptyName.self, "{} names no property"),
        Case(Twice.self, "{id} occurs twice"),
        Case(InPath.self, "“a?b” begins a query or a fragment"),
        Case(Beside.self, "“x}{id}” has a brace without its other one"),
        Case(Adjacent.self, "“{id}{name}” has two placeholders with nothing between them"),
        Case(NullParameter.self, "has name, whose null a URL cannot hold"),
        Case(NullInPath.self, "id may be nil"),
        Case(BytesInEnvelope.self, "has a payload of bytes, which .envelope(_:) cannot carry"),
        Case(EncodedBeside.self, "“%3acancel” beside a placeholder must be written as “:cancel”"),
        Case(FormInURL.self, "has no form, because of its method or its body"),
        Case(FormWithBody.self, "has no form, because of its method or its body"),
        Case(Slash.self, "a segment is empty"),
        Case(Space.self, "“a b” has characters that a path cannot have"),
        Case(Dots.self, "“..” would be resolved away"),
        Case(Clash.self, "has name and inner.name under the one name name"),
        Case(OwnName.self, "has inner and inner.inner under the one name inner"),
        Case(Marker.self, "has tags and other under the one name tags[]"),
        Case(SnakeClash.self, "has imageURL and imageUrl under the one name image_url"),
        Case(UnknownName.self, "gives nmae a name in parameterNames"),
        Case(UnknownDefault.self, "has a default for limt, but no parameter"),
        Case(BadDefault.self, "has a default for limit that cannot be read"),
        Case(OptionalDefault.self, "has a default for limit, which may be left out to mean nothing"),
        Case(BodyDefault.self, "has a default for limit, but its properties are in a body"),
        Case(LeftOut.self, "leaves out searchText, which its protocol requires"),
        Case(NotDecoded.self, "leaves out page, which its protocol requires"),
        Case(Computed.self, "leaves out id, which its protocol requires"),
        Case(ByName.self, "has a dictionary, names"),
        Case(Structs.self, "has a list of more than single values, inner"),
        Case(Optionals.self, "has a list of optionals, tags"),
        Case(NoBody.self, "has a body, but no property body"),
        Case(BodyInPath.self, "body is its body"),
        Case(NoBytes.self, "has a body of bytes that may be nil"),
        Case(NotKeyed.self, "is not encoded as properties with names"),
    ]

    @Test(arguments: cases) func `a declaration that cannot round-trip is refused`(_ wrong: Case) throws {
        let error = #expect(throws: InvalidMessageAPI.self) { try HTTPAPI { wrong.entry } }
        let faults = try #require(error).faults
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.hasPrefix(wrong.name) == true, "\(faults)")
        #expect(faults.first?.contains(wrong.text) == true, "\(faults)")
    }

    @Test func `all faults are reported at once, in the order of the messages`() throws {
        let error = #expect(throws: InvalidMessageAPI.self) {
            try HTTPAPI {
                OptionalID.self
                Twice.self
                Computed.self
            }
        }
        let names = [OptionalID.messageName, Twice.messageName, Computed.messageName]
        let faults = try #require(error).faults
        #expect(faults.count == 3)
        for (fault, name) in zip(faults, names) { #expect(fault.hasPrefix(name)) }
    }

    // MARK: Two messages

    struct First: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("a/{x}/c"); var x = 1 }
    struct Second: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("a/{y}/c"); var y = 1 }
    struct Third: HTTPCommand { static let route: CommandRoute<Self> = .put("a/{z}/c"); var z = 1 }

    @Test func `two messages on one route are refused with both names`() throws {
        let error = #expect(throws: InvalidMessageAPI.self) {
            try HTTPAPI {
                First.self
                Third.self
                Second.self
            }
        }
        let fault = try #require(error?.faults.first)
        #expect(error?.faults.count == 1)
        #expect(
            fault.hasPrefix(
                "\(First.messageName) and \(Second.messageName) are both GET a/{x}/c, also written a/{y}/c."
            )
        )
    }

    @Test func `a message that is listed twice is refused`() throws {
        let error = #expect(throws: InvalidMessageAPI.self) {
            try HTTPAPI {
                First.self
                First.self
            }
        }
        #expect(error?.faults == ["\(First.messageName) is listed twice. Remove one of them."])
    }

    @Test func `other methods and other shapes of a path are other routes`() throws {
        let api = try HTTPAPI {
            First.self
            Third.self
        }
        #expect(api.endpoints.map(\.method) == [.get, .put])
    }
}
