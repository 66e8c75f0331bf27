import HTTPTypes

/// An answer of the origin, and when it came.
struct OriginAnswer: Sendable {
    let head: HTTPResponse
    let body: OriginBody
    let times: ExchangeTimes

    /// The answer as it is.
    func passedOn(_ status: CacheStatus) -> CacheAnswer {
        CacheAnswer(head: head, content: .body(body.body), status: status)
    }
}
