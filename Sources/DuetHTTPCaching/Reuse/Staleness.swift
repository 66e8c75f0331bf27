/// By what leave a stale response is used (RFC 9111, section 4.2.4).
package enum Staleness: Sendable, Hashable {
    /// The request's `max-stale`.
    case maxStale
    /// RFC 5861, section 3: it is validated after the answer.
    case whileRevalidate
    /// RFC 5861, section 4, or section 4.2.4: the origin failed.
    case onFailure
}
