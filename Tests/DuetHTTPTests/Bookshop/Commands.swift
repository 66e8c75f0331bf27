import Duet
import DuetHTTP
import HTTPTypes

struct OrderBook: HTTPCommand, Hashable {
    static let path = "books/{id}/orders"
    static let method = CommandMethod.post
    static var problems: [any HTTPProblem.Type] { [OutOfStock.self, OrderRefused.self] }
    static var authorize: AuthorizationRule<OrderBook> { .open }
    static var responseHeaders: HTTPFields { [.cacheControl: "no-store"] }
    let id: Int
    var copies = 1
}

/// Without its own rule.
struct RemoveBook: HTTPCommand, Hashable {
    static let path = "books/{id}"
    static let method = CommandMethod.delete
    static var acceptedStatuses: ClosedRange<Int>? { 204...204 }
    let id: Int
}

/// Not in the API, so that a dispatcher with this API refuses it.
struct BurnBook: HTTPCommand, Hashable {
    static let path = "fire"
    static let method = CommandMethod.put
    static var withoutDecorators: [any HTTPClientDecorator.Type] { [PassingDecorator.self] }
    let id: Int
}

struct PutCover: BodyCommand, Hashable {
    static let path = "books/{id}/cover"
    static let method = CommandMethod.put
    let id: Int
    let body: HTTPBytes
}

struct WhisperTitle: Command {
    static var messageName: String {
        LookUpCounter.current?.count()
        return "Shop.WhisperTitle"
    }
}
