package import Foundation

/// A message as a server receives it.
package struct ReceivedMessage: Hashable, Sendable {
    /// The decoded values of the path, by the names in braces.
    package let parameters: [String: String]

    /// The percent-encoded query, or nil if there is none.
    package let query: String?

    /// The media type of the body with its parameters, or nil if the request has none.
    package let contentType: String?

    /// The body; empty if there is none.
    package let body: Data

    package init(parameters: [String: String], query: String?, contentType: String?, body: Data) {
        self.parameters = parameters
        self.query = query
        self.contentType = contentType
        self.body = body
    }
}

extension ReceivedMessage {
    /// Checks that the body is not empty and that its media type is JSON in UTF-8.
    ///
    /// - Throws: ``HTTPMessageError``.
    func checkJSON() throws {
        // The usual media type needs no parsing, and an empty body needs no media type.
        guard
            contentType == "application/json" || MediaType(contentType)?.isJSONInUTF8 == true
                || contentType == nil && body.isEmpty
        else { throw HTTPMessageError.unsupportedMediaType(expected: ["application/json"]) }
        guard !body.isEmpty else { throw HTTPMessageError.invalid(field: "body", reason: "is empty") }
    }
}
