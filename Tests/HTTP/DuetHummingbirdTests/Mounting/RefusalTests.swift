import Duet
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization
import TestSupport
import Testing

/// Tests of refusals in the format of an API.
@Suite struct RefusalTests {
    private struct Errors: Error, Codable, Equatable {
        var errors: [String: [String]]
    }

    private struct Taken: HTTPProblem, Equatable {
        static let problemType = "taken"
        var errors: [String: [String]]
        var status: HTTPResponse.Status { .conflict }
    }

    private struct Closed: HTTPProblem, Equatable {
        static let problemType = "closed"
        var status: HTTPResponse.Status { .conflict }
    }

    private struct SaveName: HTTPCommand {
        static let route: CommandRoute<Self> = .put("names/{id}").throwing(Taken.self, Closed.self)
        let id: Int
        let name: String
    }

    private struct LoadName: HTTPQuery, Hashable {
        typealias Value = String
        static let route: QueryRoute<Self> = .get("names/{id}")
        let id: Int
    }

    private struct SaveNameHandler: CommandHandler {
        func handle(_ command: SaveName) async throws {
            if command.name == "taken" { throw Taken(errors: ["name": ["is taken"]]) }
            if command.name == "closed" { throw Closed() }
            if command.name == "broken" { throw CocoaError(.fileNoSuchFile) }
        }
    }

    private struct LoadNameHandler: QueryHandler {
        func handle(_ query: LoadName) async throws -> String { "name" }
    }

    private static let format: RefusalFormat = { refusal in
        if let taken = refusal.error as? Taken { return RefusalContent(Errors(errors: taken.errors)) }
        return RefusalContent(
            Errors(errors: [refusal.member ?? "request": [refusal.detail ?? "refused"]]),
            status: refusal.status == .badRequest ? .unprocessableContent : nil
        )
    }

    private static let tokens = StaticTokenAuthenticator([TokenHash(of: "secret"): Principal(id: "ada")])

    private func router(_ format: RefusalFormat? = format) throws -> Router<BasicRequestContext> {
        let router = Router()
        let dispatcher = try StandardDispatcher {
            SaveNameHandler()
            LoadNameHandler()
        }
        let options = MountOptions(refusals: format, maximumJSONBody: 100)
        // Two APIs at one base.
        try router.mount(
            MessageAPI("reads") { LoadName.authorized(.open) },
            dispatcher,
            options: options
        )
        return try router.mount(
            MessageAPI("writes") { SaveName.authorized(.principal) },
            dispatcher,
            authenticator: Self.tokens,
            options: options
        )
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        _ fields: HTTPFields = [.authorization: "Bearer secret", .contentType: "application/json"]
    ) async throws -> (HTTPResponse, Errors) {
        var request = HTTPRequest(method: method, scheme: "http", authority: "names.example", path: path)
        request.headerFields = fields
        let (head, data) = try await RouterHTTPClient(router()).data(for: request, body: body.map { Data($0.utf8) })
        #expect(head.headerFields[.contentType] == "application/json")
        return (head, try JSONDecoder().decode(Errors.self, from: data))
    }

    @Test func `each refusal has the format of the API`() async throws {
        let (invalid, faults) = try await send(.put, "/names/1", #"{"name":1}"#)
        #expect(invalid.status == .unprocessableContent)
        #expect(Array(faults.errors.keys) == ["name"])

        let (anonymous, _) = try await send(.put, "/names/1", "{}", [.contentType: "application/json"])
        #expect(anonymous.status == .unauthorized)
        #expect(anonymous.headerFields[.wwwAuthenticate] == #"Bearer realm="api""#)
        #expect(anonymous.headerFields[.known("Duet-Problem")] == AuthorizationError.problemType)

        let (taken, errors) = try await send(.put, "/names/1", #"{"name":"taken"}"#)
        #expect(taken.status == .conflict)
        #expect(errors == Errors(errors: ["name": ["is taken"]]))

        #expect(try await send(.put, "/names/1", #"{"name":"broken"}"#).0.status == .internalServerError)
        let long = #"{"name":"\#(String(repeating: "a", count: 100))"}"#
        #expect(try await send(.put, "/names/1", long).0.status == .contentTooLarge)
        #expect(try await send(.get, "/other").0.status == .notFound)
        let (method, _) = try await send(.post, "/names/1", "{}")
        #expect(method.status == .methodNotAllowed)
        #expect(method.headerFields[.allow] == "GET, HEAD, PUT, OPTIONS")
        let (refused, _) = try await send(.get, "/names/1", nil, [.accept: "text/html"])
        #expect(refused.status == .notAcceptable)
    }

    @Test func `a client of Duet still catches errors by their types`() async throws {
        let client = RouterHTTPClient(try router())
        let url = try #require(URL(string: "http://names.example"))
        let anonymous = HTTPDispatcher(baseURL: url, client: client)
        await #expect(throws: AuthorizationError.unauthenticated) {
            try await anonymous.dispatch(SaveName(id: 1, name: "a"))
        }
        let signed = HTTPDispatcher(baseURL: url, client: client.authenticated(by: .bearer("secret")))
        await #expect(throws: Closed()) { try await signed.dispatch(SaveName(id: 1, name: "closed")) }
        await #expect(throws: Errors(errors: ["name": ["is taken"]])) {
            try await signed.decodingErrors(as: Errors.self).dispatch(SaveName(id: 1, name: "taken"))
        }
    }

    @Test(arguments: [
        RefusalContent("ok", status: .ok), RefusalContent(Double.infinity),
        RefusalContent(data: Data(), mediaType: "a\nb"),
    ])
    func `a format that cannot be sent leaves the usual one`(_ content: RefusalContent) async throws {
        let client = RouterHTTPClient(try router { _ in content })
        let request = HTTPRequest(method: .get, scheme: "http", authority: "names.example", path: "/other")
        let (head, data) = try await client.data(for: request)
        #expect(head.status == .notFound)
        #expect(head.headerFields[.contentType] == "application/problem+json")
        #expect(try JSONDecoder().decode(ProblemDetails.self, from: data).status == 404)
    }

    @Test func `a refused host has the format, too`() async throws {
        let router = Router()
        router.add(middleware: HostMiddleware(.only(["names.example"]), refusals: Self.format))
        let request = HTTPRequest(method: .get, scheme: "http", authority: "other.example", path: "/")
        let (head, data) = try await RouterHTTPClient(router).data(for: request)
        #expect(head.status == .misdirectedRequest)
        #expect(try JSONDecoder().decode(Errors.self, from: data).errors.keys.first == "request")
    }
}
