package import Foundation

/// A message as it arrives.
package struct ReceivedMessage: Hashable, Sendable {
    /// The values of the path, decoded, by the names in braces.
    package let parameters: [String: String]

    /// What follows the question mark, percent-encoded; nil when there is none.
    package let query: String?

    /// The media type of the body, with its parameters; nil when the request names none.
    package let contentType: String?

    /// The body; empty for none.
    package let body: Data

    package init(parameters: [String: String], query: String?, contentType: String?, body: Data) {
        self.parameters = parameters
        self.query = query
        self.contentType = contentType
        self.body = body
    }
}
