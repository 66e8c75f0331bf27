import DuetHTTP
import Foundation
import HTTPTypes

/// With properties of more than one kind, one of them larger than a `Double` can hold.
struct OutOfStock: HTTPProblem, Hashable {
    static let problemType = "https://shop.example/out-of-stock"
    let bookID: Int64
    let nextDelivery: Date?
    var status: HTTPResponse.Status { .conflict }
    var detail: String? { "There are not enough of book \(bookID)." }
}

/// An enum, whose cases are distinguished by a member.
enum OrderRefused: HTTPProblem, Hashable {
    case tooMany(limit: Int)
    case closed

    static let problemType = "https://shop.example/order-refused"
    var status: HTTPResponse.Status { .unprocessableContent }
}

/// Declared by the shop, for all of its messages.
struct ShopClosed: HTTPProblem, Hashable {
    static let problemType = "https://shop.example/closed"
    var status: HTTPResponse.Status { .serviceUnavailable }
}

/// Declared by no message.
struct Undeclared: HTTPProblem {
    static let problemType = "https://shop.example/undeclared"
    var shelf = 3
    var status: HTTPResponse.Status { .conflict }
}
