package import Foundation
package import HTTPTypes

/// A message as it leaves.
package struct EncodedMessage: Hashable, Sendable {
    /// Path and query, percent-encoded, relative to the base URL and without a slash at its start.
    package let path: String

    /// The message's own fields and the API's, `Content-Type` among them where there is a body.
    package let headers: HTTPFields

    /// Whether the fields are those that all messages of the type have which add none.
    package let hasUsualHeaders: Bool

    /// The body; nil for none.
    package let body: Data?
}
