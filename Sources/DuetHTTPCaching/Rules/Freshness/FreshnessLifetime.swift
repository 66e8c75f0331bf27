/// How long a response is fresh, and by what (RFC 9111, section 4.2.1).
package struct FreshnessLifetime: Sendable, Hashable {
    package enum Source: Sendable, Hashable {
        case sharedMaxAge, maxAge, expires, heuristic, none
    }

    package let seconds: Int
    package let source: Source

    /// Whether the origin said it.
    package var isExplicit: Bool { source != .heuristic && source != .none }
}
