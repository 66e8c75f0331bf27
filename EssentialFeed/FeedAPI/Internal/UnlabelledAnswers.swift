import DuetHTTP
import Foundation
import HTTPTypes

/// Has successful answers read whatever they are called.
///
/// The feed's wire format asks for a status and a body; servers of files, among others, call JSON what they like.
struct UnlabelledAnswers: HTTPClientDecorator {
    let base: any HTTPClient

    var summary: String { "any media type" }

    func send(
        _ request: HTTPRequest,
        body: Data?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, Data) {
        var answer = try await base.send(request, body: body)
        if answer.0.status.kind == .successful { answer.0.headerFields[.contentType] = nil }
        return answer
    }
}
