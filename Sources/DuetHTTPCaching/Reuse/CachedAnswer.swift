package import HTTPTypes

/// What a client gets of a stored response (RFC 9111, sections 4 and 4.3.2; RFC 9110, section 13.2.2).
package enum CachedAnswer: Sendable, Hashable {
    /// All of the stored body; to HEAD none of it.
    case whole(HTTPResponse)
    /// These bytes of the representation.
    case part(HTTPResponse, Range<Int64>)
    /// 304, without a body: the client has it already.
    case notModified(HTTPResponse)
    /// 416, without a body: the representation has no such bytes.
    case notSatisfiable(HTTPResponse)

    package var head: HTTPResponse {
        switch self {
        case .whole(let head), .part(let head, _), .notModified(let head), .notSatisfiable(let head): head
        }
    }
}
