import Duet
import DuetHTTP
import Foundation
import Testing

/// Names of parameters that an API gives all of its messages.
struct ParameterNameTests {
    struct Find: Pageable, Searchable, Hashable {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("find/{ID}").parameterNames(["searchText": "text"])
        var id = 1
        var page: Int? = 2
        var searchText: String? = "a"
    }

    struct Note: HTTPCommand, Hashable {
        static let route: CommandRoute<Self> = .post("notes")
        var id = 1
        var pageCount = 2
    }

    private let settings = HTTPSettings(
        coding: HTTPCoding(keys: .snakeCase),
        parameterNames: ["page": "p", "searchText": "q", "id": "ID"]
    )

    @Test func `they apply where a message has no own name`() throws {
        let journey = try Journey(Find.self, settings: settings)
        #expect(try journey.coder.path(Find()) == "find/1?p=2&text=a")
        #expect(try journey.end(of: Find()) == Find())
    }

    @Test func `they name the members of a body`() throws {
        let journey = try Journey(Note.self, settings: settings)
        let body = try JSONDecoder().decode(JSONValue.self, from: journey.coder.encode(Note()).body ?? Data())
        #expect(body == .object(["ID": .integer(1), "page_count": .integer(2)]))
        #expect(try journey.end(of: Note()) == Note())
    }

    struct Count: HTTPCommand, Hashable {
        struct Inner: Codable, Hashable { var id = 3 }

        static let route: CommandRoute<Self> = .post("counts")
        var count = 2
        var inner = Inner()
    }

    @Test func `in a body they name its own members, and do not matter to other bodies`() throws {
        let journey = try Journey(Count.self, settings: HTTPSettings(parameterNames: ["id": "ID"]))
        let body = try JSONDecoder().decode(JSONValue.self, from: journey.coder.encode(Count()).body ?? Data())
        #expect(body == .object(["count": .integer(2), "inner": .object(["id": .integer(3)])]))
        #expect(try journey.end(of: Count()) == Count())
    }

    @Test func `a conflict that they cause is refused`() {
        let settings = HTTPSettings(parameterNames: ["page": "query", "searchText": "query"])
        struct Clash: Pageable, Searchable {
            typealias Value = Int
            static let route: QueryRoute<Self> = .get("a")
            var page: Int?
            var searchText: String?
        }
        let error = #expect(throws: InvalidMessageAPI.self) { try HTTPAPI(settings) { Clash.self } }
        #expect(error?.description.contains("has page and searchText under the one name query") == true)
    }
}
