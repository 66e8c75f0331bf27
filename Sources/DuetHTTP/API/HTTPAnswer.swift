package import Foundation
package import HTTPTypes

/// The response of a server to a message.
package struct HTTPAnswer: Hashable, Sendable {
    package var status: HTTPResponse.Status

    /// All fields except the length and the entity tag.
    package var headers: HTTPFields

    /// The content, or nil if there is none.
    package var body: Data?

    /// The strong entity tag of the value without quotes, or nil to compute one from the content.
    package var entityTag: String?

    package init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: Data? = nil, entityTag: String? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.entityTag = entityTag
    }

    /// A response with a problem (RFC 9457).
    package init(_ problem: ProblemDetails, status: HTTPResponse.Status, headers: HTTPFields = [:]) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only an infinite number in the extensions cannot be encoded, which decoded JSON never contains.
        self.init(status: status, headers: headers, body: try? encoder.encode(problem))
        self.headers[.contentType] = ProblemDetails.mediaType
    }
}
