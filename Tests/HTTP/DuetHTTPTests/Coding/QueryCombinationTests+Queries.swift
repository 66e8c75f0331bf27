import Duet
import DuetHTTP

extension QueryCombinationTests {
    /// The properties that all combinations have.
    protocol Asked: HTTPQuery, Hashable where Value == Int {
        associatedtype V: Verb
    }

    struct Q<V: Verb>: Asked {}

    struct QI<V: Verb>: Asked, IDQuery {
        let id: Int
    }

    struct QF<V: Verb>: Asked, Filterable {
        let filter: Criteria?
    }

    struct QO<V: Verb>: Asked, Orderable {
        let order: Direction
    }

    struct QP<V: Verb>: Asked, Pageable {
        let page: Int?
    }

    struct QS<V: Verb>: Asked, Searchable {
        let searchText: String?
    }

    struct QIF<V: Verb>: Asked, IDQuery, Filterable {
        let id: Int
        let filter: Criteria?
    }

    struct QIO<V: Verb>: Asked, IDQuery, Orderable {
        let id: Int
        let order: Direction
    }

    struct QIP<V: Verb>: Asked, IDQuery, Pageable {
        let id: Int
        let page: Int?
    }

    struct QIS<V: Verb>: Asked, IDQuery, Searchable {
        let id: Int
        let searchText: String?
    }

    struct QFO<V: Verb>: Asked, Filterable, Orderable {
        let filter: Criteria?
        let order: Direction
    }

    struct QFP<V: Verb>: Asked, Filterable, Pageable {
        let filter: Criteria?
        let page: Int?
    }

    struct QFS<V: Verb>: Asked, Filterable, Searchable {
        let filter: Criteria?
        let searchText: String?
    }

    struct QOP<V: Verb>: Asked, Orderable, Pageable {
        let order: Direction
        let page: Int?
    }

    struct QOS<V: Verb>: Asked, Orderable, Searchable {
        let order: Direction
        let searchText: String?
    }

    struct QPS<V: Verb>: Asked, Pageable, Searchable {
        let page: Int?
        let searchText: String?
    }

    struct QIFO<V: Verb>: Asked, IDQuery, Filterable, Orderable {
        let id: Int
        let filter: Criteria?
        let order: Direction
    }

    struct QIFP<V: Verb>: Asked, IDQuery, Filterable, Pageable {
        let id: Int
        let filter: Criteria?
        let page: Int?
    }

    struct QIFS<V: Verb>: Asked, IDQuery, Filterable, Searchable {
        let id: Int
        let filter: Criteria?
        let searchText: String?
    }

    struct QIOP<V: Verb>: Asked, IDQuery, Orderable, Pageable {
        let id: Int
        let order: Direction
        let page: Int?
    }

    struct QIOS<V: Verb>: Asked, IDQuery, Orderable, Searchable {
        let id: Int
        let order: Direction
        let searchText: String?
    }

    struct QIPS<V: Verb>: Asked, IDQuery, Pageable, Searchable {
        let id: Int
        let page: Int?
        let searchText: String?
    }

    struct QFOP<V: Verb>: Asked, Filterable, Orderable, Pageable {
        let filter: Criteria?
        let order: Direction
        let page: Int?
    }

    struct QFOS<V: Verb>: Asked, Filterable, Orderable, Searchable {
        let filter: Criteria?
        let order: Direction
        let searchText: String?
    }

    struct QFPS<V: Verb>: Asked, Filterable, Pageable, Searchable {
        let filter: Criteria?
        let page: Int?
        let searchText: String?
    }

    struct QOPS<V: Verb>: Asked, Orderable, Pageable, Searchable {
        let order: Direction
        let page: Int?
        let searchText: String?
    }

    struct QIFOP<V: Verb>: Asked, IDQuery, Filterable, Orderable, Pageable {
        let id: Int
        let filter: Criteria?
        let order: Direction
        let page: Int?
    }

    struct QIFOS<V: Verb>: Asked, IDQuery, Filterable, Orderable, Searchable {
        let id: Int
        let filter: Criteria?
        let order: Direction
        let searchText: String?
    }

    struct QIFPS<V: Verb>: Asked, IDQuery, Filterable, Pageable, Searchable {
        let id: Int
        let filter: Criteria?
        let page: Int?
        let searchText: String?
    }

    struct QIOPS<V: Verb>: Asked, IDQuery, Orderable, Pageable, Searchable {
        let id: Int
        let order: Direction
        let page: Int?
        let searchText: String?
    }

    struct QFOPS<V: Verb>: Asked, Filterable, Orderable, Pageable, Searchable {
        let filter: Criteria?
        let order: Direction
        let page: Int?
        let searchText: String?
    }

    struct QIFOPS<V: Verb>: Asked, IDQuery, Filterable, Orderable, Pageable, Searchable {
        let id: Int
        let filter: Criteria?
        let order: Direction
        let page: Int?
        let searchText: String?
    }
}

extension QueryCombinationTests.Asked {
    static var route: QueryRoute<Self> { QueryRoute<Self>(V.method, "q") }
}
