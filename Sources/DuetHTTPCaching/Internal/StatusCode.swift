/// What this cache knows about status codes.
enum StatusCode {
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

    /// An answer to the conditions or the range of one request, which another one must not get.
    static func belongsToItsRequest(_ status: Int) -> Bool {
        [304, 412, 416].contains(status)
    }
}
