//! A Moya target and an Alamofire interceptor, the same API as messages, and the layers of a client.

import Duet
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// snippet.hide
// Stand-ins for declarations of Moya and Alamofire.
enum Moya {
    enum Method { case get, post, put }

    enum Task {
        case requestPlain
        case requestParameters(parameters: [String: Any], encoding: ParameterEncoding)
        case uploadMultipart([MultipartFormData])
    }

    enum ParameterEncoding { case url, json }

    struct MultipartFormData {
        enum Provider { case data(Data) }

        let provider: Provider
        let name: String
        let fileName: String
        let mimeType: String
    }
}

typealias MultipartFormData = Moya.MultipartFormData

enum URLEncoding { static var `default`: Moya.ParameterEncoding { .url } }
enum JSONEncoding { static var `default`: Moya.ParameterEncoding { .json } }

protocol TargetType {
    var baseURL: URL { get }
    var path: String { get }
    var method: Moya.Method { get }
    var task: Moya.Task { get }
    var headers: [String: String]? { get }
}

final class Session {}

struct Request {
    var response: HTTPURLResponse?
}

enum RetryResult { case retry, doNotRetry }

protocol RequestInterceptor {
    func adapt(_: URLRequest, for: Session, completion: @escaping (Result<URLRequest, any Error>) -> Void)
    func retry(_: Request, for: Session, dueTo: any Error, completion: @escaping (RetryResult) -> Void)
}

final class TokenStore {
    var token = "first"
    func renew(_ completion: (Bool) -> Void) { completion(true) }
}

struct Product: Codable, Equatable, Sendable {
    let id: Int
    let name: String
}

// snippet.show
// snippet.beforeTarget
enum ShopAPI {
    case product(id: Int)
    case search(text: String, page: Int)
    case addToCart(productID: Int, count: Int)
    case setPhoto(productID: Int, png: Data)
}

extension ShopAPI: TargetType {
    // snippet.hide
    // swift-format-ignore: NeverForceUnwrap
    // snippet.show
    var baseURL: URL { URL(string: "https://api.shop.example/v1")! }

    var path: String {
        switch self {
        case .product(let id): "products/\(id)"
        case .search: "products"
        case .addToCart: "cart/items"
        case .setPhoto(let id, _): "products/\(id)/photo"
        }
    }

    var method: Moya.Method {
        switch self {
        case .product, .search: .get
        case .addToCart: .post
        case .setPhoto: .put
        }
    }

    var task: Moya.Task {
        switch self {
        case .product:
            .requestPlain
        case .search(let text, let page):
            .requestParameters(parameters: ["text": text, "page": page], encoding: URLEncoding.default)
        case .addToCart(let id, let count):
            .requestParameters(parameters: ["productID": id, "count": count], encoding: JSONEncoding.default)
        case .setPhoto(_, let png):
            .uploadMultipart([
                MultipartFormData(provider: .data(png), name: "photo", fileName: "photo.png", mimeType: "image/png")
            ])
        }
    }

    var headers: [String: String]? { ["Accept-Language": "en"] }
}
// snippet.end

// snippet.messages
// GET products/{id}
struct LoadProduct: IDQuery {
    typealias Value = Product
    static let route: QueryRoute<Self> = .get("products/{id}")

    let id: Int
}

// GET products?text=…&page=…
struct SearchProducts: Searchable, Pageable {
    typealias Value = [Product]
    static let route: QueryRoute<Self> = .get("products").parameterNames(["searchText": "text"])

    var searchText: String?
    var page: Int?
}

// POST cart/items   {"productID": …, "count": …}
struct AddToCart: HTTPCommand {
    static let route: CommandRoute<Self> = .post("cart/items")

    let productID: Int
    let count: Int
}

// PUT products/{id}/photo, with a form
struct SetPhoto: BodyCommand {
    static let route: CommandRoute<Self> = .put("products/{id}/photo")

    let id: Int
    let body: HTTPBytes
}

let settings = HTTPSettings(headers: [.acceptLanguage: "en"])
// snippet.end

// snippet.form
/// One file of a form (RFC 7578).
struct FormFile {
    let name: String
    let fileName: String
    let mediaType: String
    let data: Data
}

extension HTTPBytes {
    /// Encodes files as a form; `boundary` must not occur in them.
    static func form(_ files: FormFile..., boundary: String = "duet-\(UUID())") -> HTTPBytes {
        var form = Data()
        for file in files {
            let fileName = file.fileName.replacing("\"", with: "%22")
            form.append(contentsOf: "--\(boundary)\r\n".utf8)
            form.append(contentsOf: "Content-Disposition: form-data; name=\"\(file.name)\"; ".utf8)
            form.append(contentsOf: "filename=\"\(fileName)\"\r\n".utf8)
            form.append(contentsOf: "Content-Type: \(file.mediaType)\r\n\r\n".utf8)
            form.append(file.data)
            form.append(contentsOf: "\r\n".utf8)
        }
        form.append(contentsOf: "--\(boundary)--\r\n".utf8)
        return HTTPBytes(form, mediaType: "multipart/form-data; boundary=\(boundary)")
    }
}

extension SetPhoto {
    init(id: Int, png: Data) {
        let photo = FormFile(name: "photo", fileName: "photo.png", mediaType: "image/png", data: png)
        self.init(id: id, body: .form(photo))
    }
}
// snippet.end

// snippet.hide
enum Before {
    // snippet.show
    // snippet.beforeInterceptor
    final class TokenInterceptor: RequestInterceptor {
        let tokens = TokenStore()

        func adapt(
            _ urlRequest: URLRequest,
            for session: Session,
            completion: @escaping (Result<URLRequest, any Error>) -> Void
        ) {
            var request = urlRequest
            request.setValue("Bearer \(tokens.token)", forHTTPHeaderField: "Authorization")
            completion(.success(request))
        }

        func retry(
            _ request: Request,
            for session: Session,
            dueTo error: any Error,
            completion: @escaping (RetryResult) -> Void
        ) {
            guard request.response?.statusCode == 401 else { return completion(.doNotRetry) }
            tokens.renew { completion($0 ? .retry : .doNotRetry) }
        }
    }
    // snippet.end
    // snippet.hide
}

// snippet.show
// snippet.decorator
/// Reports how many requests are running, as Moya's `NetworkActivityPlugin` does.
final class ActivityHTTPClient: HTTPClientDecorator {
    let base: any HTTPClient
    let summary = "activity"
    private let running = Mutex(0)
    private let onChange: @Sendable (_ running: Int) -> Void

    init(_ base: any HTTPClient, onChange: @escaping @Sendable (_ running: Int) -> Void) {
        self.base = base
        self.onChange = onChange
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        count(1)  // willSend
        defer { count(-1) }  // didReceive
        return try await base.send(request, body: body)
    }

    private func count(_ change: Int) {
        onChange(
            running.withLock {
                $0 += change
                return $0
            }
        )
    }
}

extension HTTPClient {
    func activity(_ onChange: @escaping @Sendable (_ running: Int) -> Void) -> ActivityHTTPClient {
        ActivityHTTPClient(self, onChange: onChange)
    }
}
// snippet.end

// snippet.layers
func makeShop(
    _ network: any HTTPClient,
    logIn: @escaping @Sendable @concurrent () async throws -> String
) throws -> any Dispatcher {
    let client =
        network
        .authenticated(by: LoginTokenSource(logIn))  // AuthenticationInterceptor, AccessTokenPlugin
        .retrying()  // RetryPolicy
        .followingRedirects()  // Redirector.follow
        .deadline(.seconds(30))  // timeoutInterval, for all attempts together
        .logging { print($0) }  // NetworkLoggerPlugin, EventMonitor
        .activity { running in print("\(running) running") }  // NetworkActivityPlugin
    return HTTPDispatcher(
        baseURL: try BaseURL("https://api.shop.example/v1"),
        client: client,
        settings: settings
    )
}
// snippet.end

// snippet.errors
func name(of id: Int, from shop: some QueryDispatcher) async throws -> String {
    do {
        return try await shop.dispatch(LoadProduct(id: id)).name
    } catch let failure as HTTPFailure where failure.status == .notFound {  // MoyaError.statusCode
        return "No product \(id)"
    } catch let error as HTTPClientError {  // MoyaError.underlying, AFError.sessionTaskFailed
        return "No connection: \(error)"
    }
}
// snippet.end

// snippet.download
/// Writes a response to a file while it arrives, and reports how much of it is there.
func download(
    _ request: HTTPRequest,
    to file: URL,
    with client: any HTTPClient,
    onProgress: (Double) -> Void
) async throws {
    let (response, body) = try await client.send(request)
    guard response.status == .ok else { throw URLError(.badServerResponse) }
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    var count = 0
    for try await piece in body {
        try handle.write(contentsOf: piece)
        count += piece.count
        if let size = body.size { onProgress(Double(count) / Double(size)) }
    }
}
// snippet.end

// snippet.test
let network = MockHTTPClient()
network.expect(.get, "/v1/products/7", json: #"{"id": 7, "name": "Lamp"}"#)
network.expect(.put, "/v1/products/7/photo", status: .noContent)
network.expect(.get, "/v1/products/8", status: .notFound)

let shop = try makeShop(network) { "a-long-secret" }
print(try await shop.dispatch(LoadProduct(id: 7)).name)
try await shop.dispatch(SetPhoto(id: 7, png: Data("PNG".utf8)))
print(try await name(of: 8, from: shop))
assert(network.received.last?.request.headerFields[.acceptLanguage] == "en")
assert(network.received.last?.request.headerFields[.authorization] == "Bearer a-long-secret")
assert(network.missing == [])
// snippet.end
precondition(network.missing == [])
print(network.received[1].body.map { String(decoding: $0, as: UTF8.self) } ?? "")

network.expect(.get, "/v1/manual", body: Data("A long text".utf8))
let file = FileManager.default.temporaryDirectory.appending(path: "duet-\(UUID())")
let request = HTTPRequest(method: .get, scheme: "https", authority: "api.shop.example", path: "/v1/manual")
try await download(request, to: file, with: network) { print("\($0 * 100) %") }
print(try String(contentsOf: file, encoding: .utf8))
try FileManager.default.removeItem(at: file)
