package import HTTPTypes

/// A stored response that answers a request.
package struct Hit: Sendable, Hashable {
    package let stored: StoredResponse
    /// Seconds since it was generated (RFC 9111, section 4.2.3).
    package let age: Int
    package let lifetime: Int
    /// Nil when it is fresh.
    package let staleness: Staleness?
    /// Fields that `no-cache` names, which are left out (RFC 9111, section 5.2.2.4).
    package let omitted: Set<HTTPField.Name>

    /// For how many seconds it stays fresh; negative when it is stale (RFC 9211, section 2.4).
    package var ttl: Int { lifetime - age }

    package init(
        stored: StoredResponse,
        age: Int,
        lifetime: Int,
        staleness: Staleness? = nil,
        omitted: Set<HTTPField.Name> = []
    ) {
        self.stored = stored
        self.age = age
        self.lifetime = lifetime
        self.staleness = staleness
        self.omitted = omitted
    }
}

/// Why a stale response may be used (RFC 9111, section 4.2.4).
package enum Staleness: Sendable, Hashable {
    /// The request's `max-stale`.
    case maxStale
    /// RFC 5861, section 3: the response is validated after it was served.
    case whileRevalidate
    /// RFC 5861, section 4, or RFC 9111, section 4.2.4: the origin failed.
    case onFailure
}
