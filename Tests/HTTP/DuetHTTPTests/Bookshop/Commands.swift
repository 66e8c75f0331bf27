import Duet
import DuetHTTP
import HTTPTypes

struct OrderBook: HTTPCommand, Hashable {
    static let route: CommandRoute<Self> = .post("books/{id}/orders")
        .throwing(OutOfStock.self, OrderRefused.self)
        .responseHeaders([.cacheControl: "no-store"])

    let id: Int
    var copies = 1
}

/// Without its own rule.
struct RemoveBook: HTTPCommand, Hashable {
    static let route: CommandRoute<Self> = .delete("books/{id}").acceptedStatuses(204...204)
    let id: Int
}

/// A book that was returned already is no failure.
struct ReturnBook: HTTPCommand, Hashable {
    static let route: CommandRoute<Self> = .delete("books/{id}/loan").acceptedStatuses(200...204, [404, 410])
    let id: Int
}

/// Not in the API, so that a dispatcher with this API refuses it.
struct BurnBook: HTTPCommand, Hashable {
    static let route: CommandRoute<Self> = .put("fire").bypassing(PassingDecorator.self)
    let id: Int
}

struct PutCover: BodyCommand, Hashable {
    static let route: CommandRoute<Self> = .put("books/{id}/cover")
    let id: Int
    let body: HTTPBytes
}

struct WhisperTitle: Command {
    static var messageName: String {
        LookUpCounter.current?.count()
        return "Shop.WhisperTitle"
    }
}
