import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird

/// A response with its content.
struct Answer {
    let response: HTTPResponse
    let content: Data

    var status: Int { response.status.code }
    var text: String { String(decoding: content, as: UTF8.self) }
    var problem: ProblemDetails? {
        guard response.headerFields[.contentType] == "application/problem+json" else { return nil }
        return try? JSONDecoder().decode(ProblemDetails.self, from: content)
    }

    subscript(name: HTTPField.Name) -> String? { response.headerFields[name] }
}

extension RouterHTTPClient {
    func ask(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: HTTPFields = [:],
        body: String? = nil,
        host: String = "notes.example"
    ) async throws -> Answer {
        var fields = fields
        if body != nil, !fields.contains(.contentType) { fields[.contentType] = "application/json" }
        let request = HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: fields)
        let (response, content) = try await data(for: request, body: body.map { Data($0.utf8) })
        return Answer(response: response, content: content)
    }
}

extension Router<BasicRequestContext> {
    /// A router with the notes mounted.
    static func notes(_ notebook: Notebook, at base: String = "/", options: MountOptions = MountOptions()) throws
        -> Router
    {
        let router = Router()
        try router.mount(.notes, notebook, at: base, authenticator: Tokens(), options: options)
        return router
    }
}
