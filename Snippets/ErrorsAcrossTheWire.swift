//! The errors of a shop, from the handler that throws them to the text that a person reads.

// snippet.imports
import Duet
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import Logging

// snippet.end

// snippet.problem
struct OutOfStock: HTTPProblem, Equatable, CustomStringConvertible {
    static let problemType = "https://shop.example/problems/out-of-stock"

    let product: Int
    let left: Int

    var status: HTTPResponse.Status { .conflict }
    var description: String { "Only \(left) of product \(product) are left." }
}
// snippet.end

// snippet.message
struct OrderProduct: HTTPCommand, Validatable {
    static let route: CommandRoute<Self> = .post("orders").throwing(OutOfStock.self)

    let product: Int
    let count: Int

    func validate() throws {
        guard 1...100 ~= count else { throw InvalidCount() }
    }
}

struct InvalidCount: Error, CustomStringConvertible {
    var description: String { "count must be 1 to 100." }
}
// snippet.end

// snippet.handler
struct OrderProductHandler: CommandHandler {
    func handle(_ command: OrderProduct) async throws {
        switch command.product {
        case 1: guard command.count <= 2 else { throw OutOfStock(product: 1, left: 2) }
        case 2: throw ProductRemoved(product: 2)
        default: throw DatabaseError(reason: "the disk of db-7 is full")
        }
    }
}

/// A problem of all messages.
struct ShopClosed: HTTPProblem {
    static let problemType = "https://shop.example/problems/closed"
    var status: HTTPResponse.Status { .serviceUnavailable }
}

/// A problem that nothing declares.
struct ProductRemoved: HTTPProblem {
    static let problemType = "https://shop.example/problems/product-removed"

    let product: Int

    var status: HTTPResponse.Status { .gone }
    var detail: String? { "Product \(product) is not sold any longer." }
}

struct DatabaseError: Error {
    let reason: String
}
// snippet.end

// snippet.list
let orders = MessageAPI("orders", throwing: ShopClosed.self) {
    OrderProduct.authorized(.open)
}
// snippet.end
let router = Router()
try router.mount(orders, StandardDispatcher { OrderProductHandler() })
let log = Logger(label: "shop") { StreamLogHandler.standardOutput(label: $0) }
let client = RouterHTTPClient(router, logger: log)
let shop = try HTTPDispatcher(orders, baseURL: BaseURL("http://localhost"), client: client)

// snippet.send
func order(_ product: Int, count: Int = 5) async {
    do {
        try await shop.dispatch(OrderProduct(product: product, count: count))
        print("Ordered")
    } catch let error as OutOfStock {
        print("OutOfStock: \(error.left) left")
    } catch let failure as HTTPFailure {
        print("HTTPFailure: \(failure.status.code), \(failure.problem?.detail ?? "no detail")")
        print(failure)
    } catch {
        print("\(type(of: error)): \(error)")
    }
}

func orderEverything() async {
    await order(1, count: 2)
    await order(1)
    await order(2)
    await order(3)
    await order(1, count: 101)
}
// snippet.end
await orderEverything()

// snippet.raw
func printResponse(to json: String) async throws {
    let request = HTTPRequest(
        method: .post,
        scheme: "http",
        authority: "localhost",
        path: "/orders",
        headerFields: [.contentType: "application/json"]
    )
    let (_, body) = try await client.data(for: request, body: Data(json.utf8))
    print(String(decoding: body, as: UTF8.self))
}
// snippet.end
try await printResponse(to: #"{"product": 1, "count": 5}"#)
try await printResponse(to: #"{"product": 2, "count": 5}"#)
try await printResponse(to: #"{"product": 3, "count": 5}"#)
try await printResponse(to: #"{"product": 1, "count": 101}"#)
try await printResponse(to: #"{"product": 1, "count": "five"}"#)

// snippet.text
/// Returns a text for people, or nil for an error that they need not see.
func text(for error: any Error) -> String? {
    switch error {
    case is CancellationError: nil
    case let error as OutOfStock: "Only \(error.left) are left. Order fewer."
    case let error as InvalidCount: error.description
    case let error as TokenUnavailable: error.needsSignIn ? "Sign in again." : text(for: error.underlying)
    case let failure as HTTPFailure:
        switch failure.status.code {
        case 401: "Sign in again."
        case 403: "You may not do this."
        case 404, 410: "This is not available any longer."
        case 429, 503: "The shop is busy. Try again in a minute."
        default: "Something went wrong on the server."
        }
    case let error as HTTPClientError:
        switch error.reason {
        case .connectionFailed: "There is no connection to the shop."
        case .deadlineExceeded: "The shop did not respond in time."
        default: "Something went wrong."
        }
    default: "Something went wrong."
    }
}
// snippet.end

// snippet.again
/// Whether a button "Try again" makes sense.
func canRetry(_ error: any Error) -> Bool {
    switch error {
    case let failure as HTTPFailure: HTTPRetryPolicy.retriedStatuses.contains(failure.status.code)
    case let error as HTTPClientError:
        switch error.reason {
        case .connectionFailed, .deadlineExceeded: true
        default: false
        }
    default: false
    }
}
// snippet.end

// snippet.unsent
func orderOnce(_ order: OrderProduct) async throws {
    do {
        try await shop.dispatch(order)
    } catch let error as HTTPClientError where error.isUnsent {
        print("Nothing was ordered. It is safe to order again.")
    } catch let error as HTTPClientError {
        print("It is not known whether the order arrived: \(error)")
    }
}
// snippet.end

func textOfOrder(_ product: Int, at shop: some CommandDispatcher) async -> String {
    do {
        try await shop.dispatch(OrderProduct(product: product, count: 5))
        return "Ordered"
    } catch {
        return "\(text(for: error) ?? "") \(canRetry(error))"
    }
}
print(await textOfOrder(1, at: shop))
print(await textOfOrder(2, at: shop))
print(await textOfOrder(3, at: shop))
try await orderOnce(OrderProduct(product: 1, count: 2))

// snippet.translate
/// The error format of another server.
struct SupplierError: Error, Decodable {
    let code: String
    let message: String
}

func makeSupplier(_ server: BaseURL, _ client: any HTTPClient) -> any Dispatcher {
    HTTPDispatcher(baseURL: server, client: client).decodingErrors(as: SupplierError.self)
}
// snippet.end

// snippet.wait
struct RateLimited: Error, TemporaryError {
    let isTemporary = true
    let retryAfter: Duration?
}

func makePatientSupplier(_ server: BaseURL, _ client: any HTTPClient) -> any Dispatcher {
    HTTPDispatcher(baseURL: server, client: client)
        .decodingErrors { response, _ in
            guard response.status == .forbidden, let pause = response.headerFields[.retryAfter] else { return nil }
            return RateLimited(retryAfter: Int(pause).map { .seconds($0) })
        }
        .decodingErrors(as: SupplierError.self)
}
// snippet.end

let mock = MockHTTPClient()
mock.expect(.post, "/orders", status: .badRequest, json: #"{"code": "sold-out", "message": "Sold out."}"#)
mock.expect(.post, "/orders") { _, _ in
    let head = HTTPResponse(status: .forbidden, headerFields: [.retryAfter: "60", .contentType: "application/json"])
    return (head, Data(#"{"code": "limit", "message": "Too many orders."}"#.utf8))
}
let server = try BaseURL("http://supplier.example")
do {
    try await makeSupplier(server, mock).dispatch(OrderProduct(product: 1, count: 1))
} catch let error as SupplierError {
    print(error.code)
}
do {
    try await makePatientSupplier(server, mock).dispatch(OrderProduct(product: 1, count: 1))
} catch let error as RateLimited {
    print("wait \(error.retryAfter ?? .zero)")
}
