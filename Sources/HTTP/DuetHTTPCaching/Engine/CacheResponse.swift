import DuetHTTP
import Foundation
import HTTPTypes

struct CacheResponse {
    let head: HTTPResponse
    let body: HTTPBody
    var status: CacheStatus
}

extension CacheResponse {
    init(_ hit: Hit, to request: HTTPRequest, _ status: CacheStatus) {
        let head = hit.head(for: request)
        self.init(head: head, body: HTTPBody(head.status == .notModified ? Data() : hit.stored.body), status: status)
    }
}

/// A response of the origin, with the times of its request and its arrival.
struct OriginResponse {
    let head: HTTPResponse
    let body: HTTPBody
    let times: ExchangeTimes

    func forwarded(_ status: CacheStatus, notStored reason: NotStored? = nil) -> CacheResponse {
        CacheResponse(head: head, body: body, status: status.notStored(reason))
    }

    func replacing(body: HTTPBody) -> OriginResponse {
        OriginResponse(head: head, body: body, times: times)
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
