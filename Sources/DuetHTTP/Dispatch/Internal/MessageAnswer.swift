import Foundation
import HTTPTypes

/// What came back for a message, and after how many attempts.
struct MessageAnswer: Sendable {
    let response: HTTPResponse
    let body: Data
    let attempts: AttemptLog
}
