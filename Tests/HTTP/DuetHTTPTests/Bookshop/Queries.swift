import Duet
import DuetHTTP
import Foundation
import HTTPTypes

struct FindBook: HTTPQuery, Hashable {
    typealias Value = Book
    static var route: QueryRoute<Self> {
        LookUpCounter.current?.count()
        return .get("books/{id}").responseHeaders([.cacheControl: "max-age=60", .vary: "Accept"])
    }
    let id: Int
    var language: String?
}

/// Its range is in a header field.
struct ListShelf: ThirdPartyQuery, Hashable {
    struct Value: Equatable, Sendable {
        let books: [Int]
        var range: String?
    }

    struct NoRange: Error {}

    static let route: QueryRoute<Self> = .get("shelf").readingHeaders { shelf, fields in
        guard let range = fields[.contentRange] else { throw NoRange() }
        shelf.range = range
    }

    static func value(from payload: [Int], answering query: Self) -> Value { Value(books: payload) }
}

struct FindCover: HTTPQuery, Hashable {
    typealias Value = HTTPBytes
    static let route: QueryRoute<Self> = .get("books/{id}/cover")
    let id: Int
}

struct FindOffer: HTTPQuery, Hashable {
    typealias Value = Book?
    static let route: QueryRoute<Self> = .get("offer")
}

struct FindSample: HTTPQuery, Hashable {
    typealias Value = HTTPBytes?
    static let route: QueryRoute<Self> = .get("books/{id}/sample")
    let id: Int
}

/// The payload differs from the model, which may not leave its actor.
struct FindPrice: HTTPQuery, Hashable {
    typealias Value = Price

    struct Payload: Codable {
        let cents: Int
        let forBook: Int
    }

    struct Negative: Error {}

    static let route: QueryRoute<Self> = .get("books/{id}/price").coding(HTTPCoding(keys: .snakeCase))
    let id: Int

    static func value(from payload: Payload, answering query: FindPrice) throws -> Price {
        guard payload.cents >= 0 else { throw Negative() }
        if payload.cents == 999 { throw CancellationError() }
        return Price(cents: payload.cents)
    }

    static func payload(from value: Price, answering query: FindPrice) -> Payload {
        Payload(cents: value.cents, forBook: query.id)
    }
}

final class Price {
    let cents: Int

    init(cents: Int) {
        self.cents = cents
    }
}

struct CountTitles: Query {
    typealias Value = Int
}

/// Sent to the base URL of the shop.
struct FindRoot: HTTPQuery {
    typealias Value = Book?
    static let route: QueryRoute<Self> = .get("")
    var page: Int?
}
