import DuetHTTP
import Foundation
import HTTPTypes

/// A response of the cache, with its source.
struct CacheResponse: Sendable {
    enum Body: Sendable {
        case body(HTTPBody)
        /// The fetch forwards the body to its caller while it is stored.
        case inFlight(size: Int64?)
    }

    var head: HTTPResponse
    let body: Body
    var status: CacheStatus

    static func empty(_ head: HTTPResponse, _ status: CacheStatus) -> CacheResponse {
        CacheResponse(head: head, body: .body(HTTPBody(Data())), status: status)
    }
}

/// A response of the origin, with the times of its request and its arrival.
struct OriginResponse: Sendable {
    let head: HTTPResponse
    let body: HTTPBody
    let times: ExchangeTimes

    /// The response as it is, with the reason why it is not stored.
    func forwarded(_ status: CacheStatus, notStored reason: NotStored? = nil) -> CacheResponse {
        CacheResponse(head: head, body: .body(body), status: status.notStored(reason))
    }
}

/// The result of a fetch when the head of the origin's response has arrived.
struct Fetched: Sendable {
    var response: CacheResponse
    /// The effect of the fetch on requests that wait for it.
    var outcome: InFlightFetch.Outcome
    /// The body and where it is stored, if it still has to be read.
    var storing: (body: HTTPBody, fill: Fill)?

    init(_ response: CacheResponse, _ outcome: InFlightFetch.Outcome = .notStored) {
        self.response = response
        self.outcome = outcome
    }
}

extension CacheStatus {
    /// The status with the reason why the response is not stored; unchanged for nil.
    func notStored(_ reason: NotStored?) -> CacheStatus {
        guard let reason else { return self }
        var status = self
        status.stored = false
        status.detail = reason.rawValue
        return status
    }
}
