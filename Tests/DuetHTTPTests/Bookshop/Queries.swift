import Duet
import DuetHTTP
import Foundation
import HTTPTypes

struct FindBook: HTTPQuery, Hashable {
    typealias Value = Book
    static let path = "books/{id}"
    static var responseHeaders: HTTPFields { [.cacheControl: "max-age=60", .vary: "Accept"] }
    static var acceptedStatuses: ClosedRange<Int>? {
        LookUpCounter.current?.count()
        return nil
    }
    let id: Int
    var language: String?
}

struct FindCover: HTTPQuery, Hashable {
    typealias Value = HTTPBytes
    static let path = "books/{id}/cover"
    let id: Int
}

struct FindOffer: HTTPQuery, Hashable {
    typealias Value = Book?
    static let path = "offer"
}

struct FindSample: HTTPQuery, Hashable {
    typealias Value = HTTPBytes?
    static let path = "books/{id}/sample"
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

    static let path = "books/{id}/price"
    static var coding: HTTPCoding? { HTTPCoding(keys: .snakeCase) }
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
    static let path = ""
    var page: Int?
}
