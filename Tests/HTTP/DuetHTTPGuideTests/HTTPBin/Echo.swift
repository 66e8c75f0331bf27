import Duet
import DuetHTTP
import Foundation
import HTTPTypes

/// The request that httpbin received.
struct Echo: Codable {
    let args: [String: JSONValue]
    let method: String
    let url: String
    let json: JSONValue?
    let data: String
}

// GET anything/{place}?…, with all kinds of parameters.
struct Everything: IDQuery, Filterable, Orderable, Pageable, Searchable {
    typealias Value = Echo
    static let route: QueryRoute<Self> = .get("anything/{id}").parameterNames(["searchText": "query"])

    struct Filter: Codable {
        var name: String
        var talks: Int?
        var tags: [String] = []
    }

    let id: String
    var filter: Filter?
    var order = "name"
    var page: Int?
    var searchText: String?
}

// POST anything   {…}
struct Tell: HTTPCommand {
    static let route: CommandRoute<Self> = .post("anything")

    let text: String
    let day: Date
    var nothing: Int?
}

// PUT anything/{id}, with bytes.
struct Store: BodyCommand {
    static let route: CommandRoute<Self> = .put("anything/{id}")

    let id: String
    let body: HTTPBytes
}

/// Records the responses to commands, which dispatch ignores.
actor Answers {
    private(set) var bodies: [Data] = []

    func note(_ body: Data) { bodies.append(body) }

    func echoes() throws -> [Echo] { try bodies.map { try JSONDecoder().decode(Echo.self, from: $0) } }
}

struct RememberingClient: HTTPClientDecorator {
    let base: any HTTPClient
    let answers: Answers

    var summary: String { "remembers" }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        let (response, answer) = try await base.send(request, body: body)
        if let whole = answer.whole { await answers.note(whole) }
        return (response, answer)
    }
}
