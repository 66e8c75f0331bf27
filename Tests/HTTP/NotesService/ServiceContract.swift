import DuetContracts
package import DuetHTTP
import Foundation
import HTTPTypes

/// The requirements for a server of the notes below `/api`, and below `/brief` with streams that end soon.
///
/// A server that can do only a part of HTTP can meet them. There are no repeated fields, no `HEAD`, and no lost
/// connections.
package enum ServiceContract: CaseIterable, Sendable {
    case `a query responds with its value as JSON and a tag`
    case `a value that the client has is not sent again`
    case `a command responds without content and has its effect`
    case `an unknown path is a problem`
    case `another method of a path is a problem that lists the methods`
    case `OPTIONS lists the methods`
    case `a page of another origin may read the response`
    case `a message that needs a principal is refused without a token`
    case `an invalid token is refused`
    case `a principal without the scope is refused`
    case `a body that cannot be read is a problem with the reason`
    case `a body of another type is refused`
    case `a compressed body is refused`
    case `a body that is too large is refused`
    case `an invalid message is refused with the reason`
    case `a declared problem has its properties`
    case `an undeclared error is not sent`
    case `a message ends when its time is up`
    case `a client that accepts no JSON is refused`
    case `a condition of a command is refused`
    case `a live query sends its value and each change`
    case `a client that has the value gets only later ones`
    case `a stream ends when its time is up`

    /// Checks the requirement.
    ///
    /// - Parameters:
    ///   - server: The scheme, the host and the port of the server.
    ///   - client: Sends the requests.
    /// - Throws: `ContractViolation`; the errors of the client.
    package func verify(_ server: String, _ client: any HTTPClient) async throws {
        let subject = ServiceSubject(server: server, client: client)
        switch self {
        case .`a query responds with its value as JSON and a tag`: try await subject.query()
        case .`a value that the client has is not sent again`: try await subject.unchanged()
        case .`a command responds without content and has its effect`: try await subject.command()
        case .`an unknown path is a problem`:
            try await subject.refuses("GET", "/api/nothing", 404, "There is nothing at /api/nothing.")
        case .`another method of a path is a problem that lists the methods`:
            let response = try await subject.refuses(
                "POST",
                "/api/fail",
                405,
                "/api/fail supports GET, HEAD, OPTIONS, not POST."
            )
            try require(response.headerFields[.allow], toBe: "GET, HEAD, OPTIONS", "Allow")
        case .`OPTIONS lists the methods`:
            let (response, _) = try await subject.send("OPTIONS", "/api/fail")
            try require(response.status.code, toBe: 204, "status")
            try require(response.headerFields[.allow], toBe: "GET, HEAD, OPTIONS", "Allow")
        case .`a page of another origin may read the response`:
            let origin = "https://example.org"
            let (response, _) = try await subject.send("GET", subject.shelf, [.origin: origin])
            try require(response.headerFields[.accessControlAllowOrigin], toBe: origin, "origin")
        case .`a message that needs a principal is refused without a token`:
            let response = try await subject.refuses("PUT", subject.note, 401, body: "{}")
            try require(response.headerFields[.wwwAuthenticate], toBe: #"Bearer realm="api""#, "challenge")
        case .`an invalid token is refused`:
            let response = try await subject.refuses("GET", subject.shelf, 401, token: "unknown")
            try require(response.headerFields[.wwwAuthenticate], toBe: #"Bearer error="invalid_token""#, "challenge")
        case .`a principal without the scope is refused`:
            let response = try await subject.refuses("DELETE", subject.note, 403, token: "writer")
            let challenge = #"Bearer error="insufficient_scope""#
            try require(response.headerFields[.wwwAuthenticate], toBe: challenge, "challenge")
        case .`a body that cannot be read is a problem with the reason`:
            try await subject.refuses("PUT", subject.note, 400, token: "writer", body: #"{"text":1}"#)
        case .`a body of another type is refused`:
            let fields: HTTPFields = [.contentType: "text/plain"]
            try await subject.refuses("PUT", subject.note, 415, with: fields, token: "writer", body: "Hello")
        case .`a compressed body is refused`:
            let fields: HTTPFields = [.contentEncoding: "gzip"]
            let detail = "The body must be sent without a Content-Encoding."
            let response = try await subject.refuses(
                "PUT",
                subject.note,
                415,
                detail,
                with: fields,
                token: "writer",
                body: "{}"
            )
            try require(response.headerFields[.acceptEncoding], toBe: "identity", "Accept-Encoding")
        case .`a body that is too large is refused`:
            let body = #"{"text":"\#(String(repeating: "a", count: 1_024))"}"#
            let detail = "The body must have at most 1024 bytes."
            try await subject.refuses("PUT", subject.note, 413, detail, token: "writer", body: body)
        case .`an invalid message is refused with the reason`:
            let detail = "The text of a note must not be blank."
            try await subject.refuses("PUT", subject.note, 422, detail, token: "writer", body: #"{"text":" "}"#)
        case .`a declared problem has its properties`: try await subject.declaredProblem()
        case .`an undeclared error is not sent`:
            let detail = "The server could not complete the request. Its log has the reason."
            try await subject.refuses("GET", "/api/fail", 500, detail)
        case .`a message ends when its time is up`:
            let fields: HTTPFields = [.requestTimeout: "1"]
            try await subject.refuses("GET", "/api/wait", 504, "The request was not completed in time.", with: fields)
        case .`a client that accepts no JSON is refused`:
            let detail = "This is only available as application/json."
            try await subject.refuses("GET", subject.shelf, 406, detail, with: [.accept: "text/html"])
        case .`a condition of a command is refused`:
            try await subject.refuses("PUT", subject.note, 412, with: [.ifMatch: #""1""#], token: "writer", body: "{}")
        case .`a live query sends its value and each change`: try await subject.live()
        case .`a client that has the value gets only later ones`: try await subject.liveAgain()
        case .`a stream ends when its time is up`: try await subject.brief()
        }
    }
}

/// A server under test, and a shelf that no other test uses.
private struct ServiceSubject {
    let server: String
    let client: any HTTPClient
    let name = UUID().uuidString

    var shelf: String { "/api/shelves/\(name)/notes" }
    var note: String { "\(shelf)/1" }

    func send(
        _ method: String,
        _ path: String,
        _ fields: HTTPFields = [:],
        token: String? = nil,
        body: String? = nil
    ) async throws -> (HTTPResponse, String) {
        let (response, content) = try await open(method, path, fields, token: token, body: body)
        let data = try await content.collect(upTo: 65_536, orThrow: ContractViolation("too much"))
        return (response, String(decoding: data, as: UTF8.self))
    }

    func open(
        _ method: String,
        _ path: String,
        _ fields: HTTPFields = [:],
        token: String? = nil,
        body: String? = nil
    ) async throws -> (HTTPResponse, HTTPBody) {
        guard let method = HTTPRequest.Method(method), let url = URL(string: server + path) else {
            throw ContractViolation("not a request: \(method) \(server)\(path)")
        }
        var request = HTTPRequest(method: method, url: url, headerFields: fields)
        if let token { request.headerFields[.authorization] = "Bearer \(token)" }
        if body != nil, !fields.contains(.contentType) { request.headerFields[.contentType] = "application/json" }
        return try await client.send(request, body: body.map { HTTPBody(Data($0.utf8)) })
    }

    /// Checks that the response is a problem.
    @discardableResult
    func refuses(
        _ method: String,
        _ path: String,
        _ status: Int,
        _ detail: String? = nil,
        with fields: HTTPFields = [:],
        token: String? = nil,
        body: String? = nil
    ) async throws -> HTTPResponse {
        let (response, content) = try await send(method, path, fields, token: token, body: body)
        try require(response.status.code, toBe: status, "status of “\(content)”")
        try require(response.headerFields[.contentType], toBe: "application/problem+json", "type")
        let problem = try JSONDecoder().decode(ProblemDetails.self, from: Data(content.utf8))
        try require(problem.status, toBe: status, "status of the problem")
        if let detail { try require(problem.detail, toBe: detail, "detail") }
        return response
    }

    func add(_ text: String, _ id: Int = 1) async throws {
        let path = "\(shelf)/\(id)"
        let (response, content) = try await send("PUT", path, token: "writer", body: #"{"text":"\#(text)"}"#)
        try require(response.status.code, toBe: 204, "status of “\(content)”")
        try require(content, toBe: "", "content")
    }

    func query() async throws {
        let (response, content) = try await send("GET", shelf)
        try require(response.status.code, toBe: 200, "status")
        try require(response.headerFields[.contentType], toBe: "application/json", "type")
        try require(response.headerFields[.eTag] == nil, toBe: false, "missing tag")
        try require(response.headerFields[.cacheControl], toBe: "max-age=0, proxy-revalidate", "Cache-Control")
        try require(content, toBe: "[]", "content")
    }

    func unchanged() async throws {
        let (first, _) = try await send("GET", shelf)
        let fields: HTTPFields = [.ifNoneMatch: first.headerFields[.eTag] ?? ""]
        let (second, content) = try await send("GET", shelf, fields)
        try require(second.status.code, toBe: 304, "status")
        try require(second.headerFields[.eTag], toBe: first.headerFields[.eTag], "tag")
        try require(content, toBe: "", "content")
        try await add("new")
        try require(try await send("GET", shelf, fields).0.status.code, toBe: 200, "status after a change")
    }

    func command() async throws {
        try await add("first")
        try require(try await send("GET", note).1, toBe: #"{"id":"1","text":"first"}"#, "content")
        try require(try await send("DELETE", note, token: "editor").0.status.code, toBe: 204, "status")
        try require(try await send("GET", shelf).1, toBe: "[]", "content")
    }

    func declaredProblem() async throws {
        let (response, content) = try await send("GET", note)
        try require(response.status.code, toBe: 404, "status")
        try require(response.headerFields[.cacheControl], toBe: "max-age=0, proxy-revalidate", "Cache-Control")
        let problem = #"{"id":"1","status":404,"title":"Not Found","type":"tag:notes.example,2026:missing"}"#
        try require(content, toBe: problem, "content")
    }

    func live() async throws {
        var (response, events) = try await events(of: shelf)
        try require(response.status.code, toBe: 200, "status")
        try require(response.headerFields[.contentType], toBe: "text/event-stream", "type")
        try require(try await events.next()?.data, toBe: "[]", "value")
        try await add("a")
        try require(try await events.next()?.data, toBe: #"[{"id":"1","text":"a"}]"#, "second value")
        try await add("b")
        try require(try await events.next()?.data, toBe: #"[{"id":"1","text":"b"}]"#, "third value")
    }

    func liveAgain() async throws {
        var (_, events) = try await events(of: shelf)
        guard let id = try await events.next()?.id else { throw ContractViolation("The event has no id.") }
        var (_, again) = try await self.events(of: shelf, [.lastEventID: id])
        try await add("a")
        try require(try await again.next()?.data, toBe: #"[{"id":"1","text":"a"}]"#, "value")
    }

    func brief() async throws {
        var (_, events) = try await events(of: "/brief/shelves/\(name)/notes")
        try require(try await events.next()?.data, toBe: "[]", "value")
        try require(try await events.next()?.data, toBe: nil, "end")
    }

    private func events(of path: String, _ fields: HTTPFields = [:]) async throws -> (HTTPResponse, Events) {
        var fields = fields
        fields[.accept] = "text/event-stream"
        let (response, body) = try await open("GET", path, fields)
        return (response, Events(body))
    }
}

/// Reads events as texts.
private struct Events {
    private var pieces: HTTPBody.AsyncIterator
    private var parser = EventParser(limit: 65_536)
    private var read: [ServerSentEvent] = []

    init(_ body: HTTPBody) {
        pieces = body.makeAsyncIterator()
    }

    /// The next event, or nil at the end.
    mutating func next() async throws -> (id: String?, data: String)? {
        while read.isEmpty {
            guard let piece = try await pieces.next() else { return nil }
            read = try parser.read(piece).filter { $0.data != nil }
        }
        let event = read.removeFirst()
        return (event.id, String(decoding: event.data ?? Data(), as: UTF8.self))
    }
}
