import Duet
import DuetHTTP
import Foundation
import Testing

/// Every combination of the query protocols carries every parameter that they require.
struct QueryCombinationTests {
    struct Criteria: Codable, Hashable {
        var name = "Sebastian"
        var age: Int? = 13
    }

    enum Direction: String, Codable { case up, down }

    protocol Verb { static var method: QueryMethod { get } }
    enum Get: Verb { static let method = QueryMethod.get }
    enum Post: Verb { static let method = QueryMethod.post }

    /// The parameters of a message with all protocols, and the expected values.
    struct Combination: CustomTestStringConvertible {
        let testDescription: String
        let check: @Sendable () throws -> Void

        init<Q: HTTPQuery & Equatable>(_ query: Q, _ parameters: [String]) {
            testDescription = "\(Q.self)"
            check = {
                let journey = try Journey(Q.self)
                let sent = try journey.coder.encode(query)
                if Q.route.method == .get {
                    let parts = ["q"] + [parameters.joined(separator: "&")].filter { !$0.isEmpty }
                    #expect(sent.path == parts.joined(separator: "?"))
                    #expect(sent.body == nil)
                } else {
                    #expect(sent.path == "q")
                    let body = try JSONDecoder().decode(JSONValue.self, from: sent.body ?? Data())
                    #expect(body == .object(Self.members(parameters)))
                }
                let end = try journey.end(of: query)
                #expect(end == query)
            }
        }

        /// The members of a body for the parameters of a URL; only a filter differs.
        private static func members(_ parameters: [String]) -> [String: JSONValue] {
            let all: [(parameter: String, name: String, value: JSONValue)] = [
                ("id=7", "id", .integer(7)),
                ("name=Sebastian", "filter", .object(["name": .string("Sebastian"), "age": .integer(13)])),
                ("order=down", "order", .string("down")), ("page=3", "page", .integer(3)),
                ("searchText=a%20b", "searchText", .string("a b")),
            ]
            return Dictionary(
                uniqueKeysWithValues: all.filter { parameters.contains($0.parameter) }.map { ($0.name, $0.value) }
            )
        }
    }

    @Test(arguments: combinations(Get.self))
    func `every combination carries every parameter in the URL of a GET`(_ combination: Combination) throws {
        try combination.check()
    }

    @Test(arguments: combinations(Post.self))
    func `every combination carries every parameter in the body of a POST`(_ combination: Combination) throws {
        try combination.check()
    }

    @Test func `all combinations are there`() {
        #expect(Set(Self.combinations(Get.self).map(\.testDescription)).count == 32)
        #expect(Set(Self.combinations(Post.self).map(\.testDescription)).count == 32)
    }

    static func combinations<V: Verb>(_ verb: V.Type) -> [Combination] {
        let first: [Combination] = [
            Combination(Q<V>(), []),
            Combination(QI<V>(id: 7), ["id=7"]),
            Combination(QF<V>(filter: Criteria()), ["name=Sebastian", "age=13"]),
            Combination(QO<V>(order: .down), ["order=down"]),
            Combination(QP<V>(page: 3), ["page=3"]),
            Combination(QS<V>(searchText: "a b"), ["searchText=a%20b"]),
            Combination(QIF<V>(id: 7, filter: Criteria()), ["id=7", "name=Sebastian", "age=13"]),
            Combination(QIO<V>(id: 7, order: .down), ["id=7", "order=down"]),
            Combination(QIP<V>(id: 7, page: 3), ["id=7", "page=3"]),
            Combination(QIS<V>(id: 7, searchText: "a b"), ["id=7", "searchText=a%20b"]),
            Combination(QFO<V>(filter: Criteria(), order: .down), ["name=Sebastian", "age=13", "order=down"]),
            Combination(QFP<V>(filter: Criteria(), page: 3), ["name=Sebastian", "age=13", "page=3"]),
            Combination(
                QFS<V>(filter: Criteria(), searchText: "a b"),
                ["name=Sebastian", "age=13", "searchText=a%20b"]
            ),
            Combination(QOP<V>(order: .down, page: 3), ["order=down", "page=3"]),
            Combination(QOS<V>(order: .down, searchText: "a b"), ["order=down", "searchText=a%20b"]),
            Combination(QPS<V>(page: 3, searchText: "a b"), ["page=3", "searchText=a%20b"]),
        ]
        let second: [Combination] = [
            Combination(
                QIFO<V>(id: 7, filter: Criteria(), order: .down),
                ["id=7", "name=Sebastian", "age=13", "order=down"]
            ),
            Combination(QIFP<V>(id: 7, filter: Criteria(), page: 3), ["id=7", "name=Sebastian", "age=13", "page=3"]),
            Combination(
                QIFS<V>(id: 7, filter: Criteria(), searchText: "a b"),
                ["id=7", "name=Sebastian", "age=13", "searchText=a%20b"]
            ),
            Combination(QIOP<V>(id: 7, order: .down, page: 3), ["id=7", "order=down", "page=3"]),
            Combination(QIOS<V>(id: 7, order: .down, searchText: "a b"), ["id=7", "order=down", "searchText=a%20b"]),
            Combination(QIPS<V>(id: 7, page: 3, searchText: "a b"), ["id=7", "page=3", "searchText=a%20b"]),
            Combination(
                QFOP<V>(filter: Criteria(), order: .down, page: 3),
                ["name=Sebastian", "age=13", "order=down", "page=3"]
            ),
            Combination(
                QFOS<V>(filter: Criteria(), order: .down, searchText: "a b"),
                ["name=Sebastian", "age=13", "order=down", "searchText=a%20b"]
            ),
            Combination(
                QFPS<V>(filter: Criteria(), page: 3, searchText: "a b"),
                ["name=Sebastian", "age=13", "page=3", "searchText=a%20b"]
            ),
            Combination(
                QOPS<V>(order: .down, page: 3, searchText: "a b"),
                ["order=down", "page=3", "searchText=a%20b"]
            ),
            Combination(
                QIFOP<V>(id: 7, filter: Criteria(), order: .down, page: 3),
                ["id=7", "name=Sebastian", "age=13", "order=down", "page=3"]
            ),
            Combination(
                QIFOS<V>(id: 7, filter: Criteria(), order: .down, searchText: "a b"),
                ["id=7", "name=Sebastian", "age=13", "order=down", "searchText=a%20b"]
            ),
            Combination(
                QIFPS<V>(id: 7, filter: Criteria(), page: 3, searchText: "a b"),
                ["id=7", "name=Sebastian", "age=13", "page=3", "searchText=a%20b"]
            ),
            Combination(
                QIOPS<V>(id: 7, order: .down, page: 3, searchText: "a b"),
                ["id=7", "order=down", "page=3", "searchText=a%20b"]
            ),
            Combination(
                QFOPS<V>(filter: Criteria(), order: .down, page: 3, searchText: "a b"),
                ["name=Sebastian", "age=13", "order=down", "page=3", "searchText=a%20b"]
            ),
            Combination(
                QIFOPS<V>(id: 7, filter: Criteria(), order: .down, page: 3, searchText: "a b"),
                ["id=7", "name=Sebastian", "age=13", "order=down", "page=3", "searchText=a%20b"]
            ),
        ]
        return first + second
    }
}
