import Duet
import DuetHTTP

extension QueryCombinationTests {
    struct Q<V: Verb>: HTTPQuery, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
    }

    struct QI<V: Verb>: HTTPQuery, IDQuery, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
    }

    struct QF<V: Verb>: HTTPQuery, Filterable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let filter: Criteria?
    }

    struct QO<V: Verb>: HTTPQuery, Orderable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let order: Direction
    }

    struct QP<V: Verb>: HTTPQuery, Pageable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let page: Int?
    }

    struct QS<V: Verb>: HTTPQuery, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let query: String?
    }

    struct QIF<V: Verb>: HTTPQuery, IDQuery, Filterable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let filter: Criteria?
    }

    struct QIO<V: Verb>: HTTPQuery, IDQuery, Orderable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let order: Direction
    }

    struct QIP<V: Verb>: HTTPQuery, IDQuery, Pageable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let page: Int?
    }

    struct QIS<V: Verb>: HTTPQuery, IDQuery, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let query: String?
    }

    struct QFO<V: Verb>: HTTPQuery, Filterable, Orderable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let filter: Criteria?
        let order: Direction
    }

    struct QFP<V: Verb>: HTTPQuery, Filterable, Pageable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let filter: Criteria?
        let page: Int?
    }

    struct QFS<V: Verb>: HTTPQuery, Filterable, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let filter: Criteria?
        let query: String?
    }

    struct QOP<V: Verb>: HTTPQuery, Orderable, Pageable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let order: Direction
        let page: Int?
    }

    struct QOS<V: Verb>: HTTPQuery, Orderable, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let order: Direction
        let query: String?
    }

    struct QPS<V: Verb>: HTTPQuery, Pageable, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let page: Int?
        let query: String?
    }

    struct QIFO<V: Verb>: HTTPQuery, IDQuery, Filterable, Orderable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let filter: Criteria?
        let order: Direction
    }

    struct QIFP<V: Verb>: HTTPQuery, IDQuery, Filterable, Pageable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let filter: Criteria?
        let page: Int?
    }

    struct QIFS<V: Verb>: HTTPQuery, IDQuery, Filterable, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let filter: Criteria?
        let query: String?
    }

    struct QIOP<V: Verb>: HTTPQuery, IDQuery, Orderable, Pageable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let order: Direction
        let page: Int?
    }

    struct QIOS<V: Verb>: HTTPQuery, IDQuery, Orderable, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let order: Direction
        let query: String?
    }

    struct QIPS<V: Verb>: HTTPQuery, IDQuery, Pageable, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let page: Int?
        let query: String?
    }

    struct QFOP<V: Verb>: HTTPQuery, Filterable, Orderable, Pageable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let filter: Criteria?
        let order: Direction
        let page: Int?
    }

    struct QFOS<V: Verb>: HTTPQuery, Filterable, Orderable, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let filter: Criteria?
        let order: Direction
        let query: String?
    }

    struct QFPS<V: Verb>: HTTPQuery, Filterable, Pageable, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let filter: Criteria?
        let page: Int?
        let query: String?
    }

    struct QOPS<V: Verb>: HTTPQuery, Orderable, Pageable, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let order: Direction
        let page: Int?
        let query: String?
    }

    struct QIFOP<V: Verb>: HTTPQuery, IDQuery, Filterable, Orderable, Pageable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let filter: Criteria?
        let order: Direction
        let page: Int?
    }

    struct QIFOS<V: Verb>: HTTPQuery, IDQuery, Filterable, Orderable, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let filter: Criteria?
        let order: Direction
        let query: String?
    }

    struct QIFPS<V: Verb>: HTTPQuery, IDQuery, Filterable, Pageable, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let filter: Criteria?
        let page: Int?
        let query: String?
    }

    struct QIOPS<V: Verb>: HTTPQuery, IDQuery, Orderable, Pageable, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let order: Direction
        let page: Int?
        let query: String?
    }

    struct QFOPS<V: Verb>: HTTPQuery, Filterable, Orderable, Pageable, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let filter: Criteria?
        let order: Direction
        let page: Int?
        let query: String?
    }

    struct QIFOPS<V: Verb>: HTTPQuery, IDQuery, Filterable, Orderable, Pageable, Searchable, Hashable {
        typealias Value = Int
        static var path: String { "q" }
        static var method: QueryMethod { V.method }
        let id: Int
        let filter: Criteria?
        let order: Direction
        let page: Int?
        let query: String?
    }
}
