import Foundation
import HTTPTypes

/// What came back for a message, and after how many attempts.
struct MessageAnswer: Sendable {
    /// Where the request went; the rest of it is that of all messages of the type.
    let path: String?
    let response: HTTPResponse
    let body: Data
    let attempts: AttemptLog
}
