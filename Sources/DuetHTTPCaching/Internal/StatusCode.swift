/// What this cache knows about status codes.
package enum StatusCode {
    /// May be stored without any word of the origin (RFC 9110, section 15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    /// Defined by RFC 9110, and treated here as it says (RFC 9111, section 5.2.2.3).
    static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...206, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 500...505: true
        default: false
        }
    }

    /// The origin failed, so that a stale response may stand in for it (RFC 5861, section 4).
    package static func isFailure(_ status: Int) -> Bool {
        [500, 502, 503, 504].contains(status)
    }

    /// An answer about the resource itself, after which what was stored of it holds no more; others are about this request, or about
    /// the server at this time.
    static func replacesOthers(_ status: Int) -> Bool {
        switch status {
        case 206, 304: false
        case 200...399, 401, 403, 404, 410, 451: true
        default: false
        }
    }

    /// Says something of one request or one client, which others must not be told (RFC 6585, and as ``belongsToItsRequest(_:)``).
    static func isNeverStored(_ status: Int) -> Bool {
        belongsToItsRequest(status) || [428, 429, 431, 511].contains(status)
    }

    /// An answer to the conditions or the range of one request, which another one must not get.
    static func belongsToItsRequest(_ status: Int) -> Bool {
        [304, 412, 416].contains(status)
    }
}
