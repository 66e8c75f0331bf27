import Duet
import DuetContext
import DuetDependencies
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

struct ErrorDecodingTests {
    private struct APIError: Error, Decodable, Equatable {
        let code: String
    }

    private struct OtherError: Error, Decodable, Equatable {
        let reason: String
    }

    private struct WatchOffer: HTTPQuery, Hashable {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("offer").live()
    }

    @Test(arguments: [400, 401, 403, 404, 409, 413, 422, 501])
    func `a refusal is the API's own error`(status: Int) async throws {
        let api = try api(status, #"{"code": "sold-out"}"#).decodingErrors(as: APIError.self)
        await #expect(throws: APIError(code: "sold-out")) { try await api.dispatch(OrderBook(id: 1)) }
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530])
    func `a failure that a queue of commands waits for stays one`(status: Int) async throws {
        let api = try api(status, #"{"code": "busy"}"#).decodingErrors(as: APIError.self)
        let failure = await #expect(throws: HTTPFailure.self) { try await api.dispatch(OrderBook(id: 1)) }
        #expect(failure?.isTemporary == true)
    }

    @Test func `a 401 stays a failure for a command with a key, as a queue sends it`() async throws {
        let api = try api(401, #"{"code": "signed-out"}"#).decodingErrors(as: APIError.self)
        let failure = await #expect(throws: HTTPFailure.self) {
            try await withIdempotencyKey("1") { try await api.dispatch(OrderBook(id: 1)) }
        }
        #expect(failure?.needsSignIn == true)
        await #expect(throws: APIError(code: "signed-out")) {
            try await withIdempotencyKey("1") { _ = try await api.dispatch(FindBook(id: 1)) }
        }
    }

    private struct RateLimited: Error, TemporaryError, Equatable {
        let isTemporary = true
        let retryAfter: Duration?
    }

    @Test func `a closure makes an error of status, fields and body, also a temporary one`() async throws {
        let base = try BaseURL("https://shop.example")
        func api(_ body: String) -> some Dispatcher {
            let client = SpyClient(.forbidden, body, mediaType: "application/json")
            return HTTPDispatcher(baseURL: base, client: client).decodingErrors { response, body in
                guard response.status == .forbidden, response.headerFields[.contentType] != nil else { return nil }
                let error = try JSONDecoder().decode(APIError.self, from: body)
                return error.code == "slow-down" ? RateLimited(retryAfter: .seconds(60)) : error
            }
        }
        await #expect(throws: RateLimited(retryAfter: .seconds(60))) {
            try await api(#"{"code": "slow-down"}"#).dispatch(OrderBook(id: 1))
        }
        await #expect(throws: APIError(code: "x")) { try await api(#"{"code": "x"}"#).dispatch(OrderBook(id: 1)) }
        await #expect(throws: HTTPFailure.self) { try await api("<html>").dispatch(OrderBook(id: 1)) }
    }

    @Test(arguments: ["", "{}", "[]", #"{"code": 1}"#, "<html>"])
    func `a refusal without such an error stays a failure`(body: String) async throws {
        let api = try api(400, body).decodingErrors(as: APIError.self)
        let failure = await #expect(throws: HTTPFailure.self) { try await api.dispatch(OrderBook(id: 1)) }
        #expect(failure?.status == .badRequest)
    }

    @Test(arguments: ["application/json", "text/html"])
    func `a success that cannot be read stays a failure`(mediaType: String) async throws {
        let api = try api(200, #"{"code": "ok"}"#, mediaType).decodingErrors(as: APIError.self)
        let failure = await #expect(throws: HTTPFailure.self) { _ = try await api.dispatch(FindBook(id: 1)) }
        #expect(failure?.status == .ok)
    }

    @Test func `a declared problem stays itself`() async throws {
        let problem = #"{"type": "\#(OutOfStock.problemType)", "bookID": 1, "code": "sold-out"}"#
        let api = try api(409, problem, "application/problem+json").decodingErrors(as: APIError.self)
        await #expect(throws: OutOfStock(bookID: 1, nextDelivery: nil)) { try await api.dispatch(OrderBook(id: 1)) }
    }

    @Test(arguments: [#"{"code": "1"}"#, #"{"reason": "1"}"#])
    func `an API can have several formats`(body: String) async throws {
        let api = try api(400, body).decodingErrors(as: APIError.self).decodingErrors(as: OtherError.self)
        await #expect {
            try await api.dispatch(OrderBook(id: 1))
        } throws: {
            $0 as? APIError == APIError(code: "1") || $0 as? OtherError == OtherError(reason: "1")
        }
    }

    @Test func `a refused live query fails with the API's own error`() async throws {
        let api = try api(404, #"{"code": "closed"}"#).decodingErrors(as: APIError.self)
        await #expect(throws: APIError(code: "closed")) {
            for try await _ in api.observe(WatchOffer()).values {}
        }
    }

    @Test func `a container adds it around handlers that send messages`() async throws {
        let api = try api(400, #"{"code": "sold-out"}"#)
        let builder = ContainerBuilder()
        builder.middleware(ErrorDecodingMiddleware(as: APIError.self))
        builder.transient { Forwarding(api: api) }
        builder.handlers { Forwarding.self }
        let container = try builder.build()
        await #expect(throws: APIError(code: "sold-out")) {
            try await container.dispatcher.dispatch(OrderBook(id: 1))
        }
    }

    private struct Forwarding: CommandHandler {
        let api: any Dispatcher

        func handle(_ command: OrderBook) async throws { try await api.dispatch(command) }
    }

    private func api(_ status: Int, _ body: String, _ mediaType: String = "application/json") throws -> HTTPDispatcher {
        let client = SpyClient(.init(code: status), body, mediaType: mediaType)
        return HTTPDispatcher(baseURL: try BaseURL("https://shop.example"), client: client)
    }
}
