import DuetHTTP
import HTTPTypes

/// Has successful answers read whatever they are called.
///
/// The feed's wire format asks for a status and a body; servers of files, among others, call JSON what they like.
struct UnlabelledAnswers: HTTPClientDecorator {
    let base: any HTTPClient

    var summary: String { "any media type" }

    func stream(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var answer = try await base.stream(request, body: body)
        if answer.0.status.kind == .successful { answer.0.headerFields[.contentType] = nil }
        return answer
    }
}
