import Duet
import DuetHTTP
import Foundation
import Testing

/// Every combination of the protocols that queries may have carries every parameter that it promises.
struct QueryCombinationTests {
    struct Criteria: Codable, Hashable {
        var name = "Sebastian"
        var age: Int? = 13
    }

    enum Direction: String, Codable { case up, down }

    /// Which parameters a message of all of them has, and what must arrive.
    struct Combination: CustomTestStringConvertible {
        let testDescription: String
        let check: @Sendable () throws -> Void

        init<Q: HTTPQuery & Equatable>(_ query: Q, _ parameters: [String]) {
            testDescription = "\(Q.self)"
            check = {
                let journey = try Journey(Q.self)
                let path = try journey.coder.path(query)
                #expect(
                    path == (["q"] + [parameters.joined(separator: "&")].filter { !$0.isEmpty }).joined(separator: "?")
                )
                let end = try journey.end(of: query)
                #expect(end == query)
            }
        }
    }

    @Test(arguments: combinations) func `every combination carries every parameter`(_ combination: Combination) throws {
        try combination.check()
    }

    @Test func `all combinations are there`() {
        #expect(Set(Self.combinations.map(\.testDescription)).count == 32)
    }

    static let combinations: [Combination] = [
        Combination(Q(), []),
        Combination(QI(id: 7), ["id=7"]),
        Combination(QF(filter: Criteria()), ["name=Sebastian", "age=13"]),
        Combination(QO(order: .down), ["order=down"]),
        Combination(QP(page: 3), ["page=3"]),
        Combination(QS(query: "a b"), ["query=a%20b"]),
        Combination(QIF(id: 7, filter: Criteria()), ["id=7", "name=Sebastian", "age=13"]),
        Combination(QIO(id: 7, order: .down), ["id=7", "order=down"]),
        Combination(QIP(id: 7, page: 3), ["id=7", "page=3"]),
        Combination(QIS(id: 7, query: "a b"), ["id=7", "query=a%20b"]),
        Combination(QFO(filter: Criteria(), order: .down), ["name=Sebastian", "age=13", "order=down"]),
        Combination(QFP(filter: Criteria(), page: 3), ["name=Sebastian", "age=13", "page=3"]),
        Combination(QFS(filter: Criteria(), query: "a b"), ["name=Sebastian", "age=13", "query=a%20b"]),
        Combination(QOP(order: .down, page: 3), ["order=down", "page=3"]),
        Combination(QOS(order: .down, query: "a b"), ["order=down", "query=a%20b"]),
        Combination(QPS(page: 3, query: "a b"), ["page=3", "query=a%20b"]),
        Combination(QIFO(id: 7, filter: Criteria(), order: .down), ["id=7", "name=Sebastian", "age=13", "order=down"]),
        Combination(QIFP(id: 7, filter: Criteria(), page: 3), ["id=7", "name=Sebastian", "age=13", "page=3"]),
        Combination(
            QIFS(id: 7, filter: Criteria(), query: "a b"),
            ["id=7", "name=Sebastian", "age=13", "query=a%20b"]
        ),
        Combination(QIOP(id: 7, order: .down, page: 3), ["id=7", "order=down", "page=3"]),
        Combination(QIOS(id: 7, order: .down, query: "a b"), ["id=7", "order=down", "query=a%20b"]),
        Combination(QIPS(id: 7, page: 3, query: "a b"), ["id=7", "page=3", "query=a%20b"]),
        Combination(
            QFOP(filter: Criteria(), order: .down, page: 3),
            ["name=Sebastian", "age=13", "order=down", "page=3"]
        ),
        Combination(
            QFOS(filter: Criteria(), order: .down, query: "a b"),
            ["name=Sebastian", "age=13", "order=down", "query=a%20b"]
        ),
        Combination(
            QFPS(filter: Criteria(), page: 3, query: "a b"),
            ["name=Sebastian", "age=13", "page=3", "query=a%20b"]
        ),
        Combination(QOPS(order: .down, page: 3, query: "a b"), ["order=down", "page=3", "query=a%20b"]),
        Combination(
            QIFOP(id: 7, filter: Criteria(), order: .down, page: 3),
            ["id=7", "name=Sebastian", "age=13", "order=down", "page=3"]
        ),
        Combination(
            QIFOS(id: 7, filter: Criteria(), order: .down, query: "a b"),
            ["id=7", "name=Sebastian", "age=13", "order=down", "query=a%20b"]
        ),
        Combination(
            QIFPS(id: 7, filter: Criteria(), page: 3, query: "a b"),
            ["id=7", "name=Sebastian", "age=13", "page=3", "query=a%20b"]
        ),
        Combination(
            QIOPS(id: 7, order: .down, page: 3, query: "a b"),
            ["id=7", "order=down", "page=3", "query=a%20b"]
        ),
        Combination(
            QFOPS(filter: Criteria(), order: .down, page: 3, query: "a b"),
            ["name=Sebastian", "age=13", "order=down", "page=3", "query=a%20b"]
        ),
        Combination(
            QIFOPS(id: 7, filter: Criteria(), order: .down, page: 3, query: "a b"),
            ["id=7", "name=Sebastian", "age=13", "order=down", "page=3", "query=a%20b"]
        ),
    ]
}

extension QueryCombinationTests {
    struct Q: HTTPQuery, Hashable {
        typealias Value = Int
        static let path = "q"
    }

    struct QI: HTTPQuery, IDQuery, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
    }

    struct QF: HTTPQuery, Filterable, Hashable {
        typealias Value = Int
        static let path = "q"
        let filter: Criteria?
    }

    struct QO: HTTPQuery, Orderable, Hashable {
        typealias Value = Int
        static let path = "q"
        let order: Direction
    }

    struct QP: HTTPQuery, Pageable, Hashable {
        typealias Value = Int
        static let path = "q"
        let page: Int?
    }

    struct QS: HTTPQuery, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let query: String?
    }

    struct QIF: HTTPQuery, IDQuery, Filterable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let filter: Criteria?
    }

    struct QIO: HTTPQuery, IDQuery, Orderable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let order: Direction
    }

    struct QIP: HTTPQuery, IDQuery, Pageable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let page: Int?
    }

    struct QIS: HTTPQuery, IDQuery, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let query: String?
    }

    struct QFO: HTTPQuery, Filterable, Orderable, Hashable {
        typealias Value = Int
        static let path = "q"
        let filter: Criteria?
        let order: Direction
    }

    struct QFP: HTTPQuery, Filterable, Pageable, Hashable {
        typealias Value = Int
        static let path = "q"
        let filter: Criteria?
        let page: Int?
    }

    struct QFS: HTTPQuery, Filterable, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let filter: Criteria?
        let query: String?
    }

    struct QOP: HTTPQuery, Orderable, Pageable, Hashable {
        typealias Value = Int
        static let path = "q"
        let order: Direction
        let page: Int?
    }

    struct QOS: HTTPQuery, Orderable, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let order: Direction
        let query: String?
    }

    struct QPS: HTTPQuery, Pageable, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let page: Int?
        let query: String?
    }

    struct QIFO: HTTPQuery, IDQuery, Filterable, Orderable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let filter: Criteria?
        let order: Direction
    }

    struct QIFP: HTTPQuery, IDQuery, Filterable, Pageable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let filter: Criteria?
        let page: Int?
    }

    struct QIFS: HTTPQuery, IDQuery, Filterable, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let filter: Criteria?
        let query: String?
    }

    struct QIOP: HTTPQuery, IDQuery, Orderable, Pageable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let order: Direction
        let page: Int?
    }

    struct QIOS: HTTPQuery, IDQuery, Orderable, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let order: Direction
        let query: String?
    }

    struct QIPS: HTTPQuery, IDQuery, Pageable, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let page: Int?
        let query: String?
    }

    struct QFOP: HTTPQuery, Filterable, Orderable, Pageable, Hashable {
        typealias Value = Int
        static let path = "q"
        let filter: Criteria?
        let order: Direction
        let page: Int?
    }

    struct QFOS: HTTPQuery, Filterable, Orderable, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let filter: Criteria?
        let order: Direction
        let query: String?
    }

    struct QFPS: HTTPQuery, Filterable, Pageable, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let filter: Criteria?
        let page: Int?
        let query: String?
    }

    struct QOPS: HTTPQuery, Orderable, Pageable, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let order: Direction
        let page: Int?
        let query: String?
    }

    struct QIFOP: HTTPQuery, IDQuery, Filterable, Orderable, Pageable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let filter: Criteria?
        let order: Direction
        let page: Int?
    }

    struct QIFOS: HTTPQuery, IDQuery, Filterable, Orderable, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let filter: Criteria?
        let order: Direction
        let query: String?
    }

    struct QIFPS: HTTPQuery, IDQuery, Filterable, Pageable, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let filter: Criteria?
        let page: Int?
        let query: String?
    }

    struct QIOPS: HTTPQuery, IDQuery, Orderable, Pageable, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let order: Direction
        let page: Int?
        let query: String?
    }

    struct QFOPS: HTTPQuery, Filterable, Orderable, Pageable, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let filter: Criteria?
        let order: Direction
        let page: Int?
        let query: String?
    }

    struct QIFOPS: HTTPQuery, IDQuery, Filterable, Orderable, Pageable, Searchable, Hashable {
        typealias Value = Int
        static let path = "q"
        let id: Int
        let filter: Criteria?
        let order: Direction
        let page: Int?
        let query: String?
    }
}
