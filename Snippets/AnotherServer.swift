//! The messages of a list, served by a server that is not Hummingbird.

import Duet
import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes

struct ListNotes: HTTPQuery {
    typealias Value = [String]
    static let route: QueryRoute<Self> = .get("notes")
}

struct ListNotesHandler: QueryHandler {
    func handle(_ query: ListNotes) async throws -> [String] { ["Buy milk"] }
}

let notes = MessageAPI("notes") {
    ListNotes.authorized(.open)
}
let dispatcher = try StandardDispatcher { ListNotesHandler() }
let tokens = StaticTokenAuthenticator([TokenHash(of: "token-of-ada"): Principal(id: "ada")])

// snippet.service
let service = try HTTPService(notes, dispatcher, at: "/api", authenticator: tokens) { print($0) }
// snippet.end

/// A request, as some server hands it to its handler.
struct ReceivedRequest: Sendable {
    var method: String
    var target: String
    var fields: [(name: String, value: String)] = []
    var body = AsyncStream<Data> { $0.finish() }
    var address: String?
}

/// Sends a response with some server.
struct ResponseWriter: Sendable {
    func start(_ response: HTTPResponse) async throws { print(response.status) }
    func write(_ piece: Data) async throws { print(String(decoding: piece, as: UTF8.self)) }
    func finish() async throws {}
}

// snippet.handler
func handle(_ received: ReceivedRequest, _ writer: ResponseWriter) async throws {
    var request = HTTPRequest(
        method: HTTPRequest.Method(received.method) ?? .get,
        scheme: "https",
        authority: nil,
        path: received.target
    )
    for (name, value) in received.fields {
        guard let name = HTTPField.Name(name) else { continue }
        request.headerFields.append(HTTPField(name: name, value: value))
    }
    let (response, body) = await service.respond(to: request, body: HTTPBody(received.body), from: received.address)
    try await writer.start(response)
    // The values of a live query arrive here, each when it has changed.
    for try await piece in body { try await writer.write(piece) }
    try await writer.finish()
}
// snippet.end

try await handle(ReceivedRequest(method: "GET", target: "/api/notes"), ResponseWriter())
