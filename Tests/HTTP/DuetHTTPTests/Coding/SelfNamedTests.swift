import Duet
import DuetHTTP
import HTTPTypes
import Testing

/// Values that have a property with the same name as the value.
struct SelfNamedTests {
    struct Required: Codable, Hashable { var filter: String; var other: String? }
    struct Left: Codable, Hashable { var filter: String? }
    struct Many: Codable, Hashable { var filter: [String] }

    struct FindRequired: Filterable, Hashable {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("a")
        var filter: Required?
    }

    struct FindLeft: Filterable {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a"); var filter: Left?
    }
    struct FindMany: Filterable {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a"); var filter: Many?
    }
    struct Always: HTTPQuery, Hashable {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("a"); var filter = Left()
    }

    @Test(arguments: [nil, Required(filter: ""), Required(filter: "x"), Required(filter: "", other: "")])
    func `one that is never optional is distinguished from nil`(_ filter: Required?) throws {
        let journey = try Journey(FindRequired.self)
        let message = FindRequired(filter: filter)
        #expect(try journey.end(of: message) == message)
    }

    @Test(arguments: [Left(), Left(filter: ""), Left(filter: "x")])
    func `where only the property itself is optional, it is distinguished from nil`(_ filter: Left) throws {
        let journey = try Journey(Always.self)
        let message = Always(filter: filter)
        #expect(try journey.end(of: message) == message)
    }

    @Test(arguments: [0, 1]) func `one that may be left out is refused with what to do`(_ index: Int) throws {
        let entry: MessageAPI.Entry = [.open(FindLeft.self), .open(FindMany.self)][index]
        let error = #expect(throws: InvalidMessageAPI.self) { try HTTPAPI { entry } }
        #expect(
            error?.description == """
                \(entry.message.messageName) has filter and filter.filter under the one name filter. Rename one of the properties, as \
                parameterNames would rename both, or let filter.filter be neither optional nor a list.
                """
        )
    }

    @Test func `one that may be left out is refused by a message too`() {
        for filter in [Left(filter: ""), Left(filter: "x")] {
            let error = #expect(throws: HTTPMessageError.self) {
                try MessageCoder<FindLeft>(HTTPSettings()).encode(FindLeft(filter: filter))
            }
            #expect(error?.description.contains("has an optional property with its own name") == true)
        }
        #expect(throws: HTTPMessageError.self) {
            try MessageCoder<FindMany>(HTTPSettings()).encode(FindMany(filter: Many(filter: [])))
        }
    }
}
