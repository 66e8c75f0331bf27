import Duet
import DuetHTTP
import Foundation

/// A dispatcher whose handlers act according to the ids of the books.
enum Shop {
    static func dispatcher(_ journal: Journal = Journal()) throws -> any Dispatcher {
        try StandardDispatcher {
            OrderHandler(journal: journal)
            RemovalHandler(journal: journal)
            BookHandler()
            CoverHandler()
            OfferHandler()
            SampleHandler()
            PriceHandler()
        }
    }

    struct OrderHandler: CommandHandler {
        let journal: Journal

        func handle(_ command: OrderBook) async throws {
            switch command.id {
            case 404: throw OutOfStock(bookID: .max, nextDelivery: Date(timeIntervalSince1970: 0.25))
            case 405: throw OrderRefused.tooMany(limit: 3)
            case 406: throw ShopClosed()
            case 500: throw Undeclared()
            case 501: throw CancellationError()
            case 502: throw HTTPMessageError.invalid(field: "hunter2", reason: "is inside")
            case 504: throw DispatchError.timedOut(message: "hunter2", after: .seconds(1))
            default: journal.write("order \(command.id) \(command.copies)")
            }
        }
    }

    struct RemovalHandler: CommandHandler {
        let journal: Journal

        func handle(_ command: RemoveBook) async throws {
            journal.write("remove \(command.id)")
        }
    }

    struct BookHandler: QueryHandler {
        func handle(_ query: FindBook) async throws -> Book {
            guard query.id != 406 else { throw ShopClosed() }
            return Book(id: query.id, title: query.language ?? "Emma", published: Book.emma.published)
        }
    }

    struct CoverHandler: QueryHandler {
        func handle(_ query: FindCover) async throws -> HTTPBytes {
            HTTPBytes(Data([0, 255, UInt8(query.id)]), mediaType: "image/png", entityTag: query.id == 0 ? nil : "tag")
        }
    }

    struct OfferHandler: QueryHandler {
        func handle(_ query: FindOffer) async throws -> Book? { nil }
    }

    struct SampleHandler: QueryHandler {
        func handle(_ query: FindSample) async throws -> HTTPBytes? {
            query.id == 0 ? nil : HTTPBytes(Data("It is".utf8), mediaType: "text/plain")
        }
    }

    struct PriceHandler: QueryHandler {
        func handle(_ query: FindPrice) async throws -> Price { Price(cents: query.id) }
    }
}
