/// Classes of status codes that matter to a cache.
package enum StatusCode {
    /// Codes that may be stored without explicit permission of the origin (RFC 9110, section 15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    /// Codes that this cache understands (RFC 9111, section 5.2.2.3).
    static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...206, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 500...505: true
        default: false
        }
    }

    /// Codes for failures of the origin, for which a stale response may be used (RFC 5861, section 4).
    package static func isFailure(_ status: Int) -> Bool {
        [500, 502, 503, 504].contains(status)
    }

    /// Responses about the resource itself, which replace stored responses.
    ///
    /// Other responses concern one request or the current state of the server.
    static func replacesOthers(_ status: Int) -> Bool {
        switch status {
        case 206, 304: false
        case 200...399, 401, 403, 404, 410, 451: true
        default: false
        }
    }

    /// Responses to the conditions or the range of one request, or to one client (RFC 6585), which must not be used for
    /// others.
    static func isNeverStored(_ status: Int) -> Bool {
        [206, 304, 412, 416, 428, 429, 431, 511].contains(status)
    }
}
