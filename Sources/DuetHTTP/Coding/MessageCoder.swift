package import Foundation
package import HTTPTypes

/// Writes the messages of one type as requests and reads them back, by the settings of an API.
///
/// Made once for each type: it finds out what the type promises (a body, a filter, an id), so that no request has to.
package struct MessageCoder<Message: HTTPMessage>: Sendable {
    /// What is wrong with the declaration; empty when every message can be read back as it was written.
    package let faults: [InvalidHTTPAPI.Fault]

    package init(_ method: HTTPRequest.Method, _ settings: HTTPSettings) {
        faults = []
    }

    /// The message as a request.
    ///
    /// - Throws: ``HTTPMessageError`` for a value that cannot be written.
    package func encode(_ message: Message) throws -> EncodedMessage {
        EncodedMessage(path: "", headers: [:], body: nil)
    }

    /// The message of a request.
    ///
    /// - Throws: ``HTTPMessageError`` that names the parameter or the path to the fault.
    package func decode(_ request: ReceivedMessage) throws -> Message {
        throw CancellationError()
    }
}

/// A message as it leaves.
package struct EncodedMessage: Hashable, Sendable {
    /// Path and query, percent-encoded, relative to the base URL and without a slash at its start.
    package let path: String

    /// The message's own fields and the API's, `Content-Type` among them where there is a body.
    package let headers: HTTPFields

    /// The body; nil for none.
    package let body: Data?
}

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
