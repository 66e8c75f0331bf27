/// What the answer to a validation means (RFC 9111, section 4.3.3).
package enum ValidationResult: Sendable, Hashable {
    /// 304, and what is stored holds.
    case freshened(Freshened)
    /// 304, but to nothing that is stored: to the client's own condition, or in error (section 4.3.4); or with too many fields.
    case unmatched
    /// The origin failed; the answer may be passed on, or a stale response stand in for it.
    case failed
    /// A whole answer, to be used instead of what is stored.
    case replaced
}
