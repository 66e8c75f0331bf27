import DuetHTTP
import HTTPTypes

/// An answer of the origin, and when it came.
struct OriginAnswer: Sendable {
    let head: HTTPResponse
    let body: HTTPBody
    let times: ExchangeTimes

    /// The answer as it is, and why it is not stored if it is not.
    func passedOn(_ status: CacheStatus, notStored: NotStored? = nil) -> CacheAnswer {
        CacheAnswer(head: head, content: .body(body), status: status.refused(notStored))
    }
}
