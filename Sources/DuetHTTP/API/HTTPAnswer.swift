package import Foundation
package import HTTPTypes

/// What a server answers with.
package struct HTTPAnswer: Hashable, Sendable {
    package var status: HTTPResponse.Status

    /// All fields but the length and the entity tag.
    package var headers: HTTPFields

    /// The content; nil for none.
    package var body: Data?

    /// The strong entity tag that the value brought with it, without quotes; nil when the server is to make one of the content.
    package var entityTag: String?

    package init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: Data? = nil, entityTag: String? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.entityTag = entityTag
    }

    /// A problem as an answer (RFC 9457).
    package init(_ problem: ProblemDetails, status: HTTPResponse.Status, headers: HTTPFields = [:]) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // What cannot be written is an infinite number among the extensions, and no JSON that was read has one.
        self.init(status: status, headers: headers, body: try? encoder.encode(problem))
        self.headers[.contentType] = ProblemDetails.mediaType
    }
}
